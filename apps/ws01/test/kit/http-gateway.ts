import { createServer, type IncomingHttpHeaders } from 'node:http';
import { text } from 'node:stream/consumers';
import type { TestContext } from 'node:test';
import { listen } from '../../../../packages/asmx/test/kit/listen.ts';

/** A call as the gateway received it. */
interface GatewayCall {
  readonly method: string | undefined;
  readonly path: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A real HTTP server that stands for an SMS gateway. */
export interface HttpGateway {
  readonly url: string;
  readonly calls: readonly GatewayCall[];
  /** What the next calls are answered; never, with `undefined`. */
  answer:
    | { readonly status: number; readonly headers?: Record<string, string>; readonly body: string }
    | undefined;
}

export async function startHttpGateway(test: TestContext): Promise<HttpGateway> {
  const calls: GatewayCall[] = [];
  const server = createServer(async (request, response) => {
    const { method, url: path, headers } = request;
    calls.push({ method, path, headers, body: await text(request) });
    const { answer } = gateway;
    if (answer !== undefined) response.writeHead(answer.status, answer.headers).end(answer.body);
  });
  const port = await listen(test, server);
  const gateway: HttpGateway = {
    url: `http://127.0.0.1:${port}`,
    calls,
    answer: { status: 200, body: '' },
  };
  return gateway;
}
