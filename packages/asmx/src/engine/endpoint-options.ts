import type { CreateBinarySink } from '../contract/binary.ts';
import type { Service } from '../contract/service.ts';
import type { Handlers } from '../contract/values.ts';
import type { WireRequest, WireResponse } from '../message/http.ts';
import type { Reached } from '../message/public-url.ts';
import type { HeaderContract } from '../values/header-contract.ts';
import type { PartialCall } from './call.ts';
import type { ErrorTable, ServiceError } from './errors.ts';
import type { Exchange } from './exchange.ts';
import type { FastPath } from './fast-path.ts';
import type { Arrival } from './intake/arrivals.ts';
import type { Limits } from './limits.ts';

/** What is known of a call when its credential is judged. */
export interface CallInfo {
  readonly requestId: string;
  /** The client's address, trusted proxies taken into account. */
  readonly address: string;
  readonly protocol: string;
  readonly request: WireRequest;
  /** The SOAP headers that the service reads, by property; absent before the whole request is read. */
  readonly headers?: Readonly<Record<string, unknown>> | undefined;
}

/** Where the time of a call went; ms each. What was not come to is 0. */
export interface Phases {
  /** Until its turn came, where many calls are in progress. */
  readonly waitMs: number;
  /** Until the whole request was there and read, the judging of its credential included where that came first. */
  readonly readMs: number;
  /** Judging the credential, where it was not yet. */
  readonly authorizeMs: number;
  /** The handler. */
  readonly invokeMs: number;
  /** Writing the answer's text. */
  readonly writeMs: number;
}

/** What the access log is told of an answered request. */
export interface Answered<Context = unknown> {
  readonly exchange: Exchange;
  /** What `authorize` returned; `undefined` when it was not come to or refused. */
  readonly context: Context | undefined;
  readonly phases: Phases;
  /** As much as was understood of the call. */
  readonly call: PartialCall;
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
  /** Where the service is, as it is in the path; compared without regard to case, as IIS does. */
  readonly path: `/${string}`;
  /** Other paths where it is, too; its pages and its WSDL name the one that a client came by. */
  readonly aliases?: readonly `/${string}`[];
  /**
   * Called when an operation and its values are read and before they are converted: may look at text parameters (a
   * credential) and refuse by throwing. What it returns is the handlers' `context`.
   */
  readonly authorize: (
    operation: S['operations'][number],
    text: (parameter: string) => string | undefined,
    call: CallInfo,
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
  /** SOAP headers that the service reads whatever the operation, and does not show in its WSDL. */
  readonly understands?: readonly HeaderContract[];
  /** The codes the handlers throw, beside the protocol's own. */
  readonly errors?: ErrorTable;
  /**
   * What `WWW-Authenticate` says with every answer of status 401, such as `Basic realm="weather"`. SOAP answers such errors with
   * 401, too, then, which clients wait for before they send their credentials (RFC 9110 11.6.1). Otherwise SOAP's is 500.
   */
  readonly challenge?: string;
  /**
   * Whether headers of WS-Addressing are read: a request that has them is answered with `RelatesTo`, `Action` and `MessageID`.
   * An answer that is to go elsewhere is refused. Off by default, as ASMX knows nothing of them.
   */
  readonly addressing?: boolean;
  readonly limits?: Limits;
  /** IANA time zone of dateTime values that have none; UTC by default. */
  readonly timeZone?: string;
  /** ms since 1970; the system's clock by default. */
  readonly now?: () => number;
  /**
   * The charset of old clients that send `text/xml` without one and bytes that are not UTF-8, such as `gb18030` or
   * `windows-1252`. By default each such byte becomes `?`, as in ASP.NET, and the answer says so with `X-Warning`.
   */
  readonly legacyCharset?: string | undefined;
  /** Where files go while they arrive; into memory by default. */
  readonly createBinarySink?: CreateBinarySink<Binary>;
  /** The client's address from the peer's and from X-Forwarded-For; the peer's by default. */
  readonly clientAddress?: (remoteAddress: string, forwardedFor: string | undefined) => string;
  /** Gives an error of the handlers' own world its code; `undefined` for a defect, which is answered as `Internal`. */
  readonly translateError?: (error: unknown) => ServiceError | undefined;
  /** The short cuts of the entry `./node/fast`; without them every call goes the general path, to the same answer. */
  readonly fastPath?: FastPath | undefined;
  /**
   * What finds a request in logs, asked for once when it arrives: visible ASCII without `&`, `<` and quotes. Each answer
   * has it as `X-Request-Id`. A random UUID by default.
   */
  readonly requestId?: (request: WireRequest) => string;
  /** Told of every answered request; must not throw. */
  readonly onAnswered?: (answered: Answered<Context>) => void;
}

/** A service as a function from request to response: no socket is needed to call it. */
export interface Endpoint {
  /** Never throws: what fails is an answer. `undefined` when the path is not the service's. */
  request(request: WireRequest): Promise<WireResponse> | undefined;
  /**
   * For who reads requests itself: a body begins to arrive, and counts as held until the arrival ends.
   * @param stop answers the request with the error, and reads no further.
   */
  arriving(stop: (error: ServiceError) => void): Arrival;
  /** For who accepts connections itself: one has come, and calls stand back for those that may wait behind it. */
  connected(): void;
  /** The OpenAPI document; the server decides where it is served. */
  openApi(request: Reached): WireResponse;
}
