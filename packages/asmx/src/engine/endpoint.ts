import { BINDINGS, FALLBACK_BINDING } from '../bindings/index.ts';
import type { ErrorTable, ServiceError } from '../contract/errors.ts';
import type { Service } from '../contract/service.ts';
import type { InputOf, TypedService } from '../contract/typed-service.ts';
import { createDescriptions, type Descriptions } from '../describe/descriptions.ts';
import { descriptionsByUrl } from '../describe/descriptions-by-url.ts';
import type { DocumentAccess } from '../describe/openapi/document.ts';
import { Originals } from '../describe/original.ts';
import type { PageLanguages } from '../describe/page-language.ts';
import type { ServiceAddress } from '../describe/service-address.ts';
import type { Binding } from '../exchange/binding.ts';
import { FailedCall, NO_CALL, type PartialCall } from '../exchange/call.ts';
import type {
  CheckedHandlers,
  CompleteNames,
  GivenHandlers,
  NotYetGiven,
  Takes,
} from '../exchange/checked-handlers.ts';
import { type CompiledService, checkDefinition } from '../exchange/compiled.ts';
import type { Exchange } from '../exchange/exchange.ts';
import type { HeadersIn, HeadersOut, IncomingHeaders } from '../exchange/handler-call.ts';
import { guarded } from '../exchange/held.ts';
import { asServiceError, withReply } from '../exchange/result.ts';
import { header, parseTarget, type WireRequest, type WireResponse } from '../message/http.ts';
import { AddressQuery, asSent, pathInfoOf, publicUrlOf, type Reached } from '../message/path.ts';
import { unknownMembers } from '../values/unknown-members.ts';
import { checkOptions } from './check-options.ts';
import { checkShape } from './check-shape.ts';
import { compileService, type ServedContract } from './compile-service.ts';
import { convertValues } from './convert.ts';
import type {
  Answered,
  Authorization,
  Endpoint,
  EndpointOptions,
  EndpointSettings,
  Phases,
} from './endpoint-options.ts';
import { OpenCall } from './open-call.ts';
import { exchangesOf } from './open-exchange.ts';
import { answerWithoutCall, asksForScript } from './without-call.ts';

/** A request's answer, with the data for the log. */
type AnsweredCall = Pick<
  Answered,
  'call' | 'response' | 'error' | 'caller' | 'phases' | 'unknownMembers'
>;

/**
 * Creates an endpoint that serves a contract with its handlers in every binding.
 *
 * The life of a request is: match → read → authorize → convert → invoke → write
 * (`docs/architecture.md` has a picture). Each step gets the result of the previous one, and does
 * not change it. An error in any step goes to `writeError` of the same binding, with the part of
 * the call that was understood.
 *
 * @throws {TypeError} for a contract, namespace or path that cannot be served.
 */
export function createEndpoint<
  Operations,
  Caller = undefined,
  File = Uint8Array,
  Given extends GivenHandlers<keyof Operations, Given> = NotYetGiven,
>(
  service: TypedService<Operations>,
  options: EndpointSettings<Caller, File> &
    Authorization<IncomingHeaders<Operations>, Caller> & {
      /** A function for each operation, or an object of a class that has them. */
      readonly handlers: CheckedHandlers<Operations, Given> & {
        // Written here, because the compiler shows a type with a name and all that it is made of.
        readonly [Name in CompleteNames<Operations, Given>]?: Takes<
          InputOf<Operations[Name], File>,
          Caller,
          HeadersIn<Operations[Name]>,
          HeadersOut<Operations[Name]>
        >;
      } & Given;
    },
): Endpoint;
export function createEndpoint<Operations, Caller, File>(
  service: TypedService<Operations>,
  options: EndpointOptions<Operations, Caller, File>,
): Endpoint {
  checkShape(service);
  checkOptions(options);
  const contract = servedContract(service, options);
  const paths = [options.path, ...(options.aliases ?? [])];
  const places = paths.map(placeOf);
  for (const { path } of places) checkDefinition(service, contract.namespace, path);
  const compiled = compileService(contract, options);
  const {
    baseUrl: said = (request: Reached) => publicUrlOf(request, () => false) ?? 'http://localhost',
  } = options;
  const baseUrl = (request: Reached) => withoutSlash(said(request));
  const access = { challenge: options.challenge, isOpen: options.authorize === undefined };
  const originals = new Originals(options.documents);
  const served = places.map((place) =>
    servedPath(
      { ...place, links: options.pageLinks, siteName: options.siteName },
      contract,
      compiled.errors,
      access,
      originals,
      options.pageLanguages,
    ),
  );
  const bindings = BINDINGS.filter(({ names }) =>
    names.some((name) => compiled.bindings.has(name)),
  );
  const { translateError, onAnswered = defectLog() } = options;
  const serving: Serving = { service: compiled, served, bindings, baseUrl, translateError };
  const openExchange = exchangesOf(compiled, options);

  const serve = async (
    request: WireRequest,
    pathInfo: string,
    query: string,
  ): Promise<WireResponse> => {
    const started = performance.now();
    const exchange = openExchange(request, pathInfo, query);
    const {
      call,
      caller,
      phases,
      error,
      unknownMembers: unknown,
      response: bare,
    } = await answerTo(exchange, started, serving);
    const response = withNotes(bare, call, exchange.requestId);
    exchange.intake.arrival?.end();
    if (!exchange.held.isEmpty) await exchange.held.release();
    const durationMs = performance.now() - started;
    const known = caller as Caller | undefined;
    guarded(() =>
      onAnswered({
        ...{ exchange, caller: known, phases, call, response, durationMs, error },
        unknownMembers: unknown,
      }),
    );
    return response;
  };

  return {
    paths,
    arriving: (stop) => compiled.arrivals.begin(stop),
    connected: () => compiled.admission.connected(),
    openApi: ({ headers = {}, remoteAddress = '', encrypted = false, mountPath = '' } = {}) => {
      const request = { headers, remoteAddress, encrypted, mountPath };
      const descriptions = served[0]!.descriptions(baseUrl(request));
      return descriptions.openApi({ ifNoneMatch: header(request, 'if-none-match') });
    },
    request(request) {
      const found = placeAt(request, served);
      return found && serve(request, found.pathInfo, found.query);
    },
  };
}

/** `new URL(…).href` of a server ends with one. */
function withoutSlash(url: string): string {
  return url.endsWith('/') ? url.slice(0, -1) : url;
}

/** What the steps of a request need of an endpoint. */
interface Serving {
  readonly service: CompiledService;
  readonly served: readonly ServedPath[];
  readonly bindings: readonly Binding[];
  readonly baseUrl: (request: WireRequest) => string;
  readonly translateError: ((error: unknown) => ServiceError | undefined) | undefined;
}

/** A path that the service is served at. */
interface ServedPath {
  /** In lower case. */
  readonly path: string;
  /** What of its query tells it from other services at the path. */
  readonly query: AddressQuery | undefined;
  readonly descriptions: (baseUrl: string) => Descriptions;
}

/** A path with the query that belongs to it, if it has one. */
function placeOf(path: string): { readonly path: string; readonly query: string | undefined } {
  const mark = path.indexOf('?');
  return mark < 0
    ? { path: asSent(path), query: undefined }
    : { path: asSent(path.slice(0, mark)), query: asSent(path.slice(mark + 1)) };
}

/** Where a request is: what follows the path, and the query without what belongs to the address. */
function placeAt(request: WireRequest, served: readonly ServedPath[]) {
  const target = parseTarget(request.target);
  for (const one of served) {
    const pathInfo = pathInfoOf(target.path, one.path);
    const query = one.query === undefined ? target.query : one.query.restOf(target.query);
    if (pathInfo !== undefined && query !== undefined) return { one, pathInfo, query };
  }
  return undefined;
}

function servedPath(
  place: Pick<ServiceAddress, 'path' | 'query' | 'links' | 'siteName'>,
  { service, namespace }: ServedContract,
  errors: ErrorTable,
  access: DocumentAccess,
  originals: Originals,
  languages: PageLanguages | undefined,
): ServedPath {
  const { path, query } = place;
  return {
    path: path.toLowerCase(),
    query: query === undefined ? undefined : new AddressQuery(query),
    descriptions: descriptionsByUrl((baseUrl) =>
      createDescriptions(
        service,
        errors,
        { ...place, namespace, baseUrl },
        access,
        originals,
        languages,
      ),
    ),
  };
}

/** @throws {TypeError} for a contract without a namespace. */
function servedContract(
  service: Service,
  {
    namespace = service.namespace,
    bindings,
  }: Pick<EndpointOptions<unknown, unknown>, 'namespace' | 'bindings'>,
): ServedContract {
  if (namespace === undefined)
    throw new TypeError('namespace: the contract has none; say it here.');
  return { namespace, service: bindings === undefined ? service : { ...service, bindings } };
}

/**
 * What writes to the console what failed, by request id and operation: where nobody looks at the
 * answers, that must show all the same. What a handler always does is said once.
 */
export function defectLog(): (answered: Answered) => void {
  const told = new Set<string>();
  return ({ exchange, call, error, unknownMembers: unknown }) => {
    const operation = call.operation?.name ?? 'no operation';
    if (error?.code === 'Internal')
      console.error(`${exchange.requestId}: ${operation} failed.`, error.cause ?? error);
    for (const warning of call.ignored?.warnings ?? [])
      console.warn(`${exchange.requestId}: ${operation}: ${warning}`);
    for (const path of unknown()) {
      const line = `${operation}: the handler returned ${path}, which the contract has not: clients do not get it.`;
      if (told.has(line)) continue;
      told.add(line);
      console.error(`${exchange.requestId}: ${line}`);
    }
  };
}

/** Answers a call, a description, or the error of either. */
async function answerTo(
  exchange: Exchange,
  started: number,
  serving: Serving,
): Promise<AnsweredCall> {
  const { service } = serving;
  const binding = asksForScript(exchange)
    ? undefined
    : serving.bindings.find(({ match }) => match(exchange));
  let understood: PartialCall = NO_CALL;
  let carriedOut: (() => void) | undefined;
  let caller: unknown;
  const clock = new PhaseClock(started);
  try {
    if (binding === undefined) return describe(exchange, serving);
    const turn = service.admission.enter(exchange.address);
    if (turn !== undefined) await turn;
    clock.next();
    if (exchange.fastPath !== undefined) await new Promise<void>(exchange.fastPath.defer);
    const reading = binding.read(exchange);
    const call = reading instanceof Promise ? await reading : reading;
    understood = call;
    clock.next();
    carriedOut = service.admission.carryOut(exchange.address);
    const authorizing = exchange.intake.authorize(call);
    caller = authorizing instanceof Promise ? await authorizing : authorizing;
    clock.next();
    const input = convertValues(call, service.strict);
    const { request, requestId, address } = exchange;
    const open = new OpenCall({ call, request, requestId, address, caller });
    const result = await call.operation.invoke(input, open);
    clock.next();
    const reply = open.said();
    const response = withReply(binding.writeResult(exchange, call, result, reply), reply);
    clock.next();
    const { message } = call.operation;
    return {
      ...{ call, caller, phases: clock.phases(), error: undefined, response },
      unknownMembers: () => unknownMembers(message, result),
    };
  } catch (thrown) {
    // An error of its own would cost as much as the whole answer: it keeps where it was made.
    const { call, cause: found } =
      thrown instanceof FailedCall ? thrown : { call: understood, cause: thrown };
    // What was in progress when the request was stopped has failed for that reason.
    const cause = exchange.intake.arrival?.stopped ?? found;
    const error = asServiceError(cause, service.errors, serving.translateError);
    clock.next();
    const response = (binding ?? FALLBACK_BINDING).writeError(exchange, call, error);
    return { call, caller, phases: clock.phases(), error, response, unknownMembers: none };
  } finally {
    carriedOut?.();
  }
}

function describe(exchange: Exchange, { served, baseUrl }: Serving): AnsweredCall {
  return {
    ...answerWithoutCall(exchange, () => {
      const { descriptions } = placeAt(exchange.request, served)!.one;
      return descriptions(baseUrl(exchange.request));
    }),
    ...{ error: undefined, caller: undefined, phases: NO_PHASES, unknownMembers: none },
  };
}

/** Adds to an answer the request id, and what the client is to know of how its request was read. */
function withNotes(
  response: WireResponse,
  { warnings, ignored }: PartialCall,
  requestId: string,
): WireResponse {
  const headers: Record<string, string> = { ...response.headers, 'X-Request-Id': requestId };
  if (warnings !== undefined || ignored !== undefined) {
    const notes = [...(warnings ?? []), ...(ignored?.warnings ?? [])];
    if (notes.length > 0) headers['X-Warning'] = notes.join(' ');
  }
  return { ...response, headers };
}

const none = () => [];
const NO_PHASES: Phases = { waitMs: 0, readMs: 0, authorizeMs: 0, invokeMs: 0, writeMs: 0 };

/** Tells how long each phase of a call takes; they follow one another. */
class PhaseClock {
  /** When the call began, and when each phase that is over ended. */
  readonly #at: number[];

  /** @param started on the clock of `performance.now`. */
  constructor(started: number) {
    this.#at = [started];
  }

  /** The phase in progress has ended, or failed; the next one begins, if there is one. */
  next(): void {
    this.#at.push(performance.now());
  }

  phases(): Phases {
    return {
      waitMs: this.#lengthOf(0),
      readMs: this.#lengthOf(1),
      authorizeMs: this.#lengthOf(2),
      invokeMs: this.#lengthOf(3),
      writeMs: this.#lengthOf(4),
    };
  }

  #lengthOf(phase: number): number {
    return phase + 1 < this.#at.length ? this.#at[phase + 1]! - this.#at[phase]! : 0;
  }
}
