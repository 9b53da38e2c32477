import { makeProject } from '../from.ts';
import type { Command } from './command.ts';
import { networksOf, texts, upstreamUrl } from './record-command.ts';

export const fromCommand: Command = {
  name: 'from',
  parameters: ['<wsdl>', '<folder>'],
  summary: 'Writes a project that serves an old WSDL: typed contract, a stub for each operation, tests, README.',
  options: {
    service: { type: 'string' },
    proxy: { type: 'string' },
    network: { type: 'string', multiple: true },
    json: { type: 'boolean' },
  },
  help: `
<wsdl> is a file, or an http or https URL; <folder> is new or empty. The project starts by
npm install && npm start, on 127.0.0.1 at PORT, at the path of the old address.

  --service <name>  which one, where the WSDL holds several
  --proxy <url>     the old service: operations that are not written yet are passed on to it byte for byte, and recorded,
                    without credentials, as test cases for asmx replay
  --network <cidr>  a private network that the old service may be in, such as 10.0.0.0/8; others are refused
  --json            print one JSON object

Exit codes: 0 written; 1 the folder cannot be written; 2 the WSDL cannot be read or served, in one line with file,
component and reason: then nothing is written.

Examples:
  asmx from old.wsdl my-service
  asmx from "http://old.example.com/Weather.asmx?WSDL" weather --proxy http://old.example.com/Weather.asmx`,
  async run([source = '', folder = ''], { service, proxy, network, json }, { print, remark }) {
    const old = proxy === undefined ? undefined : upstreamUrl(proxy, '--proxy');
    networksOf(network);
    const options = {
      ...(typeof service === 'string' ? { service } : {}),
      ...(old === undefined ? {} : { proxy: { url: old.href, networks: texts(network) } }),
    };
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
