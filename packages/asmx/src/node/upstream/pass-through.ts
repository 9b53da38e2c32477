import { PROTOCOL_ERRORS, ProtocolError } from '../../contract/errors.ts';
import { DEFAULT_LIMITS } from '../../contract/limits.ts';
import { scriptKind } from '../../describe/script-path.ts';
import type { Endpoint } from '../../engine/endpoint-options.ts';
import { plainStatusOf } from '../../exchange/result.ts';
import { header, parseTarget, type WireRequest, type WireResponse } from '../../message/http.ts';
import { pathInfoOf } from '../../message/path.ts';
import { decodePercentStrictly } from '../../message/percent.ts';
import { UPSTREAM_ANSWER_BYTES, type Upstream, type UpstreamAnswer, UpstreamError } from './ask.ts';
import { actionName, actionOfContentType, soapOperationName } from './operation-name.ts';
import { PassedBody } from './passed-body.ts';
import {
  headersOfAnswer,
  headersOfCall,
  IN_NO_ORIGIN,
  type PassedHeaders,
  passedHeaders,
} from './passed-headers.ts';

/** Headers that a request is known by, by lower-case name. */
type Identity = Readonly<Record<string, string>>;

/** A call that was passed on to the other server. */
export interface Passed {
  /** `''` when the request does not show it. */
  readonly operation: string;
  /** As answered here: 502 when there was no answer. */
  readonly status: number;
  readonly durationMs: number;
  /** The request as it came. */
  readonly asked: WireRequest;
  /** What `identify` said. */
  readonly identity: Identity;
  /** As it was passed on. */
  readonly request: {
    readonly method: string;
    readonly target: string;
    readonly headers: readonly string[];
    readonly body: Uint8Array;
  };
  /** As it came. */
  readonly answer: UpstreamAnswer | undefined;
  /** Why there was no answer. */
  readonly error: UpstreamError | ProtocolError | undefined;
}

/** What is forwarded, and where. */
export interface PassThroughOptions {
  readonly upstream: Upstream;
  /** The path of the service there, with its leading slash. */
  readonly upstreamPath: string;
  /** The paths of the endpoint here. */
  readonly paths: readonly string[];
  /** Whether an operation is answered here; others are forwarded. Exact, case-sensitive names. */
  readonly answers: (operation: string) => boolean;
  /**
   * Largest forwarded request, in bytes; no more than the limit `totalUnauthenticatedBytes` of the
   * endpoint.
   */
  readonly requestBytes: number;
  /**
   * Most bytes of all forwarded requests that wait for their answers, and of all answers that
   * arrive. {@link UPSTREAM_ANSWER_BYTES} by default.
   */
  readonly totalBytes?: number;
  /** Most calls that wait for the other server; the limit `calls` by default. */
  readonly calls?: number;
  /**
   * Headers that the old service has beside those of every call, in requests or in answers, such as
   * `X-Api-Key`; none by default. Cookies and `X-Forwarded-*` are never among them.
   */
  readonly headers?: readonly string[];
  /**
   * Returns the client's address from the peer's and X-Forwarded-For, as in the endpoint's options;
   * by default the peer's.
   */
  readonly clientAddress?: (remoteAddress: string, forwardedFor: string | undefined) => string;
  /**
   * Headers that identify a request that is passed on, such as `x-request-id` and `traceparent`;
   * they replace the headers of these names that it came with. The answer gets `X-Request-Id`, too.
   */
  readonly identify?: (request: WireRequest) => Identity;
  /** Called for every forwarded call; must not throw. */
  readonly onPassed?: (passed: Passed) => void;
}

/** How much of a message is looked at for its operation, bytes. */
const LOOKED_AT_BYTES = 64 * 1024;

/** What calls on their way to the other server, and back, have in this process. */
class OnTheirWay {
  readonly #mostCalls: number;
  readonly #mostBytes: number;
  #calls = 0;
  #requestBytes = 0;
  #answerBytes = 0;

  constructor({
    calls = DEFAULT_LIMITS.calls,
    totalBytes = UPSTREAM_ANSWER_BYTES,
  }: PassThroughOptions) {
    this.#mostCalls = calls;
    this.#mostBytes = totalBytes;
  }

  /** A call with its whole request. @throws {ProtocolError} Busy */
  begin(requestBytes: number): OneCall {
    if (this.#calls >= this.#mostCalls || this.#requestBytes + requestBytes > this.#mostBytes)
      throw busy();
    this.#calls++;
    this.#requestBytes += requestBytes;
    let answerBytes = 0;
    return {
      came: (bytes) => {
        if (this.#answerBytes + bytes > this.#mostBytes)
          throw new UpstreamError('Too many answers arrive at a time.');
        answerBytes += bytes;
        this.#answerBytes += bytes;
      },
      end: () => {
        this.#calls--;
        this.#requestBytes -= requestBytes;
        this.#answerBytes -= answerBytes;
      },
    };
  }
}

interface OneCall {
  /**
   * Counts what has come of its answer.
   * @throws {UpstreamError} if it is too much for all calls together.
   */
  readonly came: (bytes: number) => void;
  /** Called once. */
  readonly end: () => void;
}

/** What the steps of a forwarded call need. */
interface Passing extends PassThroughOptions {
  readonly endpoint: Pick<Endpoint, 'request' | 'arriving'>;
  readonly passed: PassedHeaders;
  readonly onTheirWay: OnTheirWay;
}

/**
 * An endpoint that answers some operations itself and forwards the calls of others to another
 * server. Pages, WSDL and whatever is no call are its own. What is forwarded is listed: GET and
 * POST of an operation with a plain name, POST of a message, with the headers that a call needs;
 * the body and the answer's go byte for byte.
 *
 * @throws {TypeError} for a header that is never forwarded.
 */
export function passThrough(
  endpoint: Pick<Endpoint, 'request' | 'arriving'>,
  options: PassThroughOptions,
): Pick<Endpoint, 'request'> {
  const passing = {
    ...options,
    endpoint,
    passed: passedHeaders(options.headers ?? []),
    onTheirWay: new OnTheirWay(options),
  };
  return {
    request(request) {
      const { path } = parseTarget(request.target);
      const place = placeOf(path, options.paths);
      if (place === undefined) return endpoint.request(request);
      const { pathInfo } = place;
      if (pathInfo.length <= 1) {
        return request.method === 'POST'
          ? byMessage(request, place.path, passing)
          : endpoint.request(request);
      }
      const name = operationOf(request.method, pathInfo);
      if (name === undefined) return inNoOrigin(endpoint.request(request));
      if (options.answers(name)) return endpoint.request(request);
      const body = new PassedBody(request.body, endpoint, options.requestBytes);
      return passOn(
        request,
        { operation: name, named: `/${encodeURIComponent(name)}`, path: place.path },
        body,
        passing,
      );
    },
  };
}

/**
 * What is said to a target of the other server that is not forwarded runs nothing here either,
 * whatever it repeats.
 */
async function inNoOrigin(answering: Promise<WireResponse> | undefined): Promise<WireResponse> {
  const response = await answering!;
  return { ...response, headers: { ...response.headers, ...IN_NO_ORIGIN } };
}

/**
 * What a name may be that becomes a part of a URL for the other server: letters, digits, `_`, `-`,
 * and single dots between them. No slash, escape or dot segment, in whatever form a server might
 * decode once more.
 */
const PLAIN_NAME = /^[\p{L}_][\p{L}\p{M}\p{N}_-]*(?:\.[\p{L}\p{M}\p{N}_-]+)*$/u;
const LONGEST_NAME = 255;

/** The operation that a path names, if the call may be forwarded. */
function operationOf(method: string, pathInfo: string): string | undefined {
  if (method !== 'GET' && method !== 'POST') return undefined;
  if (method === 'GET' && scriptKind(pathInfo) !== undefined) return undefined;
  const name = decodePercentStrictly(pathInfo.slice(1));
  return name !== undefined && name.length <= LONGEST_NAME && PLAIN_NAME.test(name)
    ? name
    : undefined;
}

/**
 * Where a request is, below the first of some paths: that path as it was written, and what follows
 * as {@link pathInfoOf}.
 */
function placeOf(path: string, servicePaths: readonly string[]) {
  for (const servicePath of servicePaths) {
    const pathInfo = pathInfoOf(path, servicePath.toLowerCase());
    if (pathInfo === undefined) continue;
    const written = path.slice(0, servicePath.length);
    return {
      pathInfo,
      path: written.toLowerCase() === servicePath.toLowerCase() ? written : servicePath,
    };
  }
  return undefined;
}

/**
 * A SOAP message: what it calls stands in its body, else in its action. One that names an operation
 * of ours is ours.
 */
async function byMessage(
  request: WireRequest,
  path: string,
  passing: Passing,
): Promise<WireResponse> {
  const { endpoint, answers } = passing;
  const body = new PassedBody(request.body, endpoint, passing.requestBytes);
  const names = await namesIn(request, body).catch((error) => {
    if (error instanceof ProtocolError) return error;
    throw error;
  });
  if (names instanceof ProtocolError) {
    body.end();
    return refused(names);
  }
  const [operation] = names;
  if (operation === undefined || names.some(answers))
    return endpoint.request({ ...request, body: body.handedBack() })!;
  return passOn(request, { operation, named: '', path }, body, passing);
}

/** The operations that a message names: in its body, in SOAPAction, in its Content-Type. */
async function namesIn(request: WireRequest, body: PassedBody): Promise<readonly string[]> {
  const start = await body.beginning(LOOKED_AT_BYTES);
  const coded = header(request, 'content-encoding');
  const shown = coded === undefined || coded === 'identity' ? soapOperationName(start) : undefined;
  const action = actionName(header(request, 'soapaction'));
  const typed = actionName(actionOfContentType(header(request, 'content-type')));
  return [shown, action, typed].filter((name) => name !== undefined);
}

/**
 * @param to the operation, how the URL names it, and the path of the service here as the client
 *   wrote it.
 */
async function passOn(
  request: WireRequest,
  to: { readonly operation: string; readonly named: string; readonly path: string },
  body: PassedBody,
  passing: Passing,
): Promise<WireResponse> {
  const started = performance.now();
  const { query } = parseTarget(request.target);
  const target = `${passing.upstreamPath}${to.named}${query === '' ? '' : `?${query}`}`;
  const identity = passing.identify?.(request) ?? {};
  const headers = headersOfCall(request, passing.passed, {
    ...identity,
    'x-forwarded-for': cameBy(request, passing),
  });
  const asked = { method: request.method, target, headers };
  let content: Uint8Array = new Uint8Array();
  let answer: UpstreamAnswer | undefined;
  let error: UpstreamError | ProtocolError | undefined;
  let call: OneCall | undefined;
  try {
    content = await body.whole();
    call = passing.onTheirWay.begin(content.length);
    body.end();
    const sent = content.length > 0 || request.method === 'POST' ? content : undefined;
    answer = await passing.upstream.ask({ ...asked, body: sent, came: call.came });
  } catch (thrown) {
    if (!(thrown instanceof UpstreamError || thrown instanceof ProtocolError)) throw thrown;
    error = thrown;
  } finally {
    body.end();
    call?.end();
  }
  const known =
    identity['x-request-id'] === undefined ? {} : { 'X-Request-Id': identity['x-request-id'] };
  const answered =
    answer === undefined ? refused(error!, known) : response(answer, known, to.path, passing);
  passing.onPassed?.({
    ...{
      asked: request,
      operation: to.operation,
      status: answered.status,
      identity,
      answer,
      error,
    },
    durationMs: performance.now() - started,
    request: { ...asked, body: content },
  });
  return answered;
}

/** The client's address, and that of the proxy which it came by, if that one is believed. */
function cameBy(request: WireRequest, { clientAddress }: Passing): string {
  const peer = clientAddress?.(request.remoteAddress, undefined) ?? request.remoteAddress;
  const client = clientAddress?.(request.remoteAddress, header(request, 'x-forwarded-for')) ?? peer;
  return client === peer ? peer : `${client}, ${peer}`;
}

function response(
  { status, headers, body }: UpstreamAnswer,
  known: Readonly<Record<string, string>>,
  path: string,
  { passed }: Passing,
): WireResponse {
  return { status, headers: known, rawHeaders: headersOfAnswer(headers, passed, path), body };
}

/** What old clients read a reason from, without naming the server behind. */
function refused(
  error: UpstreamError | ProtocolError,
  known: Readonly<Record<string, string>> = {},
): WireResponse {
  const [status, message] =
    error instanceof ProtocolError
      ? [error.form.status ?? plainStatusOf(PROTOCOL_ERRORS, error), error.message]
      : [502, 'The server that has this operation cannot be reached; try again.'];
  const headers = {
    ...known,
    'Content-Type': 'text/plain; charset=utf-8',
    'Cache-Control': 'private',
  };
  return { status, headers, body: `${message}\n` };
}

function busy(): ProtocolError {
  return new ProtocolError(
    'Busy',
    'Too many calls are on their way to another server; nothing was done, try again.',
  );
}
