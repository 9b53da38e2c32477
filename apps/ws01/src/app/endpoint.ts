import {
  bodyBytesFor,
  createEndpoint,
  defineLimits,
  type Endpoint,
  type IncomingCall,
  type Limits,
} from '@ws01/asmx';
import { fastPath } from '@ws01/asmx/fast';
import type { ReceivedFile } from '../adapters/files/spool.ts';
import { ERRORS, Ws01Error } from '../contract/errors.ts';
import { GUARDED, type OperationHandlers } from '../contract/service.ts';
import type { CallContext } from '../domain/context.ts';
import { createImageUrls } from '../domain/images/image-urls.ts';
import type { TargetRules } from '../domain/links/target.ts';
import { createOperations } from '../domain/operations.ts';
import { createNetworkTrust, networkOf } from '../domain/values/internet-address.ts';
import { translateFailure } from '../failure/translate.ts';
import { onBehalfOf } from '../turns/caller.ts';
import { TAGS } from '../web/language.ts';
import { API_DOCS_PATH, CONSOLE_PATH } from '../web/own-paths.ts';
import { createRequestIds } from '../web/request-ids.ts';
import { onAnswered, type Refusals } from './answered.ts';
import { IN_RESTORE } from './closed-door.ts';
import { HELP_IN_CHINESE } from './help-zh.ts';
import type { ResourceDeps, Resources } from './resources.ts';
import { servedService } from './served-service.ts';

/**
 * Connects the contract, the operations and the engine.
 * @param isClosed whether the database is being exchanged: then each call is answered by `Busy`.
 */
export function createServiceEndpoint(
  deps: ResourceDeps,
  resources: Resources,
  isClosed: () => boolean,
): Endpoint {
  const { config, clock, addresses, traces } = deps;
  const { access, files } = resources;
  const [path, ...aliases] = config.servicePaths as readonly [`/${string}`, ...`/${string}`[]];
  const requestIds = createRequestIds(addresses.trustsProxy);
  const refusals: Refusals = new WeakMap();
  return createEndpoint(servedService(config), {
    handlers: createHandlers(deps, resources, refusals),
    namespace: config.soapNamespace,
    path,
    aliases,
    baseUrl: (request) => addresses.baseUrlFor({ reachedAt: addresses.reachedAt(request) }),
    pageLinks: {
      'HTTP API': API_DOCS_PATH,
      // One on a port of its own is for those who know it.
      ...(config.console && config.consolePort === undefined ? { Console: CONSOLE_PATH } : {}),
    },
    siteName: () => config.serviceName,
    pageLanguages: { [TAGS.zh]: HELP_IN_CHINESE },
    // A caller that is not let in gets the codes of semantics 4.
    errors: { ...ERRORS, Unauthorized: undefined },
    limits: limitsOf(config),
    createBinarySink: () => files.spool.receive(),
    timeZone: config.timeZone,
    now: clock,
    legacyCharset: config.legacyCharset,
    fastPath: config.fastPath ? fastPath : undefined,
    clientAddress: addresses.clientAddress,
    authorize: createAuthorize(deps, access, isClosed),
    // Calls that wait take turns by client network.
    interceptors: [({ caller }, _input, next) => onBehalfOf(networkOf(caller.address), next)],
    translateError: translateFailure,
    requestId: (request) => {
      traces.begin(request);
      return requestIds(request);
    },
    onAnswered: onAnswered(deps, { ...resources, refusals }),
  });
}

function limitsOf(config: ResourceDeps['config']): Limits {
  return defineLimits({
    bodyBytes: config.maxRequestBytes,
    binaryBytes: config.maxImageBytes,
    binaryBodyBytes: bodyBytesFor(config.maxImageBytes),
    // No operation takes a list or an object, so a message with many or deep elements cannot be a
    // valid call.
    depth: 16,
    elements: 10_000,
    totalAttributes: 20_000,
    ...(config.maxUnauthenticatedBytes === undefined
      ? {}
      : { totalUnauthenticatedBytes: config.maxUnauthenticatedBytes }),
    calls: config.maxCalls,
  });
}

/** Who calls, and from where. @throws {Ws01Error} for who is not let in. */
function createAuthorize(
  { config, addresses, traces }: ResourceDeps,
  access: Resources['access'],
  isClosed: () => boolean,
): (call: IncomingCall) => CallContext | Promise<CallContext> {
  const isTrustedCaller = createNetworkTrust(config.trustedCallers);
  return ({ operation, text, http, requestId, request }) => {
    if (isClosed()) throw new Ws01Error('Busy', IN_RESTORE);
    const { name, readOnly } = operation;
    const { address } = http;
    const isWrite = config.refuseEmbeddedWrites && !readOnly;
    if (isWrite && isEmbedded(request.headers['sec-fetch-dest'])) {
      throw new Ws01Error('Forbidden', `${name} writes, and is not done for a part of a web page.`);
    }
    const guarded = GUARDED.get(name)!;
    const credential = guarded.access && text(guarded.access.credential);
    const caller = access.authorize(guarded, credential, address);
    const call = {
      address,
      isTrusted: isTrustedCaller(address),
      requestId,
      reachedAt: addresses.reachedAt(request),
      traceparent: traces.traceparentOf(request),
    };
    return caller instanceof Promise
      ? caller.then((known): CallContext => ({ caller: known, ...call }))
      : { caller, ...call };
  };
}

/** What the revisions of an article, and of all articles of one owner, may take. */
export const revisionLimitsOf = (config: ResourceDeps['config']) => ({
  perArticle: config.revisionsKeptBytes,
  perOwner: config.revisionsKeptBytesPerUser,
});

/** Where short links may lead. */
export const targetRules = ({ addresses }: Pick<ResourceDeps, 'addresses'>): TargetRules => ({
  baseUrl: addresses.baseUrlFor,
  shortBaseUrl: addresses.shortBaseUrlFor,
});

function createHandlers(
  { config, store, clock, log, addresses }: ResourceDeps,
  resources: Resources,
  refusals: Refusals,
): OperationHandlers<CallContext, ReceivedFile> {
  const { budgets, files, decoders, codes, links, outgoing } = resources;
  const { baseUrlFor } = addresses;
  return createOperations({
    store,
    clock,
    budgets,
    revisionLimits: revisionLimitsOf(config),
    timeZone: config.timeZone,
    defaultCountry: config.defaultCountry,
    reviewsFrom: config.reviewsFrom,
    reviewScale: config.reviewScale,
    smsCountries: config.smsCountries,
    testCodes: config.smsTestCodes,
    imageUrls: createImageUrls(store, baseUrlFor),
    files,
    baseUrl: baseUrlFor,
    decoders,
    maxImagePixels: config.maxImagePixels,
    onRefused: (refusal, context) => {
      const { code, message: reason, cause: err } = refusal;
      refusals.set(context, refusal);
      log.info(
        { requestId: context.requestId, code, reason, err },
        'a file is no acceptable image',
      );
    },
    codes,
    mail: outgoing.mail,
    deliver: outgoing.deliver,
    onDelivery: () => outgoing.onQueued('sms'),
    links,
    targets: targetRules({ addresses }),
  });
}

/**
 * Destinations of requests for parts of a page (Fetch Metadata, `Sec-Fetch-Dest`). No user calls an
 * operation in this way, but a foreign page can make its visitors' browsers do it.
 */
const EMBEDDED: ReadonlySet<string> = new Set([
  'image',
  'script',
  'style',
  'font',
  'audio',
  'video',
  'track',
]);

/**
 * Whether a browser requests a part of a page.
 * @param fetchDestination the header `Sec-Fetch-Dest`; old browsers and other clients do not send
 *   it.
 */
function isEmbedded(fetchDestination: string | readonly string[] | undefined): boolean {
  return (
    typeof fetchDestination === 'string' && EMBEDDED.has(fetchDestination.trim().toLowerCase())
  );
}
