import { createServer } from 'node:http';
import type { ErrorTable } from '../../../../../packages/asmx/src/contract/errors.ts';
import type { Service } from '../../../../../packages/asmx/src/contract/service.ts';
import { createEndpoint } from '../../../../../packages/asmx/src/engine/endpoint.ts';
import { nodeListener } from '../../../../../packages/asmx/src/node/listener.ts';
import { originOf } from '../../../../../packages/asmx/test/kit/listen.ts';
import { ERRORS } from '../../../src/contract/errors.ts';
import { WS01 } from '../../../src/contract/service.ts';

export interface EchoOptions {
  readonly service?: Service;
  readonly namespace?: string;
  readonly baseUrl?: string;
  readonly path?: `/${string}`;
  readonly errors?: ErrorTable;
}

/** A service on a real listener. */
export interface EchoListener {
  /** Where it listens: `http://127.0.0.1:{port}`. */
  readonly origin: string;
  /** The endpoint: {@link origin} and its path. */
  readonly url: string;
  /** Stops listening and ends what is open. */
  close(): void;
}

/**
 * Serves a contract whose every operation answers its own parameters as JSON (or `true`), and beside it the OpenAPI
 * document. The caller closes it.
 */
export async function listenAndEcho(options: EchoOptions = {}): Promise<EchoListener> {
  const { service = WS01, namespace = 'urn:ws01', path = '/WS01.asmx', errors = ERRORS } = options;
  let origin = '';
  const endpoint = createEndpoint(service, {
    handlers: echoHandlers(service),
    namespace,
    path,
    errors,
    authorize: () => undefined,
    baseUrl: () => options.baseUrl ?? origin,
  });
  const listener = nodeListener(endpoint);
  const server = createServer((request, response) => {
    if (request.url === '/openapi.json') {
      const { status, headers, body } = endpoint.openApi({
        headers: request.headers,
        remoteAddress: '',
      });
      response.writeHead(status, headers).end(body);
    } else if (!listener(request, response)) {
      response.writeHead(404).end();
    }
  });
  let close = () => {};
  const closing = { after: (end: () => void) => (close = end) };
  origin = await originOf(closing, server);
  return { origin, url: origin + path, close };
}

function echoHandlers(service: Service): Record<string, never> {
  const handlers = service.operations.map(({ name, result }) => [
    name,
    (parameters: Readonly<Record<string, unknown>>) =>
      result === 'boolean' ? true : JSON.stringify(parameters),
  ]);
  // Of a service that is not known in advance the types know no operation.
  return Object.fromEntries(handlers) as Record<string, never>;
}
