import { getRequestListener } from '@hono/node-server';
import type { Logger } from 'pino';
import { createEndpoint } from './asmx/endpoint.ts';
import { defineLimits } from './asmx/limits.ts';
import { nodeListener } from './asmx/node.ts';
import type { Config } from './config.ts';
import { ERRORS } from './contract/errors.ts';
import { WS01, type Ws01 } from './contract/service.ts';
import type { CallContext } from './domain/context.ts';
import { createAccess } from './domain/credentials/access.ts';
import { ensureBootstrapToken, ensureFirstToken } from './domain/credentials/first-tokens.ts';
import { createOperations, translateStoreError } from './domain/operations.ts';
import { createClientAddress } from './domain/values/internet-address.ts';
import { openStore } from './store/open.ts';
import { accessLog } from './web/access-log.ts';
import { createHttpServer } from './web/http-server.ts';
import { createWeb } from './web/web.ts';

/** Where the service is served below the base URL (contract section 1). */
export const SERVICE_PATH = '/WS01.asmx';

/** A running service. */
export interface App {
  /** The public base URL without a trailing slash. */
  readonly url: string;
  /** Where it listens. */
  readonly host: string;
  readonly port: number;
  /** The credential made on the very first start; shown once. */
  readonly firstToken: string | undefined;
  /** Stops accepting, finishes what is in flight within {@link STOP_MS}, closes the database. Harmless when repeated. */
  stop(): Promise<void>;
}

/** How long calls in flight may take to finish when the service stops; ms. */
export const STOP_MS = 10_000;

/**
 * Starts the service: database first, listener last, so that it opens only when calls can be served.
 * @throws {StoreError} when the database cannot be opened; an `Error` with a code when the address cannot be bound.
 */
export async function startApp(config: Config, log: Logger): Promise<App> {
  const clock = Date.now;
  const store = await openStore({ databaseUrl: config.databaseUrl, dataDir: config.dataDir });
  try {
    const firstToken =
      config.bootstrapToken === undefined
        ? await ensureFirstToken(store, clock)
        : void (await ensureBootstrapToken(store, config.bootstrapToken, clock));
    const access = createAccess({ store, clock });
    const logAccess = accessLog(log);
    let baseUrl = config.baseUrl;

    const endpoint = createEndpoint<Ws01, CallContext>({
      service: WS01,
      handlers: createOperations({ store, clock }),
      namespace: config.soapNamespace,
      path: SERVICE_PATH,
      baseUrl: () => baseUrl!,
      errors: ERRORS,
      limits: defineLimits({ bodyBytes: config.maxRequestBytes, binaryBytes: config.maxImageBytes }),
      timeZone: config.timeZone,
      now: clock,
      clientAddress: createClientAddress(config.trustedProxies),
      authorize: async (operation, text, { address, requestId }): Promise<CallContext> => {
        const credential = operation.access === undefined ? undefined : text(operation.access.credential);
        return { caller: await access.authorize(operation, credential, address), address, requestId };
      },
      translateError: translateStoreError,
      onAnswered: ({ exchange, response, durationMs, error }) =>
        logAccess({
          requestId: exchange.requestId,
          operation: exchange.operation?.name,
          binding: exchange.protocol,
          method: exchange.request.method,
          status: response.status,
          durationMs,
          address: exchange.address,
          error: error?.code,
          cause: error?.cause,
        }),
    });

    const web = createWeb({
      servicePath: SERVICE_PATH,
      check: () => store.check(),
      openApi: (ifNoneMatch) => endpoint.openApi(ifNoneMatch),
    });
    const server = createHttpServer(nodeListener(endpoint), getRequestListener(web.fetch));
    const port = await server.listen(config.host, config.port);
    baseUrl ??= `http://localhost:${port}`;
    log.info({ host: config.host, port, engine: store.engine }, 'listening');

    const stop = async () => {
      const finished = await server.stop(STOP_MS);
      if (!finished) log.warn({ bound: STOP_MS }, 'calls were cut off');
      await access.close();
      await store.close();
      log.info('stopped');
    };
    let stopping: Promise<void> | undefined;
    return {
      url: baseUrl,
      host: config.host,
      port,
      firstToken: firstToken ?? undefined,
      stop: () => {
        stopping ??= stop();
        return stopping;
      },
    };
  } catch (error) {
    await store.close();
    throw error;
  }
}
