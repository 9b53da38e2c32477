import { bodyBytesFor, createEndpoint, defineLimits, publicUrlOf, type Reached } from '@ws01/asmx';
import { inTurn, nodeListener } from '@ws01/asmx/node';
import { attachFastPath } from '@ws01/asmx/node/fast';
import type { Logger } from 'pino';
import { openFiles } from '../adapters/files/open.ts';
import type { ReceivedFile } from '../adapters/files/spool.ts';
import { DecoderPool } from '../adapters/images/decoders.ts';
import { alone, type Peers } from '../cluster/peers.ts';
import { type Config, publicAddresses } from '../config/config.ts';
import { ERRORS } from '../contract/errors.ts';
import { WS01, type Ws01 } from '../contract/service.ts';
import { createBudgets } from '../domain/budgets/budgets.ts';
import { NO_BOUNDS } from '../domain/budgets/rates.ts';
import type { CallContext } from '../domain/context.ts';
import { createAccess } from '../domain/credentials/access.ts';
import { ensureBootstrapToken, ensureFirstToken } from '../domain/credentials/first-tokens.ts';
import { createImageUrls } from '../domain/images/image-urls.ts';
import { createMedia } from '../domain/images/serving/media.ts';
import { Links } from '../domain/links/links.ts';
import { shortPaths } from '../domain/links/target.ts';
import { Visits } from '../domain/links/visits.ts';
import { createOperations, translateStoreError } from '../domain/operations.ts';
import { createCodeKeys } from '../domain/phone/code-keys.ts';
import { PhoneCodes } from '../domain/phone/codes.ts';
import { createClientAddress, createProxyTrust } from '../domain/values/internet-address.ts';
import { openStore } from '../store/open.ts';
import type { Store } from '../store/store.ts';
import { accessLog } from '../web/access-log.ts';
import { createHttpServer, type HttpServer } from '../web/http-server.ts';
import { createWeb } from '../web/web.ts';
import { Duties } from './duties.ts';
import { tryLibraries } from './library-trial.ts';
import { createOutgoing } from './outgoing.ts';
import type { PeerMessage } from './peer-messages.ts';
import { type App, SERVICE_PATH, STOP_MS } from './running.ts';

/** How often visits of short links are written; ms. */
const VISITS_EVERY_MS = 2_000;

/** How often nodes tell each other what addresses have used up of their budgets; ms. */
const BUDGETS_EVERY_MS = 1_000;

/**
 * Starts the service: database first, listener last, so that it opens only when calls can be served.
 * @param peers the other processes that serve on the same port; what needs doing once is done by one of them.
 * @throws {StoreError} when the database cannot be opened; an `Error` with a code when the address cannot be bound.
 */
export async function startApp(config: Config, log: Logger, peers: Peers<PeerMessage> = alone()): Promise<App> {
  const clock = Date.now;
  const store = await openStore({
    databaseUrl: config.databaseUrl,
    dataDir: config.dataDir,
    poolSize: config.databasePoolSize,
    onWaiting: (reason) => log.warn(`${reason} Trying again.`),
  });
  try {
    if (config.bootstrapToken !== undefined) await ensureBootstrapToken(store, config.bootstrapToken, clock);
    const access = createAccess({
      store,
      clock,
      limitFailures: config.rateLimits,
      onUnusable: (network) => peers.tell({ about: 'unusableCredential', network }),
    });
    peers.hear((news) => {
      if (news.about === 'unusableCredential') access.hearUnusable(news.network);
    });
    const logAccess = accessLog(log);
    let { port } = config;
    const baseUrl = () => publicAddresses(config, port).baseUrl;
    const trustsProxy = createProxyTrust(config.trustedProxies);
    // Where BASE_URL is set, nobody needs to know how the client came.
    const reachedAt = (request: Reached) =>
      config.baseUrl === undefined ? publicUrlOf(request, trustsProxy) : undefined;
    const addressesFor: (call: Pick<CallContext, 'reachedAt'>) => ReturnType<typeof publicAddresses> = (call) =>
      publicAddresses(config, port, call.reachedAt);
    const answerUrls = {
      baseUrl: (call: Pick<CallContext, 'reachedAt'>) => addressesFor(call).baseUrl,
      shortBaseUrl: (call: Pick<CallContext, 'reachedAt'>) => addressesFor(call).shortBaseUrl,
    };
    const budgets = createBudgets({
      rates: config.rateLimits ? config : NO_BOUNDS,
      store,
      clock,
      shareEvery: store.engine === 'postgres' || config.workers > 1 ? BUDGETS_EVERY_MS : undefined,
    });
    const files = await openFiles(config.files, config.dataDir);
    const decoders = new DecoderPool({
      processes: config.imageDecoders,
      waiting: config.imageQueue,
      memory: config.imageMemoryBytes,
      cpu: config.imageCpuMs,
    });
    const links = new Links({ store, clock });
    const visits = new Visits({ store, clock, timeZone: config.timeZone, writeEvery: VISITS_EVERY_MS });

    const codeKeys = createCodeKeys(store, config.codeSecret);
    const outgoing = await createOutgoing({ config, store, clock, baseUrl, log, keys: codeKeys, peers });

    const endpoint = createEndpoint<Ws01, CallContext, ReceivedFile>({
      service: WS01,
      handlers: createOperations({
        store,
        clock,
        budgets,
        timeZone: config.timeZone,
        defaultCountry: config.defaultCountry,
        imageUrls: createImageUrls(store, answerUrls.baseUrl),
        files,
        baseUrl: answerUrls.baseUrl,
        decoders,
        maxImagePixels: config.maxImagePixels,
        onRefused: ({ code, message, cause }, { requestId }) =>
          log.info({ requestId, code, reason: message, err: cause }, 'a file is no acceptable image'),
        codes: new PhoneCodes(store, codeKeys),
        ...outgoing,
        links,
        targets: { ...answerUrls, allowPrivate: config.shortPrivateTargets },
      }),
      namespace: config.soapNamespace,
      path: SERVICE_PATH,
      baseUrl: (request) => answerUrls.baseUrl({ reachedAt: reachedAt(request) }),
      errors: ERRORS,
      limits: defineLimits({
        bodyBytes: config.maxRequestBytes,
        binaryBytes: config.maxImageBytes,
        binaryBodyBytes: bodyBytesFor(config.maxImageBytes),
      }),
      createBinarySink: () => files.spool.receive(config.maxImageBytes),
      timeZone: config.timeZone,
      now: clock,
      clientAddress: createClientAddress(config.trustedProxies),
      authorize: (operation, text, { address, requestId, request }): CallContext | Promise<CallContext> => {
        const credential = operation.access === undefined ? undefined : text(operation.access.credential);
        const caller = access.authorize(operation, credential, address);
        const call = { address, requestId, reachedAt: reachedAt(request) };
        return caller instanceof Promise ? caller.then((known) => ({ caller: known, ...call })) : { caller, ...call };
      },
      credential: ({ access }) => access?.credential,
      translateError: translateStoreError,
      onAnswered: ({ exchange, call, response, durationMs, error }) =>
        logAccess({
          requestId: exchange.requestId,
          operation: call.operation?.name,
          binding: call.protocol,
          method: exchange.request.method,
          status: response.status,
          durationMs,
          address: exchange.address,
          error: error?.code,
          cause: error?.cause,
        }),
    });

    const check = async () => {
      await store.check();
      await files.store.check();
      await tryLibraries();
    };
    const web = createWeb({
      servicePath: SERVICE_PATH,
      check,
      openApi: (request) => endpoint.openApi(request),
      media: createMedia({ store, files, decoders }),
      shortLinks: {
        clock,
        links,
        visits,
        shortBaseUrl: (request) => answerUrls.shortBaseUrl({ reachedAt: reachedAt(request) }),
        followsHost: config.baseUrl === undefined && config.shortBaseUrl === undefined,
      },
      shortLinkPaths: shortPaths(baseUrl(), publicAddresses(config, port).shortBaseUrl),
      log,
    });
    const server = createHttpServer({
      first: nodeListener(endpoint),
      rest: web,
      inTurn,
      takeConnections: (server) => attachFastPath(server, endpoint),
    });
    port = await server.listen(config.host, config.port);
    const firstToken = config.bootstrapToken === undefined ? await makeFirstToken(store, server) : undefined;
    log.info({ host: config.host, port, engine: store.engine }, 'listening');
    // Articles can be served without a place for images, so this is no reason not to start; but nobody may probe.
    check().catch((error) => log.warn({ err: error }, 'not ready: the database, the disk or a library cannot be used'));
    const duties = new Duties({ store, files, clock, log, outgoing });
    peers.onLead(() => duties.start());
    peers.tell({ about: 'joined' });

    const stop = async () => {
      const finished = await server.stop(STOP_MS);
      if (!finished) log.warn({ bound: STOP_MS }, 'calls were cut off');
      await duties.stop();
      for (const result of await Promise.allSettled([budgets.close(), visits.close()])) {
        if (result.status === 'rejected') log.error({ err: result.reason }, 'what was counted last is lost');
      }
      await access.close();
      decoders.close();
      files.store.close();
      await store.close();
      log.info('stopped');
    };
    let stopping: Promise<void> | undefined;
    return {
      url: baseUrl(),
      host: config.host,
      port,
      firstToken,
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

/**
 * Makes the token of a new installation, when everything else stands: it is shown once, and a start that fails after it
 * was made would take it along.
 */
async function makeFirstToken(store: Store, server: HttpServer): Promise<string | undefined> {
  try {
    return await ensureFirstToken(store, Date.now);
  } catch (error) {
    await server.stop(0);
    throw error;
  }
}
