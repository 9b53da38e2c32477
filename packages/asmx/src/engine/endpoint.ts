import { BINDINGS, FALLBACK_BINDING } from '../bindings/index.ts';
import { type CompiledOperation, type CompiledService, checkDefinition } from '../contract/compiled.ts';
import type { Service } from '../contract/service.ts';
import type { TypedService } from '../contract/typed-service.ts';
import { createDescriptions, type Descriptions } from '../describe/descriptions.ts';
import { ExchangeSink } from '../message/files/exchange-sink.ts';
import { header, parseContentType, parseTarget, type WireRequest, type WireResponse } from '../message/http.ts';
import { pathInfoOf } from '../message/path.ts';
import type { Binding } from './binding.ts';
import { type Call, FailedCall, NO_CALL } from './call.ts';
import { compileService } from './compile-service.ts';
import { convertValues } from './convert.ts';
import type { Answered, CallInfo, Endpoint, EndpointOptions } from './endpoint-options.ts';
import { type ErrorTable, ProtocolError, ServiceError } from './errors.ts';
import type { Exchange } from './exchange.ts';
import { Intake, type Judge } from './intake/intake.ts';
import { Reply } from './reply.ts';
import { checkedResult } from './result.ts';
import { endpointOptions, type ServiceOptions } from './service-options.ts';
import { answerWithoutCall, asksForScript } from './without-call.ts';

/** A request's answer, with what the log is told of it. */
type Answer = Pick<Answered, 'call' | 'response' | 'error'>;

/**
 * Makes a contract and its handlers one endpoint that speaks every binding.
 *
 * The life of a request, as it is told below: match → read → authorize → convert → invoke → write. Each step takes what
 * the one before returned, and changes nothing of it. An error leaves it at any step for `writeError` of the same
 * binding, with as much as was understood of the call (`docs/architecture.md` draws it).
 *
 * @throws {TypeError} for a contract, namespace or path that cannot be served.
 */
export function createEndpoint<S extends Service, Context, Binary = Uint8Array>(
  options: EndpointOptions<S, Context, Binary>,
): Endpoint;
/** The same of a contract whose handlers are typed by it. */
export function createEndpoint<Operations, Caller = undefined>(
  service: TypedService<Operations>,
  options: ServiceOptions<Operations, Caller>,
): Endpoint;
export function createEndpoint(
  first: EndpointOptions<Service, unknown> | TypedService<unknown>,
  second?: ServiceOptions<unknown, unknown>,
): Endpoint {
  return second === undefined
    ? openEndpoint(first as EndpointOptions<Service, unknown>)
    : openEndpoint(endpointOptions(first as TypedService<unknown>, second));
}

function openEndpoint<S extends Service, Context, Binary>(options: EndpointOptions<S, Context, Binary>): Endpoint {
  checkDefinition(options.service, options.namespace, options.path);
  const service = compileService(options);
  const path = options.path.toLowerCase();
  const descriptions = descriptionsByUrl((baseUrl) => {
    const { namespace } = options;
    return createDescriptions(options.service, service.errors, { namespace, path: options.path, baseUrl });
  });
  const openExchange = exchangesOf(service, options);

  const serve = async (request: WireRequest, pathInfo: string, query: string): Promise<WireResponse> => {
    const started = performance.now();
    const exchange = openExchange(request, pathInfo, query);
    const answer = withWarnings(await answerTo(exchange));
    exchange.intake.arrival?.end();
    if (exchange.held.length > 0) await releaseAll(exchange);
    const durationMs = performance.now() - started;
    guarded(() => options.onAnswered?.({ exchange, ...answer, durationMs }));
    return answer.response;
  };

  /** Finds the binding of a request, and answers it; an error too. */
  const answerTo = async (exchange: Exchange): Promise<Answer> => {
    const binding = asksForScript(exchange) ? undefined : BINDINGS.find(({ match }) => match(exchange));
    try {
      return binding === undefined ? describe(exchange) : await carryOut(exchange, binding);
    } catch (thrown) {
      const { call, cause } = thrown instanceof FailedCall ? thrown : new FailedCall(NO_CALL, thrown);
      const error = asServiceError(cause, service.errors, options.translateError);
      return { call, error, response: (binding ?? FALLBACK_BINDING).writeError(exchange, call, error) };
    }
  };

  /** Reads a call and carries it out. @throws {FailedCall} */
  const carryOut = async (exchange: Exchange, binding: Binding): Promise<Answer> => {
    if (exchange.fastPath !== undefined) await new Promise<void>(exchange.fastPath.defer);
    const call = await binding.read(exchange);
    try {
      const context = await authorize(exchange, call);
      const params = convertValues(service, call, binding.form);
      const returned = await call.operation.invoke(params, context);
      const reply = returned instanceof Reply ? returned : undefined;
      const result = checkedResult(call, reply === undefined ? returned : reply.result);
      const response = binding.writeResult(exchange, call, result, reply);
      return { call, error: undefined, response: reply === undefined ? response : reply.addTo(response) };
    } catch (error) {
      throw new FailedCall(call, error);
    }
  };

  const describe = (exchange: Exchange): Answer => ({
    ...answerWithoutCall(exchange, () => descriptions(options.baseUrl(exchange.request))),
    error: undefined,
  });

  return {
    arriving: (stop) => service.arrivals.begin(stop),
    openApi: (request) =>
      descriptions(options.baseUrl(request)).openApi({ ifNoneMatch: header(request, 'if-none-match') }),
    request(request) {
      const target = parseTarget(request.target);
      const pathInfo = pathInfoOf(target.path, path);
      return pathInfo === undefined ? undefined : serve(request, pathInfo, target.query);
    },
  };
}

function withWarnings(answer: Answer): Answer {
  const { warnings = [] } = answer.call;
  if (warnings.length === 0) return answer;
  const headers = { ...answer.response.headers, 'X-Warning': warnings.join(' ') };
  return { ...answer, response: { ...answer.response, headers } };
}

/** Turns the credential of a call into the context of its handler, unless that was done while it was read. */
async function authorize({ intake }: Exchange, call: Call): Promise<unknown> {
  const context = await intake.judge(call);
  intake.arrival?.judged();
  return context;
}

/** Makes the exchanges of an endpoint. */
function exchangesOf<S extends Service, Context, Binary>(
  service: CompiledService,
  options: EndpointOptions<S, Context, Binary>,
): (request: WireRequest, pathInfo: string, query: string) => Exchange {
  const clientAddress = options.clientAddress ?? ((remote: string) => remote);
  const authorize = options.authorize as (
    operation: CompiledOperation['operation'],
    text: (parameter: string) => string | undefined,
    info: CallInfo,
  ) => unknown;
  return (request, pathInfo, query) => {
    const requestId = crypto.randomUUID();
    const { remoteAddress } = request;
    const forwardedFor = header(request, 'x-forwarded-for');
    const client = attempt(() => clientAddress(remoteAddress, forwardedFor));
    const address = client.value ?? remoteAddress;
    const judge: Judge = (protocol, { operation, indexByName }, textAt, headers) => {
      // Whose address is not known is not let in: budgets are kept by it.
      if (client.failure !== undefined) throw client.failure.error;
      const info = { request, requestId, address, protocol, headers };
      return authorize(operation, (parameter) => textAt(indexByName.get(parameter) ?? -1), info);
    };
    const exchange: Exchange = {
      request,
      service,
      fastPath: options.fastPath,
      requestId,
      address,
      contentType: parseContentType(header(request, 'content-type')),
      pathInfo,
      query,
      held: [],
      intake: new Intake(service.limits, judge),
      createSink: () => new ExchangeSink(exchange),
    };
    return exchange;
  };
}

/** By how many addresses a service may be reached before the descriptions for the one asked for longest ago are forgotten. */
const MOST_URLS = 16;

/** Keeps what was made for each of the last few public URLs: a Host header can say any. */
function descriptionsByUrl(make: (baseUrl: string) => Descriptions): (baseUrl: string) => Descriptions {
  const made = new Map<string, Descriptions>();
  return (baseUrl) => {
    const known = made.get(baseUrl) ?? make(baseUrl);
    made.delete(baseUrl);
    made.set(baseUrl, known);
    if (made.size > MOST_URLS) made.delete(made.keys().next().value!);
    return known;
  };
}

/** What has no code of the service is a defect: the caller learns only the request id, the log everything. */
function asServiceError(
  error: unknown,
  errors: ErrorTable,
  translate: EndpointOptions<Service, unknown>['translateError'],
): ServiceError {
  const known = error instanceof ServiceError ? error : guarded(() => translate?.(error));
  if (known !== undefined && Object.hasOwn(errors, known.code)) return known;
  const message = 'The server failed; the request id finds the reason in its log.';
  return new ProtocolError('Internal', message, {}, { cause: error });
}

async function releaseAll({ held }: Exchange): Promise<void> {
  for (const opened of held) {
    try {
      await opened.release();
    } catch (error) {
      warn(error);
    }
  }
}

/** What a function returns, or throws. */
function attempt<T>(run: () => T): { readonly value?: T; readonly failure?: { readonly error: unknown } } {
  try {
    return { value: run() };
  } catch (error) {
    return { failure: { error } };
  }
}

/** Runs a function that was promised not to throw; if it does, the request is answered all the same. */
function guarded<T>(promised: () => T): T | undefined {
  try {
    return promised();
  } catch (error) {
    warn(error);
    return undefined;
  }
}

function warn(error: unknown): void {
  process.emitWarning(error instanceof Error ? error : new Error(String(error)));
}
