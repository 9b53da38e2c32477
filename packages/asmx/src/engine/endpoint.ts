import { BINDINGS, FALLBACK_BINDING } from '../bindings/index.ts';
import { type CreateBinarySink, memorySink } from '../contract/binary.ts';
import {
  type CompiledOperation,
  type CompiledService,
  checkDefinition,
  compileActions,
  compileOperation,
} from '../contract/compiled.ts';
import type { Handlers, OperationName, Service } from '../contract/service.ts';
import { createDescriptions, type Descriptions } from '../describe/descriptions.ts';
import { deferToEndOfTurn } from '../fast/defer-to-end-of-turn.ts';
import { ExchangeSink } from '../message/files/exchange-sink.ts';
import { header, parseContentType, parseTarget, type WireRequest, type WireResponse } from '../message/http.ts';
import type { Reached } from '../message/public-url.ts';
import { type ErrorTable, PROTOCOL_ERRORS, ProtocolError, ServiceError } from './errors.ts';
import type { Binding, Exchange } from './exchange.ts';
import { type Arrival, Arrivals } from './intake/arrivals.ts';
import { Intake, type Judge } from './intake/intake.ts';
import { DEFAULT_LIMITS, type Limits } from './limits.ts';
import { typedParameters } from './parameters.ts';
import { answerWithoutCall } from './without-call.ts';

/** What is known of a call when its credential is judged. */
export interface Call {
  readonly requestId: string;
  /** The client's address, trusted proxies taken into account. */
  readonly address: string;
  readonly protocol: Exchange['protocol'];
  readonly request: WireRequest;
}

/** What the access log is told of an answered request. */
export interface Answered {
  readonly exchange: Exchange;
  readonly response: WireResponse;
  /** From the request's arrival to the answer; ms. */
  readonly durationMs: number;
  /** The error that was answered, with its cause; `undefined` when it went well. */
  readonly error: ServiceError | undefined;
}

export interface EndpointOptions<S extends Service, Context, Binary = Uint8Array> {
  readonly service: S;
  readonly handlers: Handlers<S, Context, Binary>;
  /** `{soap_namespace}`: the target namespace of the WSDL and of every element. */
  readonly namespace: string;
  /** Where the service is, as it stands in the path; compared without regard to case, as IIS does. */
  readonly path: `/${string}`;
  /**
   * Called when an operation and its values are read and before they are converted: may look at text parameters (a
   * credential) and refuse by throwing. What it returns is the handlers' `context`.
   */
  readonly authorize: (
    operation: S['operations'][number],
    text: (parameter: string) => string | undefined,
    call: Call,
  ) => Context | Promise<Context>;
  /**
   * The name of the string parameter that `authorize` looks at, `undefined` for an operation without. It is judged as
   * soon as it is read, before a long body is: so `authorize` must look at no other.
   */
  readonly credential?: (operation: S['operations'][number]) => string | undefined;
  /**
   * The public URL of the server without a trailing slash: what the WSDL's addresses begin with. Asked for each
   * description; may depend on the request, see `publicUrlOf`.
   */
  readonly baseUrl: (request: Reached) => string;
  /** The codes the handlers throw, beside the protocol's own. */
  readonly errors?: ErrorTable;
  readonly limits?: Limits;
  /** IANA time zone of dateTime values that have none; UTC by default. */
  readonly timeZone?: string;
  /** ms since 1970; the system's clock by default. */
  readonly now?: () => number;
  /** Where files go while they arrive; into memory by default. */
  readonly createBinarySink?: CreateBinarySink<Binary>;
  /** The client's address from the peer's and from X-Forwarded-For; the peer's by default. */
  readonly clientAddress?: (remoteAddress: string, forwardedFor: string | undefined) => string;
  /** Gives an error of the handlers' own world its code; `undefined` for a defect, which is answered as `Internal`. */
  readonly translateError?: (error: unknown) => ServiceError | undefined;
  /** Told of every answered request; must not throw. */
  readonly onAnswered?: (answered: Answered) => void;
}

/** A service as a function from request to response: no socket is needed to call it. */
export interface Endpoint {
  /** Never throws: what goes wrong is an answer. `undefined` when the path is not the service's. */
  request(request: WireRequest): Promise<WireResponse> | undefined;
  /**
   * For who reads requests itself: a body begins to arrive, and counts as held until the arrival ends.
   * @param stop answers the request with the error, and reads no further.
   */
  arriving(stop: (error: ServiceError) => void): Arrival;
  /** The OpenAPI document; the server decides where it is served. */
  openApi(request: Reached): WireResponse;
}

/**
 * Makes a contract and its handlers one endpoint that speaks every binding.
 * @throws {TypeError} for a contract, namespace or path that cannot be served.
 */
export function createEndpoint<S extends Service, Context, Binary = Uint8Array>(
  options: EndpointOptions<S, Context, Binary>,
): Endpoint {
  checkDefinition(options.service, options.namespace, options.path);
  const service = compileService(options);
  const path = options.path.toLowerCase();
  const descriptions = descriptionsByUrl((baseUrl) => {
    const { namespace } = options;
    return createDescriptions(options.service, service.errors, { namespace, path: options.path, baseUrl });
  });
  const clientAddress = options.clientAddress ?? ((remote: string) => remote);
  const authorize = options.authorize as (
    operation: CompiledOperation['operation'],
    text: (parameter: string) => string | undefined,
    call: Call,
  ) => unknown;

  /** The whole life of a call: read, authorize, convert, invoke, write. Only what really waits is awaited. */
  const call = async (exchange: Exchange, binding: Binding): Promise<WireResponse> => {
    await new Promise<void>(deferToEndOfTurn);
    const { operation, values } = await binding.read(exchange);
    exchange.operation = operation;
    const judging = exchange.intake.judge(operation, values);
    const context = judging instanceof Promise ? await judging : judging;
    exchange.intake.arrival?.judged();
    const form = exchange.protocol === 'soap11' || exchange.protocol === 'soap12' ? 'element' : 'text';
    const result = await operation.invoke(typedParameters(service, operation, values, form), context);
    return binding.writeResult(exchange, operation, result);
  };

  /** Every request is answered here, and every error turned into its answer. */
  const serve = async (request: WireRequest, pathInfo: string, query: string): Promise<WireResponse> => {
    const started = performance.now();
    const judge: Judge = ({ operation, indexByName }, textAt) =>
      authorize(operation, (parameter) => textAt(indexByName.get(parameter) ?? -1), exchange);
    const intake = new Intake(service.limits, judge);
    const exchange = openExchange(service, request, pathInfo, query, intake);
    const binding = BINDINGS.find((candidate) => candidate.match(exchange));
    let response: WireResponse;
    let failure: ServiceError | undefined;
    try {
      exchange.address = clientAddress(request.remoteAddress, header(request, 'x-forwarded-for'));
      response =
        binding === undefined
          ? answerWithoutCall(exchange, descriptions(options.baseUrl(request)))
          : await call(exchange, binding);
    } catch (error) {
      failure = asServiceError(error, service.errors, options.translateError);
      response = (binding ?? FALLBACK_BINDING).writeError(exchange, failure);
    }
    intake.arrival?.end();
    if (exchange.held.length > 0) await releaseAll(exchange);
    const durationMs = performance.now() - started;
    guarded(() => options.onAnswered?.({ exchange, response, durationMs, error: failure }));
    return response;
  };

  return {
    arriving: (stop) => service.arrivals.begin(stop),
    openApi: (request) =>
      descriptions(options.baseUrl(request)).openApi({ ifNoneMatch: header(request, 'if-none-match') }),
    request(request) {
      const target = parseTarget(request.target);
      const head = target.path.slice(0, path.length).toLowerCase();
      const pathInfo = target.path.slice(path.length);
      if (head !== path || (pathInfo !== '' && !pathInfo.startsWith('/'))) return undefined;
      return serve(request, pathInfo, target.query);
    },
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

function openExchange(
  service: CompiledService,
  request: WireRequest,
  pathInfo: string,
  query: string,
  intake: Intake,
): Exchange {
  const exchange: Exchange = {
    request,
    service,
    requestId: crypto.randomUUID(),
    address: request.remoteAddress,
    contentType: parseContentType(header(request, 'content-type')),
    pathInfo,
    query,
    protocol: 'none',
    operation: undefined,
    held: [],
    intake,
    createSink: () => new ExchangeSink(exchange),
  };
  return exchange;
}

function compileService<S extends Service, Context, Binary>(
  options: EndpointOptions<S, Context, Binary>,
): CompiledService {
  const limits = options.limits ?? DEFAULT_LIMITS;
  const operations = new Map<string, CompiledOperation>();
  for (const operation of options.service.operations) {
    const handler = options.handlers[operation.name as OperationName<S>];
    operations.set(
      operation.name,
      compileOperation(
        operation,
        handler as unknown as CompiledOperation['invoke'],
        options.credential?.(operation as S['operations'][number]),
      ),
    );
  }
  return {
    name: options.service.name,
    namespace: options.namespace,
    operations,
    byAction: compileActions(options.namespace, operations.values()),
    errors: { ...PROTOCOL_ERRORS, ...options.errors },
    limits,
    arrivals: new Arrivals(limits),
    timeZone: options.timeZone ?? 'UTC',
    now: options.now ?? Date.now,
    createBinarySink: options.createBinarySink ?? memorySink,
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
