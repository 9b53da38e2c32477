import { makeProject } from '../from.ts';
import type { Command } from './command.ts';

export const fromCommand: Command = {
  name: 'from',
  parameters: ['<wsdl>', '<folder>'],
  summary: 'Writes a project that serves an old WSDL: typed contract, a stub for each operation, tests, README.',
  options: { service: { type: 'string' }, json: { type: 'boolean' } },
  help: `
<wsdl> is a file, or an http or https URL; <folder> is new or empty. The project starts by
npm install && npm start, on 127.0.0.1 at PORT, at the path of the old address.

  --service <name>  which one, where the WSDL holds several
  --json            print one JSON object

Exit codes: 0 written; 1 the folder cannot be written; 2 the WSDL cannot be read or served, in one line with file,
component and reason: then nothing is written.

Examples:
  asmx from old.wsdl my-service
  asmx from "http://old.example.com/Weather.asmx?WSDL" weather`,
  async run([source = '', folder = ''], { service, json }, { print, remark }) {
    const options = typeof service === 'string' ? { service } : {};
    const made = await makeProject(source, folder, options, remark);
    for (const note of made.notes) remark(`note: ${note}`);
    if (json) print(`${JSON.stringify(made)}\n`);
    else {
      const count = (number: number, what: string) => `${number} ${what}${number === 1 ? '' : 's'}`;
      print(`${folder}: ${made.service}, ${count(made.operations, 'operation')}, ${count(made.types, 'type')}, at ${made.paths.join(', ')}.
Next: cd ${folder} && npm install && npm start
`);
    }
    return 0;
  },
};
