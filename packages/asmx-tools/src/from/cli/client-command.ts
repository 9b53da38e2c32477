import { writeFile } from 'node:fs/promises';
import { standaloneClient } from '../emit/standalone-client.ts';
import { readWsdl } from '../wsdl/read-wsdl.ts';
import { type Command, UsageError } from './command.ts';
import { LIMIT_HELP, LOAD_OPTION_TEXTS, LOAD_OPTIONS, loadOptionsOf } from './load-options.ts';

export const clientCommand: Command = {
  name: 'client',
  parameters: ['<wsdl>', '<file>'],
  summary: 'Generate a typed TypeScript client for a service, old or new; it needs only fetch.',
  options: {
    service: { type: 'string' },
    over: { type: 'string' },
    force: { type: 'boolean' },
    ...LOAD_OPTIONS,
    json: { type: 'boolean' },
  },
  help: `
<wsdl> is a file, or an http or https URL; <file> is a TypeScript file.
The client calls over SOAP, as the WSDL says;
over JSON it runs in browsers, too, but only servers of this engine offer that.

  --service <name>    the service, if the WSDL has several
  --over <soap|json>  how the client calls; default soap
  --force             replace an existing file
  --network <cidr>    ${LOAD_OPTION_TEXTS.network}
  ${LIMIT_HELP}
  --json              print one JSON object

Exit codes: 0 done; 1 the file cannot be written; 2 the WSDL cannot be read.

Examples:
  asmx client "http://old.example.com/Weather.asmx?WSDL" src/weather-client.ts
  asmx client "http://localhost:8080/Weather.asmx?WSDL" src/weather-client.ts --over json`,
  async run(
    [source = '', file = ''],
    { service, over = 'soap', force, json, ...more },
    { print, remark },
  ) {
    if (over !== 'soap' && over !== 'json') throw new UsageError('--over must be soap or json');
    const chosen = typeof service === 'string' ? { service } : {};
    const read = await readWsdl(source, {
      ...chosen,
      ...loadOptionsOf(more),
      lenient: over === 'soap',
    });
    for (const note of read.notes) remark(`note: ${note}`);
    await writeFile(file, standaloneClient(read, over), { flag: force === true ? 'w' : 'wx' });
    const made = { file, service: read.service.name, operations: read.service.operations.length };
    print(
      json === true
        ? `${JSON.stringify(made)}\n`
        : `${file}: ${made.service}, ${made.operations} operations\n`,
    );
    return 0;
  },
};
