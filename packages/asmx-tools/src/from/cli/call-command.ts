import { engineService } from '../emit/engine-service.ts';
import { soapClientOf } from '../soap-of-wsdl.ts';
import { readWsdl } from '../wsdl/read-wsdl.ts';
import { callArguments } from './call-arguments.ts';
import { type Command, type Terminal, UsageError } from './command.ts';
import { LIMIT_HELP, LOAD_OPTION_TEXTS, LOAD_OPTIONS, loadOptionsOf } from './load-options.ts';
import { texts, upstreamUrl } from './record-command.ts';

export const callCommand: Command = {
  name: 'call',
  parameters: ['<wsdl>', '<operation>', '[name=value]...'],
  summary: 'Call an operation of a SOAP service, and print its result as JSON.',
  options: {
    service: { type: 'string' },
    url: { type: 'string' },
    soap: { type: 'string' },
    basic: { type: 'string' },
    token: { type: 'string' },
    header: { type: 'string', multiple: true },
    mtom: { type: 'boolean' },
    timeout: { type: 'string' },
    all: { type: 'boolean' },
    ...LOAD_OPTIONS,
  },
  help: `
<wsdl> is a file, or an http or https URL; of one that ends in .asmx or .svc its WSDL is asked for.
Arguments: name=value; order.lines[0].id=7 for what lies inside others; tags=a tags=b for a list;
file=@path for bytes. SOAP headers likewise: AuthHeader.user=ann.

  --service <name>     the service, if the WSDL has several
  --url <url>          call it there, and not where the WSDL says
  --soap <1.1|1.2>     the version of SOAP; 1.1 if the service has it
  --basic <user>       Authorization: Basic; the password is in ASMX_PASSWORD
  --token <user>       a UsernameToken in the SOAP header; the password is in ASMX_PASSWORD
  --header <name: v>   a header of HTTP; repeatable
  --mtom               send files beside the message
  --timeout <seconds>  default 100
  --all                print SOAP headers, HTTP status and headers with the result
  --network <cidr>     ${LOAD_OPTION_TEXTS.network}
  ${LIMIT_HELP}

Exit codes: 0 done; 1 the server refused, or gave no answer; 2 the WSDL or an argument is wrong.

Examples:
  asmx call http://old.example.com/Shop.asmx GetOrder id=7
  asmx call old.wsdl Search query=chairs tags=red tags=blue --url http://127.0.0.1:8080/Shop.asmx`,
  async run(
    [source = '', operation = '', ...pairs],
    options,
    { print, remark, environment, stop },
  ) {
    const { service, url, soap, mtom, all } = options;
    if (soap !== undefined && soap !== '1.1' && soap !== '1.2')
      throw new UsageError('--soap must be 1.1 or 1.2');
    const chosen = typeof service === 'string' ? { service } : {};
    const load = { ...chosen, ...loadOptionsOf(options), lenient: true };
    const read = await readWsdl(wsdlOf(source), load);
    for (const note of read.notes) remark(`note: ${note}`);
    const given = callArguments(engineService(read.service), operation, pairs);
    const client = soapClientOf(read, {
      ...(url === undefined ? {} : { url: upstreamUrl(url, '--url') }),
      ...(soap === undefined ? {} : { soap }),
      ...credentialsOf(options, environment),
      headers: headersOf(options.header),
      mtom: mtom === true,
      timeoutMs: millisecondsOf(options.timeout),
      cookies: true,
    });
    const { input, soapHeaders: said } = given;
    const more = { signal: stop, soapHeaders: said };
    const answer = await client.$call(operation, input, more).catch((error) => {
      // What the contract asks for and was not given.
      if (error instanceof TypeError) throw new UsageError(error.message);
      throw error;
    });
    const { result = null, soapHeaders, status, headers } = answer;
    const shown = all === true ? { result, soapHeaders, status, headers: [...headers] } : result;
    print(`${JSON.stringify(shown, plain, 2)}\n`);
    return 0;
  },
};

/** Where a WSDL is, of a service that is named by its own address. */
function wsdlOf(source: string): string {
  return /^https?:[^?#]*\.(?:asmx|svc)$/i.test(source) ? `${source}?WSDL` : source;
}

/** @throws {UsageError} */
function credentialsOf(
  { basic, token }: Readonly<Record<string, unknown>>,
  { ASMX_PASSWORD: password }: Terminal['environment'],
) {
  if (basic === undefined && token === undefined) return {};
  if (password === undefined) throw new UsageError('The password must be in ASMX_PASSWORD');
  return {
    ...(typeof basic === 'string' ? { basic: { user: basic, password } } : {}),
    ...(typeof token === 'string' ? { usernameToken: { user: token, password } } : {}),
  };
}

/** @throws {UsageError} */
function headersOf(given: unknown): Readonly<Record<string, string>> {
  return Object.fromEntries(
    texts(given).map((text) => {
      const at = text.indexOf(':');
      const name = text.slice(0, Math.max(0, at)).trim();
      const value = text.slice(at + 1).trim();
      if (name === '' || value === '')
        throw new UsageError(`--header ${JSON.stringify(text)} is no "name: value"`);
      return [name, value];
    }),
  );
}

/** @throws {UsageError} */
function millisecondsOf(seconds: unknown = '100'): number {
  const ms = Number(seconds) * 1000;
  if (!(ms > 0 && ms < 2 ** 31)) throw new UsageError('--timeout must be a number of seconds');
  return ms;
}

/** What JSON has no form for: large numbers as digits, bytes as base64. */
export function plain(this: unknown, name: string, shown: unknown): unknown {
  const value = (this as Readonly<Record<string, unknown>>)[name];
  if (typeof value === 'bigint') return value.toString();
  if (typeof value === 'number' && !Number.isFinite(value)) return String(value);
  return value instanceof Uint8Array ? Buffer.from(value).toString('base64') : shown;
}
