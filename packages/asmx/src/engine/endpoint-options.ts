import type { CreateBinarySink } from '../contract/binary.ts';
import type { ErrorKind, ServiceError } from '../contract/errors.ts';
import type { Limits } from '../contract/limits.ts';
import type { BindingName, Operation } from '../contract/service.ts';
import type { OriginalDocument } from '../describe/original.ts';
import type { PageLanguages } from '../describe/page-language.ts';
import type { PartialCall } from '../exchange/call.ts';
import type { Exchange } from '../exchange/exchange.ts';
import type { FastPath } from '../exchange/fast-path.ts';
import type {
  IncomingCall,
  IncomingHeaders,
  Interceptor,
  ServiceHandlers,
} from '../exchange/handler-call.ts';
import type { Arrival } from '../exchange/intake/arrivals.ts';
import type { WireRequest, WireResponse } from '../message/http.ts';
import type { Reached } from '../message/path.ts';
import type { HeaderContract } from '../values/header-contract.ts';

/** What `authorize` says of nobody. */
type Nobody = false | null;

/** The duration of each phase of a call, in ms; 0 for phases that were not reached. */
export interface Phases {
  /** Time in the queue. */
  readonly waitMs: number;
  /**
   * Time for receiving and reading the request, with the check of the credential if that came
   * first.
   */
  readonly readMs: number;
  /** Checking the credential, unless that was done while reading. */
  readonly authorizeMs: number;
  /** The handler. */
  readonly invokeMs: number;
  /** Writing the answer's text. */
  readonly writeMs: number;
}

/** The data of an answered request for the access log. */
export interface Answered<Caller = unknown> {
  readonly exchange: Exchange;
  /** What `authorize` returned; `undefined` if it was not reached or refused the call. */
  readonly caller: Caller | undefined;
  readonly phases: Phases;
  /** As much as was understood of the call. */
  readonly call: PartialCall;
  readonly response: WireResponse;
  /** From the request's arrival to the answer; ms. */
  readonly durationMs: number;
  /** The error that was answered, with its cause; `undefined` on success. */
  readonly error: ServiceError | undefined;
  /**
   * Finds what the handler returned and its contract has no place for, by path; it does not reach
   * the client. Of a list its first item is looked at. Costs time with each call of it, none
   * without.
   */
  readonly unknownMembers: () => readonly string[];
}

/**
 * How a contract is served. `Caller` is what `authorize` returns, `File` what `createBinarySink`
 * makes of a file.
 */
export interface EndpointOptions<Operations, Caller, File = Uint8Array>
  extends EndpointSettings<Caller, File>,
    Authorization<IncomingHeaders<Operations>, Caller> {
  /** A function for each operation, or an object of a class that has them. */
  readonly handlers: ServiceHandlers<Operations, Caller, File>;
}

/** Who may call. */
export interface Authorization<Headers, Caller> {
  /**
   * Lets a call in, or refuses it: by throwing a `ServiceError`, or by `false` or `null`, which is
   * answered `Unauthorized`. Called when the parameters were read and before they are converted.
   * What else it returns, `undefined` too, is the handlers' `caller`. Everybody may call when there
   * is no `authorize`.
   */
  readonly authorize?: (
    call: IncomingCall<Headers>,
  ) => Caller | Nobody | PromiseLike<Caller | Nobody>;
}

/**
 * What has nothing to do with the operations' types: apart, so that messages of the compiler do not
 * show them.
 */
export interface EndpointSettings<Caller, File> {
  /**
   * The path of the service; case-insensitive, as in IIS. What no URL can hold is
   * percent-encoded: `/My Service.asmx` is at `/My%20Service.asmx`. A query belongs to the
   * address, whatever its order: `/soap/index.php?service=Bar` is only requests with
   * `service=Bar`.
   */
  readonly path: `/${string}`;
  /** Further paths of the service; pages and WSDL show the path of the request. */
  readonly aliases?: readonly `/${string}`[];
  /** The target namespace of the WSDL and of every element; the contract's when absent. */
  readonly namespace?: string;
  /**
   * The name of the string parameter with the credential, `undefined` for an operation without; the
   * one that the contract marks when absent. `authorize` is called as soon as it was read, even
   * while a long body still arrives, so it must not read other parameters.
   */
  readonly credential?: (operation: Operation) => string | undefined;
  /** Functions around every handler, such as a limit of calls; the outermost first. */
  readonly interceptors?: readonly Interceptor<Caller>[];
  /**
   * The codes that handlers throw, beside the protocol's own, `Unauthorized` and `Forbidden`;
   * `undefined` for one of these two that the service never answers.
   */
  readonly errors?: Readonly<Record<string, ErrorKind | undefined>>;
  /** The ways to call the service that are on; those of the contract when absent. */
  readonly bindings?: readonly BindingName[];
  /**
   * The public URL of the server without a trailing slash; addresses in the WSDL begin with it.
   * Called for each description, and may depend on the request, see `publicUrlOf`; what the request
   * came to when absent.
   */
  readonly baseUrl?: (request: Reached) => string;
  /**
   * Documents of the old service that are served unchanged instead of generated ones, by their
   * query: `wsdl`, `xsd=xsd0`, `schema=Orders`, in any letter case.
   */
  readonly documents?: Readonly<Record<string, OriginalDocument>>;
  /**
   * Further links at the head of the pages, by their texts: `{ Status: '/status' }`. A URL, or a
   * path below `baseUrl`; pages that a browser shows link to it relatively, so that it is right
   * behind any proxy.
   */
  readonly pageLinks?: Readonly<Record<string, string>>;
  /**
   * What the site is called whose service it is, such as `Corner Market`: the head and the titles
   * of the pages say it. Asked for each page, since it may change; the name of the service when
   * absent.
   */
  readonly siteName?: () => string;
  /**
   * Further languages of the pages, by their tags: `{ 'zh-CN': { name: '中文', texts: { Samples: '示例'
   * } } }`. A page is in the language that its link chose, else in the browser's first that is
   * here, else in English. What ASP.NET's pages say stays English.
   */
  readonly pageLanguages?: PageLanguages;
  /** SOAP headers that the service reads for every operation, and does not show in its WSDL. */
  readonly understands?: readonly HeaderContract[];
  /**
   * The `WWW-Authenticate` header of every answer with status 401, such as `Basic realm="weather"`.
   * If set, SOAP also answers such errors with 401 (otherwise 500), because clients wait for it
   * before they send credentials (RFC 9110 11.6.1).
   */
  readonly challenge?: string;
  /**
   * Whether WS-Addressing headers are read: a request with them is answered with `RelatesTo`,
   * `Action` and `MessageID`; one whose answer should go to another address is refused. As the
   * contract says by default.
   */
  readonly addressing?: boolean;
  /**
   * Whether a call is refused that holds what its contract has no place for. By default it is
   * ignored, as ASMX ignores it, and told in `X-Warning` and in `call.ignored` of `onAnswered`.
   */
  readonly strict?: boolean;
  /** What a request may take, see `defineLimits`. */
  readonly limits?: Limits;
  /** IANA time zone for dateTime values without one; UTC by default. */
  readonly timeZone?: string;
  /** ms since 1970; the system's clock by default. */
  readonly now?: () => number;
  /**
   * The charset of old clients that send `text/xml` without a charset and not in UTF-8, such as
   * `gb18030` or `windows-1252`. By default each such byte becomes `?`, as in ASP.NET, and the
   * answer has `X-Warning`.
   */
  readonly legacyCharset?: string | undefined;
  /** Creates the sink for the bytes of a file while they arrive; in memory by default. */
  readonly createBinarySink?: CreateBinarySink<File>;
  /**
   * Returns the client's address from the peer's address and X-Forwarded-For; by default the
   * peer's.
   */
  readonly clientAddress?: (remoteAddress: string, forwardedFor: string | undefined) => string;
  /**
   * Translates an error of a handler to a service error; `undefined` for a bug, which is answered
   * as `Internal`.
   */
  readonly translateError?: (error: unknown) => ServiceError | undefined;
  /**
   * The fast paths of the entry `./fast`; without them every call takes the general path, with the
   * same answer.
   */
  readonly fastPath?: FastPath | undefined;
  /**
   * Creates the request id, once per request: visible ASCII without `&`, `<` and quotes. Each
   * answer has it as `X-Request-Id`. A random UUID by default.
   */
  readonly requestId?: (request: WireRequest) => string;
  /** Told of every answered request; must not throw. `defectLog()` when absent. */
  readonly onAnswered?: (answered: Answered<Caller>) => void;
}

/** A service as a function from request to response, without sockets. */
export interface Endpoint {
  /** Where the service is: the options `path` and `aliases`. */
  readonly paths: readonly string[];
  /**
   * Never throws: an error becomes an answer. Returns `undefined` if the path is not the service's.
   */
  request(request: WireRequest): Promise<WireResponse> | undefined;
  /**
   * For callers that read requests themselves: a body begins to arrive; its memory counts until the
   * arrival ends.
   * @param stop must answer the request with the error, and stop reading.
   */
  arriving(stop: (error: ServiceError) => void): Arrival;
  /**
   * For callers that accept connections themselves: a connection was accepted. Calls then wait for
   * further connections.
   */
  connected(): void;
  /**
   * The OpenAPI document; the server chooses its path.
   * @param request what is known of the request for it, such as one of `node:http`; by it the
   * document says addresses, see
   *   `baseUrl`, which believes no proxy without `remoteAddress`. Without its `Host` they begin
   *   with `http://localhost`.
   */
  openApi(request?: Partial<Reached>): WireResponse;
}
