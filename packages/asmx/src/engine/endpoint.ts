import { BINDINGS, FALLBACK_BINDING } from '../bindings/index.ts';
import { checkShape } from '../contract/check-shape.ts';
import { type CompiledService, checkDefinition } from '../contract/compiled.ts';
import type { Service } from '../contract/service.ts';
import type { TypedService } from '../contract/typed-service.ts';
import { createDescriptions, type Descriptions } from '../describe/descriptions.ts';
import { descriptionsByUrl } from '../describe/descriptions-by-url.ts';
import { header, parseTarget, type WireRequest, type WireResponse } from '../message/http.ts';
import { asSent, pathInfoOf } from '../message/path.ts';
import type { Binding } from './binding.ts';
import { FailedCall, NO_CALL, type PartialCall } from './call.ts';
import { compileService } from './compile-service.ts';
import { convertValues } from './convert.ts';
import type { Answered, Endpoint, EndpointOptions } from './endpoint-options.ts';
import type { ServiceError } from './errors.ts';
import type { Exchange } from './exchange.ts';
import { asServiceError, guarded } from './failures.ts';
import { exchangesOf } from './open-exchange.ts';
import { NO_PHASES, PhaseClock } from './phase-clock.ts';
import { Reply } from './reply.ts';
import { endpointOptions, type ServiceOptions } from './service-options.ts';
import { answerWithoutCall, asksForScript } from './without-call.ts';

/** A request's answer, with the data for the log. */
type AnsweredCall = Pick<Answered, 'call' | 'response' | 'error' | 'context' | 'phases'>;

/**
 * Creates an endpoint that serves a contract with its handlers in every binding.
 *
 * The life of a request is: match → read → authorize → convert → invoke → write (`docs/architecture.md` has a picture).
 * Each step gets the result of the previous one, and does not change it. An error in any step goes to `writeError` of
 * the same binding, with the part of the call that was understood.
 *
 * @throws {TypeError} for a contract, namespace or path that cannot be served.
 */
export function createEndpoint<S extends Service, Context, Binary = Uint8Array>(
  options: EndpointOptions<S, Context, Binary>,
): Endpoint;
/** The same for a contract that types its handlers. */
export function createEndpoint<Operations, Caller = undefined>(
  service: TypedService<Operations>,
  options: ServiceOptions<Operations, Caller>,
): Endpoint;
export function createEndpoint(
  first: EndpointOptions<Service, unknown> | TypedService<unknown>,
  second?: ServiceOptions<unknown, unknown>,
): Endpoint {
  checkShape(second === undefined ? (first as EndpointOptions<Service, unknown>).service : (first as Service));
  return second === undefined
    ? openEndpoint(first as EndpointOptions<Service, unknown>)
    : openEndpoint(endpointOptions(first as TypedService<unknown>, second));
}

function openEndpoint<S extends Service, Context, Binary>(options: EndpointOptions<S, Context, Binary>): Endpoint {
  const paths = [options.path, ...(options.aliases ?? [])].map(asSent);
  for (const path of paths) checkDefinition(options.service, options.namespace, path);
  const service = compileService(options);
  const served = paths.map((path) => servedPath(path, service, options));
  const bindings = BINDINGS.filter(({ names }) => names.some((name) => service.bindings.has(name)));
  const { baseUrl, translateError } = options;
  const serving: Serving = { service, served, bindings, baseUrl, translateError };
  const openExchange = exchangesOf(service, options);

  const serve = async (request: WireRequest, pathInfo: string, query: string): Promise<WireResponse> => {
    const started = performance.now();
    const exchange = openExchange(request, pathInfo, query);
    const { call, context, phases, error, response: bare } = await answerTo(exchange, started, serving);
    const response = withNotes(bare, call, exchange.requestId);
    exchange.intake.arrival?.end();
    if (!exchange.held.isEmpty) await exchange.held.release();
    const { onAnswered } = options;
    if (onAnswered !== undefined) {
      const durationMs = performance.now() - started;
      guarded(() => onAnswered({ exchange, context: context as Context, phases, call, response, durationMs, error }));
    }
    return response;
  };

  return {
    arriving: (stop) => service.arrivals.begin(stop),
    connected: () => service.admission.connected(),
    openApi: (request) =>
      served[0]!.descriptions(baseUrl(request)).openApi({ ifNoneMatch: header(request, 'if-none-match') }),
    request(request) {
      const target = parseTarget(request.target);
      for (const { path } of served) {
        const pathInfo = pathInfoOf(target.path, path);
        if (pathInfo !== undefined) return serve(request, pathInfo, target.query);
      }
      return undefined;
    },
  };
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
  readonly descriptions: (baseUrl: string) => Descriptions;
}

function servedPath<S extends Service, Context, Binary>(
  path: string,
  { errors }: CompiledService,
  options: EndpointOptions<S, Context, Binary>,
): ServedPath {
  const { service, namespace } = options;
  return {
    path: path.toLowerCase(),
    descriptions: descriptionsByUrl((baseUrl) =>
      createDescriptions(service, errors, { namespace, path, baseUrl }, options),
    ),
  };
}

/** Answers a call, a description, or the error of either. */
async function answerTo(exchange: Exchange, started: number, serving: Serving): Promise<AnsweredCall> {
  const { service } = serving;
  const binding = asksForScript(exchange) ? undefined : serving.bindings.find(({ match }) => match(exchange));
  let understood: PartialCall = NO_CALL;
  let carriedOut: (() => void) | undefined;
  let context: unknown;
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
    context = authorizing instanceof Promise ? await authorizing : authorizing;
    clock.next();
    const params = convertValues(call);
    const returned = await call.operation.invoke(params, context);
    clock.next();
    const reply = returned instanceof Reply ? returned : undefined;
    const result = reply === undefined ? returned : reply.result;
    const response = binding.writeResult(exchange, call, result, reply);
    clock.next();
    return {
      call,
      context,
      phases: clock.phases(),
      error: undefined,
      response: reply === undefined ? response : reply.addTo(response),
    };
  } catch (thrown) {
    // An error of its own would cost as much as the whole answer: it keeps where it was made.
    const { call, cause: found } = thrown instanceof FailedCall ? thrown : { call: understood, cause: thrown };
    // What was in progress when the request was stopped has failed for that reason.
    const cause = exchange.intake.arrival?.stopped ?? found;
    const error = asServiceError(cause, service.errors, serving.translateError);
    clock.next();
    const response = (binding ?? FALLBACK_BINDING).writeError(exchange, call, error);
    return { call, context, phases: clock.phases(), error, response };
  } finally {
    carriedOut?.();
  }
}

function describe(exchange: Exchange, { served, baseUrl }: Serving): AnsweredCall {
  return {
    ...answerWithoutCall(exchange, () => {
      const { path } = parseTarget(exchange.request.target);
      const { descriptions } = served.find((one) => pathInfoOf(path, one.path) !== undefined)!;
      return descriptions(baseUrl(exchange.request));
    }),
    ...{ error: undefined, context: undefined, phases: NO_PHASES },
  };
}

/** Adds to an answer the request id, and what the client is to know of how its request was read. */
function withNotes(response: WireResponse, { warnings, ignored }: PartialCall, requestId: string): WireResponse {
  const headers: Record<string, string> = { ...response.headers, 'X-Request-Id': requestId };
  const notes = [...(warnings ?? []), ...(ignored?.warnings ?? [])];
  if (notes.length > 0) headers['X-Warning'] = notes.join(' ');
  return { ...response, headers };
}
