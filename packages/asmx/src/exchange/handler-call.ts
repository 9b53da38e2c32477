import type { Operation } from '../contract/service.ts';
import type { InputOf } from '../contract/typed-service.ts';
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
export interface IncomingCall {
  readonly operation: Operation;
  readonly protocol: string;
  readonly requestId: string;
  readonly http: CallRequest;
  /** The request as the endpoint got it. */
  readonly request: WireRequest;
  /** SOAP headers that the service reads, by name; none of them before the whole request is read. */
  readonly headers: Readonly<Record<string, unknown>>;
  /** The text of a string parameter. */
  readonly text: (parameter: string) => string | undefined;
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

type Result<T> = T extends { readonly result: infer R } ? R : unknown;
type HeadersIn<T> = T extends { readonly headersIn: infer H } ? H : object;
type HeadersOut<T> = T extends { readonly headersOut: infer H } ? H : object;

/** Every operation's implementation. A missing operation, a misspelt parameter or a wrong result does not compile. */
export type ServiceHandlers<Operations, Caller, File = Uint8Array> = {
  readonly [Name in keyof Operations]: (
    input: InputOf<Operations[Name], File>,
    call: HandlerCall<Caller, HeadersIn<Operations[Name]>, HeadersOut<Operations[Name]>>,
  ) => Result<Operations[Name]> | Promise<Result<Operations[Name]>>;
};

/** Stands around every handler: looks at the call before, at the result after; may answer itself, or throw. */
export type Interceptor<Caller> = (
  call: HandlerCall<Caller>,
  input: Readonly<Record<string, unknown>>,
  next: () => Promise<unknown>,
) => unknown;

/** A handler with the interceptors around it. @param input checked: every parameter is what its type asks for. */
export type Invoke = (input: Readonly<Record<string, unknown>>, call: HandlerCall) => unknown;
