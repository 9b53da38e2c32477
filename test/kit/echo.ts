import { after, before } from 'node:test';
import { createEndpoint, type EndpointOptions } from '../../src/asmx/endpoint.ts';
import { nodeListener } from '../../src/asmx/node/listener.ts';
import { takeOrdinaryRequests } from '../../src/asmx/node/ordinary/take-ordinary-requests.ts';
import { formatInstant } from '../../src/asmx/xsd.ts';
import { ERRORS } from '../../src/contract/errors.ts';
import { type OperationHandlers, WS01, type Ws01 } from '../../src/contract/service.ts';
import { createHttpServer } from '../../src/web/http-server.ts';

export const ECHO_NAMESPACE = 'http://tempuri.org/ws01';

/** Results that a first parameter asks for; the recorded service had them too. */
const ASKED_FOR: Readonly<Record<string, string>> = {
  __xml: `<a b="c">&amp; ]]> 'q' \u00e9 \u4e2d \u{1f600}</a>`,
  __ws: ' lead\r\nsecond\tthird\n trail ',
  __ctl: 'x\u0001y',
  __empty: '',
};

/**
 * The contract with handlers that answer what they were given, as JSON: what the wire understood.
 * @param understood takes what a boolean operation was given, whose answer cannot show it.
 */
function echoHandlers(understood: (call: string) => void): OperationHandlers<undefined> {
  const handlers = WS01.operations.map((operation) => [
    operation.name,
    (params: Record<string, unknown>) => {
      const shown: Record<string, unknown> = { op: operation.name };
      for (const { name, type } of operation.parameters) shown[name] = show(type, params[name]);
      const first = String(params[operation.parameters[0]!.name]);
      if (first === '__throw') throw new Error('Boom <tag> & "quote"');
      if (operation.result !== 'boolean') return ASKED_FOR[first] ?? asciiJson(shown);
      understood(asciiJson(shown));
      return true;
    },
  ]);
  return Object.fromEntries(handlers) as OperationHandlers<undefined>;
}

/** As the recorded server wrote it: everything outside ASCII escaped. */
function asciiJson(value: unknown): string {
  return JSON.stringify(value)
    .replaceAll('\\n', '\\u000a')
    .replaceAll('\\r', '\\u000d')
    .replaceAll('\\t', '\\u0009')
    .replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

function show(type: string, value: unknown): unknown {
  if (value === undefined) return null;
  if (value instanceof Uint8Array) return { length: value.length, base64: Buffer.from(value).toString('base64') };
  return type === 'dateTime' ? showInstant(value as number) : value;
}

/** How the echo shows a date. */
export function showInstant(instant: number): string {
  return formatInstant(instant);
}

export interface EchoService {
  readonly url: string;
  readonly port: number;
  /** What boolean operations were called with, as the others answer it; oldest first. */
  readonly understood: string[];
}

/** Serves the echo on a real listener until the test ends. */
export async function startEcho(
  test: { after(close: () => unknown): void },
  options: Partial<EndpointOptions<Ws01, undefined>> = {},
): Promise<EchoService> {
  const understood: string[] = [];
  const endpoint = createEndpoint<Ws01, undefined>({
    service: WS01,
    handlers: echoHandlers((call) => understood.push(call)),
    namespace: ECHO_NAMESPACE,
    path: '/WS01.asmx',
    baseUrl: () => 'http://localhost:8080',
    errors: ERRORS,
    authorize: () => undefined,
    ...options,
  });
  const server = createHttpServer({
    first: nodeListener(endpoint),
    rest: (_req, res) => res.writeHead(404, { 'Content-Length': 0 }).end(),
    takeConnections: (server) => takeOrdinaryRequests(server, endpoint),
  });
  const port = await server.listen('127.0.0.1', 0);
  test.after(() => server.stop(0));
  return { url: `http://127.0.0.1:${port}`, port, understood };
}

/** The echo for the suite in which it is called: served from before its first test until after its last. */
export function echoForSuite(options: Partial<EndpointOptions<Ws01, undefined>> = {}): EchoService {
  const echo: EchoService = { url: '', port: 0, understood: [] };
  const closers: (() => unknown)[] = [];
  before(async () => {
    Object.assign(echo, await startEcho({ after: (close) => closers.push(close) }, options));
  });
  after(() => Promise.all(closers.map((close) => close())));
  return echo;
}
