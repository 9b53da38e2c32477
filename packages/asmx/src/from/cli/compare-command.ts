import { compare } from '../compare/compare.ts';
import { reportJson, reportLines } from '../compare/report.ts';
import { readWsdl } from '../wsdl/read-wsdl.ts';
import type { Command } from './command.ts';

export const compareCommand: Command = {
  name: 'compare',
  parameters: ['<old>', '<new>'],
  summary: 'Compare two WSDLs, and list for each operation what clients of the old one would notice.',
  options: { service: { type: 'string' }, 'new-service': { type: 'string' }, json: { type: 'boolean' } },
  help: `
Both are files, or http or https URLs. Addresses are shown, but are not differences.

  --service <name>      the service of the old WSDL, if it has several
  --new-service <name>  the service of the new WSDL
  --json                print one JSON object

Exit codes: 0 no differences; 1 there are differences, one per line; 2 a WSDL cannot be read.

Examples:
  asmx compare old.wsdl "http://localhost:8080/Weather.asmx?WSDL"
  asmx compare old.wsdl new.wsdl --json`,
  async run([before = '', after = ''], options, { print }) {
    const chosen = (name: unknown) => (typeof name === 'string' ? { service: name } : {});
    const [old, ours] = await Promise.all([
      readWsdl(before, chosen(options.service)),
      readWsdl(after, chosen(options['new-service'])),
    ]);
    const comparison = compare(old.service, ours.service);
    print(
      options.json
        ? `${JSON.stringify(reportJson(old, comparison))}\n`
        : `${reportLines(old, comparison).join('\n')}\n`,
    );
    return comparison.same ? 0 : 1;
  },
};
