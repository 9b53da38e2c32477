import { after, before } from 'node:test';
import { createEndpoint } from '../../../../packages/asmx/src/engine/endpoint.ts';
import type { EndpointOptions } from '../../../../packages/asmx/src/engine/endpoint-options.ts';
import { fastPath } from '../../../../packages/asmx/src/fast/index.ts';
import { publicUrlOf } from '../../../../packages/asmx/src/message/path.ts';
import { acceptPromptly } from '../../../../packages/asmx/src/node/accept-promptly.ts';
import { inTurn } from '../../../../packages/asmx/src/node/in-turn.ts';
import { nodeListener } from '../../../../packages/asmx/src/node/listener.ts';
import { acceptRawTarget } from '../../../../packages/asmx/src/node/raw-targets.ts';
import { answerBeforeBody, dropRest } from '../../../../packages/asmx/src/node/unread-request.ts';
import { bePatient } from '../../../../packages/asmx/test/kit/steered-time.ts';
import { attachFastPath } from '../../../../packages/fast-http/src/index.ts';
import { ERRORS } from '../../src/contract/errors.ts';
import { WS01, type Ws01Operations } from '../../src/contract/service.ts';
import { HttpServer } from '../../src/web/http-server.ts';
import type { Certificate } from '../../src/web/listening.ts';
import { echoHandlers } from './echo-handlers.ts';

export { showInstant } from './echo-handlers.ts';

export const ECHO_NAMESPACE = 'http://tempuri.org/ws01';

/** What the echo answers of a call of DeleImgById that gives nothing. */
export const NOTHING_GIVEN = {
  op: 'DeleImgById',
  verifyCode: null,
  FileGuid: null,
  Link_Guid: null,
  ip: null,
};

/** As for the service: `FAST_PATH=off` has every test of the wire go the general path. */
const FAST = process.env.FAST_PATH !== 'off';

export interface EchoService {
  readonly url: string;
  readonly port: number;
  /** What boolean operations were called with, as the others answer it; oldest first. */
  readonly understood: string[];
}

interface Test {
  after(close: () => unknown): void;
}

type Options = EndpointOptions<Ws01Operations, undefined>;

/** What an endpoint is made with beside the defaults; handlers that are missing echo. */
export type EchoOptions = Partial<Omit<Options, 'handlers'>> & {
  readonly handlers?: Partial<Options['handlers']>;
};

/**
 * Serves the echo on a real listener until the test ends. Its limits by the clock are ten times as long, unless the test
 * steers the time: on a busy machine the connection of a refused client could close while it still sends.
 * @param tls what it has for HTTPS.
 */
export async function startEcho(
  test: Test,
  options: EchoOptions = {},
  tls?: Certificate,
): Promise<EchoService> {
  bePatient(test);
  return serve(test, options, tls);
}

async function serve(test: Test, options: EchoOptions, tls?: Certificate): Promise<EchoService> {
  const understood: string[] = [];
  const endpoint = createEndpoint(WS01, {
    namespace: ECHO_NAMESPACE,
    path: '/WS01.asmx',
    baseUrl: (request) => publicUrlOf(request, () => false) ?? 'http://localhost:8080',
    errors: ERRORS,
    authorize: () => undefined,
    fastPath: FAST ? fastPath : undefined,
    ...options,
    handlers: { ...echoHandlers((call) => understood.push(call)), ...options.handlers },
  });
  const server = new HttpServer({
    first: nodeListener(endpoint),
    rest: (_req, res) => res.writeHead(404, { 'Content-Length': 0 }).end(),
    inTurn,
    requestId: () => crypto.randomUUID(),
    acceptRawTarget,
    answerBeforeBody,
    dropRest,
    tls,
    takeConnections(server) {
      acceptPromptly(server, endpoint);
      return FAST ? attachFastPath(server, endpoint) : undefined;
    },
  });
  const { port = 0 } = await server.listen({ host: '127.0.0.1', port: 0 });
  test.after(() => server.stop(0));
  return { url: `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}`, port, understood };
}

/**
 * The echo for the suite in which it is called: served from before its first test until after its last. A test whose
 * client goes on after a refusal calls {@link bePatient}.
 */
export function echoForSuite(options: EchoOptions = {}): EchoService {
  const echo: EchoService = { url: '', port: 0, understood: [] };
  const closers: (() => unknown)[] = [];
  before(async () => {
    Object.assign(echo, await serve({ after: (close) => closers.push(close) }, options));
  });
  after(() => Promise.all(closers.map((close) => close())));
  return echo;
}
