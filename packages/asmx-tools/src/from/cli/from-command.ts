import { isIP } from 'node:net';
import { shellWord } from '@ws01/asmx/internal/describe/samples/curl';
import { makeProject } from '../from.ts';
import { type Command, UsageError } from './command.ts';
import { LIMIT_HELP, LOAD_OPTIONS, loadOptionsOf } from './load-options.ts';
import {
  networksOf,
  SECRET_HELP,
  SECRET_OPTIONS,
  SECRETS_HELP,
  secretsOf,
  texts,
  upstreamUrl,
} from './record-command.ts';

export const fromCommand: Command = {
  name: 'from',
  parameters: ['<wsdl>', '<folder>'],
  summary:
    'Generate a project that serves an old WSDL: typed contract, a stub per operation, tests, README.',
  options: {
    service: { type: 'string', multiple: true },
    proxy: { type: 'string' },
    strict: { type: 'boolean' },
    'serve-original': { type: 'boolean' },
    ...SECRET_OPTIONS,
    ...LOAD_OPTIONS,
    json: { type: 'boolean' },
  },
  help: `
<wsdl> is a file, or an http or https URL, in which user and password may stand; <folder> is new or empty. Start the project with npm install && npm start; it listens on 127.0.0.1 at PORT, at the path of the old address.

  --service <name>  only this service, if the WSDL has several; repeatable
  --proxy <url>     the old service: operations that have no code yet are forwarded to it unchanged, and recorded,
                    without credentials, as test cases for asmx replay; without a path, the paths are those of the WSDL.
                    ${SECRETS_HELP}
  ${SECRET_HELP.replace('<name>    ', '<name>   ')}.
                    The contract marks parameters and members as secret, which keeps them out of logs and URLs
  --strict          refuse a WSDL of which an operation cannot be served. By default it is left out, by name with the
                    reason, and the served WSDL says so
  --serve-original  serve the old WSDL and its schemas word for word, but for the locations in them, in place of a
                    generated WSDL
  --network <cidr>  a private network that the old service may be in, such as 10.0.0.0/8; other private ones are refused.
                    Also one that documents may be in which a WSDL at a URL imports; its own server may be in any
  ${LIMIT_HELP}
  --json            print one JSON object

Exit codes: 0 done; 1 the folder cannot be written; 2 the WSDL cannot be read or served: one line names file, component and reason, and nothing is written.

Examples:
  asmx from old.wsdl my-service
  asmx from "http://old.example.com/Weather.asmx?WSDL" weather --proxy http://old.example.com/Weather.asmx`,
  async run(
    [source = '', folder = ''],
    { service, proxy, strict, 'serve-original': serveOriginal, json, ...more },
    { print, remark },
  ) {
    const load = loadOptionsOf(more);
    const secrets = secretsOf(more);
    const old = proxy === undefined ? undefined : upstreamUrl(proxy, '--proxy');
    const networks = networksOf(more.network);
    const host = old?.hostname.replace(/^\[|\]$/g, '') ?? '';
    const address = host === 'localhost' ? '127.0.0.1' : host;
    if (isIP(address) !== 0 && !networks.permits(address)) {
      throw new UsageError(
        `--proxy: ${host} is in a private network; add --network ${address}/${isIP(address) === 4 ? 32 : 128}`,
      );
    }
    const made = await makeProject(
      source,
      folder,
      {
        ...(service === undefined ? {} : { services: texts(service) }),
        ...(old === undefined
          ? {}
          : { proxy: { url: old.href, networks: texts(more.network), secrets } }),
        secrets,
        load,
        strict: strict === true,
        serveOriginal: serveOriginal === true,
      },
      remark,
    );
    for (const note of made.notes) remark(`note: ${note}`);
    if (json) print(`${JSON.stringify(made)}\n`);
    else {
      const count = (number: number, what: string) => `${number} ${what}${number === 1 ? '' : 's'}`;
      const lines = made.services.map(
        ({ service: name, operations, types, paths }) =>
          `${name}, ${count(operations, 'operation')}, ${count(types, 'type')}, at ${paths.join(', ')}.`,
      );
      const [only, more] = lines;
      print(`${folder}: ${more === undefined ? only : [`${count(lines.length, 'service')}:`, ...lines].join('\n  ')}
Next: cd ${shellWord(folder)} && npm install && npm start
`);
    }
    return 0;
  },
};
