import type { BindingName, Operation, Service } from '../contract/service.ts';
import type { TypedService } from '../contract/typed-service.ts';
import type { Handlers } from '../contract/values.ts';
import { header as headerOf, type WireRequest } from '../message/http.ts';
import { publicUrlOf } from '../message/public-url.ts';
import type { Answered, CallInfo, EndpointOptions } from './endpoint-options.ts';
import { ACCESS_ERRORS, type ErrorTable } from './errors.ts';
import { HttpHeaders, Reply } from './reply.ts';

/** The HTTP request of a call. */
export interface CallRequest {
  readonly method: string;
  /** The first value of a header; `undefined` when it is absent. */
  header(name: string): string | undefined;
  /** The value of a cookie. */
  cookie(name: string): string | undefined;
  /** The credentials of `Authorization: Basic`. */
  readonly basic: { readonly user: string; readonly password: string } | undefined;
  /** The token of `Authorization: Bearer`. */
  readonly bearer: string | undefined;
  /** The client's address, trusted proxies taken into account. */
  readonly address: string;
}

/** What is known of a call before it is let in. */
export interface IncomingCall {
  readonly operation: Operation;
  readonly protocol: string;
  readonly requestId: string;
  readonly http: CallRequest;
  /** SOAP headers that the service reads, by name. */
  readonly headers: Readonly<Record<string, unknown>>;
  /** The text of a string parameter. */
  text(parameter: string): string | undefined;
}

/** What a handler receives beside its parameters. */
export interface HandlerCall<Caller = unknown, HeadersIn = object, HeadersOut = object> {
  readonly operation: Operation;
  readonly protocol: string;
  readonly requestId: string;
  readonly http: CallRequest;
  /** Aborted when the client goes before it is answered: give it to `fetch`, to a database, to whatever takes long. */
  readonly signal: AbortSignal;
  /** What `authorize` returned. */
  readonly caller: Caller;
  /** SOAP headers of the request, by name; `undefined` for those that did not come. */
  readonly headers: HeadersIn;
  readonly reply: {
    /** SOAP headers of the answer: to be set. */
    readonly headers: { -readonly [K in keyof HeadersOut]?: HeadersOut[K] };
    /** Sets an HTTP header of the answer; of `Set-Cookie` each call adds one. */
    header(name: string, value: string): void;
  };
}

type Input<T> = T extends { readonly input: infer I } ? I : object;
type Result<T> = T extends { readonly result: infer R } ? R : unknown;
type HeadersIn<T> = T extends { readonly headersIn: infer H } ? H : object;
type HeadersOut<T> = T extends { readonly headersOut: infer H } ? H : object;

/** Every operation's implementation. A missing operation, a misspelt parameter or a wrong result does not compile. */
export type ServiceHandlers<Operations, Caller> = {
  readonly [Name in keyof Operations]: (
    input: Input<Operations[Name]>,
    call: HandlerCall<Caller, HeadersIn<Operations[Name]>, HeadersOut<Operations[Name]>>,
  ) => Result<Operations[Name]> | Promise<Result<Operations[Name]>>;
};

/** Stands around every handler: looks at the call before, at the result after; may answer itself, or throw. */
export type Interceptor<Caller> = (
  call: HandlerCall<Caller>,
  input: Readonly<Record<string, unknown>>,
  next: () => Promise<unknown>,
) => unknown;

type Kept =
  | 'understands'
  | 'addressing'
  | 'challenge'
  | 'path'
  | 'fastPath'
  | 'legacyCharset'
  | 'limits'
  | 'timeZone'
  | 'now'
  | 'clientAddress'
  | 'translateError'
  | 'onAnswered';

export interface ServiceOptions<Operations, Caller> extends Pick<EndpointOptions<Service, unknown>, Kept> {
  readonly handlers: ServiceHandlers<Operations, Caller>;
  /** The contract's when absent. */
  readonly namespace?: string;
  /** The public URL of the server; what the request came to when absent. */
  readonly baseUrl?: EndpointOptions<Service, unknown>['baseUrl'];
  /** Lets a call in, or refuses it by throwing. What it returns is the handlers' `caller`. */
  readonly authorize?: (call: IncomingCall) => Caller | Promise<Caller>;
  /** The outermost first. */
  readonly interceptors?: readonly Interceptor<Caller>[];
  /** The codes that handlers throw, beside the protocol's own, `Unauthorized` and `Forbidden`. */
  readonly errors?: ErrorTable;
  /** The ways to call the service that are on; those of the contract when absent. */
  readonly bindings?: readonly BindingName[];
}

/** What a contract with typed handlers says, in the terms of an endpoint. @throws {TypeError} */
export function endpointOptions<Operations, Caller>(
  service: TypedService<Operations>,
  options: ServiceOptions<Operations, Caller>,
): EndpointOptions<Service, HandlerCall> {
  const {
    handlers,
    namespace = service.namespace,
    authorize,
    interceptors = [],
    errors,
    bindings,
    baseUrl,
    ...kept
  } = options;
  if (namespace === undefined) throw new TypeError('namespace: the contract has none; say it here.');
  const known = new Set(service.operations.map(({ name }) => name));
  for (const name of Object.keys(handlers ?? {})) {
    if (!known.has(name)) throw new TypeError(`handlers.${name}: the contract has no such operation.`);
  }
  return {
    onAnswered: logDefects,
    ...kept,
    namespace,
    service: bindings === undefined ? service : { ...service, bindings },
    baseUrl: baseUrl ?? ((request) => publicUrlOf(request, () => false) ?? 'http://localhost'),
    errors: { ...ACCESS_ERRORS, ...errors },
    isOpen: authorize === undefined,
    authorize: (operation, text, info) => {
      const incoming = { ...incomingCall(operation, info), text };
      const caller = authorize?.(incoming);
      return caller instanceof Promise
        ? caller.then((known) => handlerCall(incoming, known, info.request.gone))
        : handlerCall(incoming, caller, info.request.gone);
    },
    handlers: Object.fromEntries(
      service.operations.map(({ name }) => [
        name,
        adapted(name, (handlers as Record<string, unknown>)?.[name], interceptors),
      ]),
    ) as unknown as Handlers<Service, HandlerCall>,
  };
}

/** Where nobody looks at the answers, what failed must show all the same. */
function logDefects({ exchange, error }: Answered): void {
  if (error?.code === 'Internal') console.error(`${exchange.requestId}: the call failed.`, error.cause ?? error);
}

type AnyHandler = (input: unknown, call: HandlerCall) => unknown;

function adapted(name: string, handler: unknown, interceptors: readonly Interceptor<never>[]) {
  // Every object has a function of some names.
  if (typeof handler !== 'function' || handler === Reflect.get(Object.prototype, name))
    throw new TypeError(`handlers.${name}: there must be a function.`);
  return async (input: unknown, call: HandlerCall): Promise<Reply> => {
    const run = async (at: number): Promise<unknown> => {
      const interceptor = interceptors[at] as Interceptor<unknown> | undefined;
      if (interceptor === undefined) return (handler as AnyHandler)(input, call);
      return interceptor(call, input as Readonly<Record<string, unknown>>, () => run(at + 1));
    };
    const result = await run(0);
    return new Reply(
      result,
      call.reply.headers as Record<string, unknown>,
      (call as { [SENT]?: HttpHeaders })[SENT] ?? new HttpHeaders(),
    );
  };
}

/** Of a client of whom nobody can tell whether it is still there. */
const NEVER = new AbortController().signal;

/** HTTP headers that a handler set. */
const SENT = Symbol('headers of the answer');

function incomingCall(
  operation: Operation,
  { request, requestId, address, protocol, headers }: CallInfo,
): Omit<IncomingCall, 'text'> {
  return { operation, protocol, requestId, headers: headers ?? {}, http: callRequest(request, address) };
}

function handlerCall(
  { operation, protocol, requestId, headers, http }: IncomingCall,
  caller: unknown,
  gone: (() => AbortSignal) | undefined,
): HandlerCall {
  const sent = new HttpHeaders();
  const header = (name: string, value: string) => sent.set(name, value);
  return {
    get signal() {
      return gone?.() ?? NEVER;
    },
    operation,
    protocol,
    requestId,
    headers,
    http,
    caller,
    reply: { headers: {}, header },
    [SENT]: sent,
  } as HandlerCall;
}

function callRequest(request: WireRequest, address: string): CallRequest {
  const scheme = (name: string): string | undefined => {
    const [given, value] = (headerOf(request, 'authorization') ?? '').split(/ +(.*)/);
    return given?.toLowerCase() === name ? value : undefined;
  };
  return {
    method: request.method,
    address,
    header: (name) => headerOf(request, name.toLowerCase()),
    cookie: (name) => cookieOf(headerOf(request, 'cookie') ?? '', name),
    get basic() {
      const decoded = Buffer.from(scheme('basic') ?? '', 'base64').toString('utf8');
      const colon = decoded.indexOf(':');
      return colon < 0 ? undefined : { user: decoded.slice(0, colon), password: decoded.slice(colon + 1) };
    },
    get bearer() {
      return scheme('bearer')?.trim();
    },
  };
}

function cookieOf(cookies: string, name: string): string | undefined {
  for (const pair of cookies.split(';')) {
    const equals = pair.indexOf('=');
    if (pair.slice(0, equals).trim() === name) return pair.slice(equals + 1).trim();
  }
  return undefined;
}
