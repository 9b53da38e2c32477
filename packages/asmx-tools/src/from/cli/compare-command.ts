import { compare } from '../compare/compare.ts';
import { reportJson, reportLines } from '../compare/report.ts';
import { readServices } from '../wsdl/read-wsdl.ts';
import { oneLine } from '../wsdl-error.ts';
import type { Command } from './command.ts';
import { LIMIT_HELP, LOAD_OPTION_TEXTS, LOAD_OPTIONS, loadOptionsOf } from './load-options.ts';

export const compareCommand: Command = {
  name: 'compare',
  parameters: ['<old>', '<new>...'],
  summary:
    'Compare two WSDLs, and list for each operation what clients of the old one would notice.',
  options: {
    service: { type: 'string' },
    'new-service': { type: 'string' },
    ...LOAD_OPTIONS,
    json: { type: 'boolean' },
  },
  help: `
All are files, or http or https URLs. Addresses are shown, but are not differences. If the old WSDL has several services, each is compared with the one of its name in the new WSDLs, which may be several; one that none of them has is a difference.

  --service <name>      only this service of the old WSDL
  --new-service <name>  the service of the new WSDL that it is compared with
  --network <cidr>      ${LOAD_OPTION_TEXTS.network}
  ${LIMIT_HELP}
  --json                print one JSON object

Names that are not on the wire (ports, messages, parts, classes) are notes: only clients generated again see them.

Exit codes: 0 no differences; 1 there are differences, one per line; 2 a WSDL cannot be read.

Examples:
  asmx compare old.wsdl "http://localhost:8080/Weather.asmx?WSDL"
  asmx compare old.wsdl "http://localhost:8080/Orders.asmx?WSDL" "http://localhost:8080/Users.asmx?WSDL"
  asmx compare old.wsdl new.wsdl --json`,
  async run([before = '', ...after], options, { print }) {
    const chosen = (name: unknown) => (typeof name === 'string' ? [name] : undefined);
    const load = loadOptionsOf(options);
    const old = await readServices(before, chosen(options.service), load);
    const ours = (
      await Promise.all(
        after.map((each) => readServices(each, chosen(options['new-service']), load)),
      )
    ).flatMap(({ contracts }) => contracts);
    const compared = old.contracts.map((contract) => {
      // Alone, it is compared whatever the new one is called: its name is of no matter to clients.
      const [only] = old.contracts.length === 1 && ours.length === 1 ? ours : [];
      const match = ours.find(({ service }) => service.name === contract.service.name) ?? only;
      return {
        contract,
        comparison: match === undefined ? undefined : compare(contract.service, match.service),
      };
    });
    const several = compared.length > 1;
    const absent = (name: string) =>
      `The service ${name} is in none of the new WSDLs: name the WSDL that has it.`;
    if (options.json) {
      const reports = compared.map(({ contract, comparison }) =>
        comparison === undefined
          ? {
              file: contract.file,
              service: contract.service.name,
              same: false,
              absent: absent(contract.service.name),
            }
          : reportJson(contract, comparison),
      );
      print(`${JSON.stringify(several ? { services: reports } : reports[0])}\n`);
    } else {
      for (const { contract, comparison } of compared) {
        const { name } = contract.service;
        const lines = comparison === undefined ? [absent(name)] : reportLines(contract, comparison);
        print(
          lines
            .map(
              (line) =>
                `${oneLine(`${several && comparison !== undefined ? `${name}: ` : ''}${line}`)}\n`,
            )
            .join(''),
        );
      }
      for (const note of old.notes) print(`note: ${oneLine(note)}\n`);
    }
    return compared.every(({ comparison }) => comparison?.same) ? 0 : 1;
  },
};
