import { after, before } from 'node:test';
import { createEndpoint, type EndpointOptions } from '../../src/asmx/endpoint.ts';
import { nodeListener } from '../../src/asmx/node/listener.ts';
import { takeOrdinaryRequests } from '../../src/asmx/node/ordinary/take-ordinary-requests.ts';
import { formatInstant } from '../../src/asmx/xsd.ts';
import { ERRORS } from '../../src/contract/errors.ts';
import { type OperationHandlers, WS01, type Ws01 } from '../../src/contract/service.ts';
import { createHttpServer } from '../../src/web/http-server.ts';

export const ECHO_NAMESPACE = 'http://tempuri.org/ws01';

/** The contract with handlers that answer what they were given, as JSON: what the wire understood. */
const ECHO = Object.fromEntries(
  WS01.operations.map((operation) => [
    operation.name,
    (params: Record<string, unknown>) => {
      const shown: Record<string, unknown> = { op: operation.name };
      for (const { name, type } of operation.parameters) shown[name] = show(type, params[name]);
      return operation.result === 'boolean' ? true : asciiJson(shown);
    },
  ]),
) as unknown as OperationHandlers<undefined>;

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
  return type === 'dateTime' ? formatInstant(value as number) : value;
}

export interface EchoService {
  readonly url: string;
  readonly port: number;
}

/** Serves the echo on a real listener until the test ends. */
export async function startEcho(
  test: { after(close: () => unknown): void },
  options: Partial<EndpointOptions<Ws01, undefined>> = {},
): Promise<EchoService> {
  const endpoint = createEndpoint<Ws01, undefined>({
    service: WS01,
    handlers: ECHO,
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
  return { url: `http://127.0.0.1:${port}`, port };
}

/** The echo for the suite in which it is called: served from before its first test until after its last. */
export function echoForSuite(options: Partial<EndpointOptions<Ws01, undefined>> = {}): EchoService {
  const echo = { url: '', port: 0 };
  const closers: (() => unknown)[] = [];
  before(async () => {
    Object.assign(echo, await startEcho({ after: (close) => closers.push(close) }, options));
  });
  after(() => Promise.all(closers.map((close) => close())));
  return echo;
}
