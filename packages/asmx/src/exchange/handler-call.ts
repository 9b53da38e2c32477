import type { Operation } from '../contract/service.ts';
import type { InputOf, TypedService } from '../contract/typed-service.ts';
import type { WireRequest } from '../message/http.ts';

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
export interface IncomingCall<Headers = Readonly<Record<string, unknown>>> {
  readonly operation: Operation;
  readonly protocol: string;
  readonly requestId: string;
  readonly http: CallRequest;
  /** The request as the endpoint got it. */
  readonly request: WireRequest;
  /**
   * SOAP headers that the service reads, by name; none of them before the whole request is read.
   */
  readonly headers: Headers;
  /** The text of a string parameter. */
  readonly text: (parameter: string) => string | undefined;
}

/** What a handler receives beside its parameters. */
export interface HandlerCall<Caller = unknown, HeadersIn = object, HeadersOut = object> {
  readonly operation: Operation;
  readonly protocol: string;
  readonly requestId: string;
  readonly http: CallRequest;
  /**
   * Aborted when the client goes before it is answered: give it to `fetch`, to a database, to
   * whatever takes long.
   */
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

/** What the handler of an operation returns, by the types of the operation. */
export type ResultOf<T> = T extends { readonly result: infer R } ? R : unknown;
export type HeadersIn<T> = T extends { readonly headersIn: infer H } ? H : object;
export type HeadersOut<T> = T extends { readonly headersOut: infer H } ? H : object;

/**
 * The SOAP headers that the operations of a contract take, by name; each may be absent. Headers of
 * the option `understands` are there, too, without types. A conditional type, so that the compiler
 * shows them instead of the contract.
 */
export type IncomingHeaders<Operations> = [Operations] extends [infer All]
  ? {
      readonly [Header in HeaderNames<All>]?: {
        [Name in keyof All]: Header extends keyof HeadersIn<All[Name]>
          ? HeadersIn<All[Name]>[Header]
          : never;
      }[keyof All];
    } & OtherHeaders
  : never;
/** SOAP headers without types. An interface, because the compiler shows it by its name. */
interface OtherHeaders {
  readonly [name: string]: unknown;
}
type HeaderNames<Operations> = {
  [Name in keyof Operations]: keyof HeadersIn<Operations[Name]>;
}[keyof Operations];

/** The operations of a contract with their types, by name: of `typeof Weather`. */
export type OperationsOf<Service> =
  Service extends TypedService<infer Operations> ? Operations : never;

/** The parameters that the handler of an operation gets: `Input<typeof Weather, 'GetForecast'>`. */
export type Input<Service, Name extends keyof OperationsOf<Service>, File = Uint8Array> = InputOf<
  OperationsOf<Service>[Name],
  File
>;

/** What the handler of an operation returns: `Result<typeof Weather, 'GetForecast'>`. */
export type Result<Service, Name extends keyof OperationsOf<Service>> = ResultOf<
  OperationsOf<Service>[Name]
>;

/** A handler that returns `Return`, for an operation with the types `T`. */
export type Handler<T, Caller, File, Return> = (
  input: InputOf<T, File>,
  call: HandlerCall<Caller, HeadersIn<T>, HeadersOut<T>>,
) => Return;

/**
 * What a handler may return: `void` for `undefined`, so that no `return` differs from one that
 * returns `undefined`.
 */
export type Returned<R> = SomeReturn<R> | Promise<SomeReturn<R>>;
type SomeReturn<R> = undefined extends R ? Exclude<R, undefined> | NoReturn : R;
export type NoReturn = ReturnType<() => void>;

/**
 * Every operation's implementation. A missing operation, a misspelt parameter or a wrong result
 * does not compile. Of handlers that are declared by this type the compiler takes members that a
 * result has not (the log names them): write them in the options of `createEndpoint`, or say what
 * each returns by {@link Result}.
 */
export type ServiceHandlers<Operations, Caller, File = Uint8Array> = {
  readonly [Name in keyof Operations]: Handler<
    Operations[Name],
    Caller,
    File,
    Returned<ResultOf<Operations[Name]>>
  >;
};

/**
 * Stands around every handler: looks at the call before, at the result after; may answer itself, or
 * throw.
 */
export type Interceptor<Caller> = (
  call: HandlerCall<Caller>,
  input: Readonly<Record<string, unknown>>,
  next: () => Promise<unknown>,
) => unknown;

/**
 * A handler with the interceptors around it.
 * @param input checked: every parameter is what its type asks for.
 */
export type Invoke = (input: Readonly<Record<string, unknown>>, call: HandlerCall) => unknown;
