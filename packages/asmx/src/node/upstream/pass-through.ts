import { scriptKind } from '../../describe/script-path.ts';
import type { Endpoint } from '../../engine/endpoint-options.ts';
import {
  bytesBody,
  header,
  parseTarget,
  type WireBody,
  type WireRequest,
  type WireResponse,
} from '../../message/http.ts';
import { pathInfoOf } from '../../message/path.ts';
import { decodePercentStrictly } from '../../message/percent.ts';
import { type Upstream, type UpstreamAnswer, UpstreamError } from './ask.ts';
import { actionName, actionOfContentType, soapOperationName } from './operation-name.ts';

/** Headers that a request is known by, by lower-case name. */
type Identity = Readonly<Record<string, string>>;

/** A call that was passed on to the other server. */
export interface Passed {
  /** `''` when the request does not show it. */
  readonly operation: string;
  /** 502 when there was no answer. */
  readonly status: number;
  readonly durationMs: number;
  /** The request as it came. */
  readonly asked: WireRequest;
  /** What `identify` said. */
  readonly identity: Identity;
  readonly request: {
    readonly method: string;
    readonly target: string;
    readonly headers: readonly string[];
    readonly body: Uint8Array;
  };
  readonly answer: UpstreamAnswer | undefined;
  /** Why there was no answer. */
  readonly error: UpstreamError | undefined;
}

export interface PassThroughOptions {
  readonly upstream: Upstream;
  /** The path of the service there, with its leading slash. */
  readonly upstreamPath: string;
  /** The paths of the endpoint here. */
  readonly paths: readonly string[];
  /** Whether an operation is answered here; others are forwarded. Exact, case-sensitive names. */
  readonly answers: (operation: string) => boolean;
  /** Largest forwarded request, in bytes. */
  readonly requestBytes: number;
  /**
   * What a request is known by where it is passed on, such as `x-request-id` and `traceparent`: sent in place of the
   * headers of these names that it came with. The answer gets `X-Request-Id`, too.
   */
  readonly identify?: (request: WireRequest) => Identity;
  /** Called for every forwarded call; must not throw. */
  readonly onPassed?: (passed: Passed) => void;
}

/** How much of a message is looked at for its operation, bytes. */
const LOOKED_AT_BYTES = 64 * 1024;

/**
 * An endpoint that answers some operations itself and forwards the others unchanged to another server. Pages and WSDL
 * are its own.
 */
export function passThrough(
  endpoint: Pick<Endpoint, 'request'>,
  options: PassThroughOptions,
): Pick<Endpoint, 'request'> {
  return {
    request(request) {
      const pathInfo = belowAny(parseTarget(request.target).path, options.paths);
      if (pathInfo === undefined) return endpoint.request(request);
      const sent = pathInfo.slice(1);
      const named = decodePercentStrictly(sent) ?? sent;
      const script = request.method === 'GET' && scriptKind(pathInfo) !== undefined;
      if (named !== '' && !script) {
        return options.answers(named) ? endpoint.request(request) : passOn(request, named, request.body, options);
      }
      return request.method === 'POST' ? byMessage(request, endpoint, options) : endpoint.request(request);
    },
  };
}

/** As {@link pathInfoOf}, for the first of some paths that a request is at. */
function belowAny(path: string, servicePaths: readonly string[]): string | undefined {
  for (const servicePath of servicePaths) {
    const pathInfo = pathInfoOf(path, servicePath.toLowerCase());
    if (pathInfo !== undefined) return pathInfo;
  }
  return undefined;
}

/** A SOAP message: what it calls stands in its body, else in its action. */
async function byMessage(
  request: WireRequest,
  endpoint: Pick<Endpoint, 'request'>,
  options: PassThroughOptions,
): Promise<WireResponse> {
  const { body, start } = await lookAt(request.body);
  const contentType = header(request, 'content-type');
  const coded = header(request, 'content-encoding');
  const shown = coded === undefined || coded === 'identity' ? soapOperationName(start) : undefined;
  const operation = shown ?? actionName(header(request, 'soapaction')) ?? actionName(actionOfContentType(contentType));
  if (operation === undefined || options.answers(operation)) return endpoint.request({ ...request, body })!;
  return passOn(request, operation, body, options);
}

/** The beginning of a body, and the body as if nothing had been read. */
async function lookAt(body: WireBody): Promise<{ readonly body: WireBody; readonly start: Uint8Array }> {
  const pieces: Uint8Array[] = [];
  const iterator = body[Symbol.asyncIterator]();
  let bytes = 0;
  let done = false;
  while (!done && bytes < LOOKED_AT_BYTES) {
    const next = await iterator.next();
    if (next.done) done = true;
    else {
      pieces.push(Buffer.from(next.value));
      bytes += next.value.length;
    }
  }
  const start = Buffer.concat(pieces);
  if (done) return { body: bytesBody(start), start };
  const rest = async function* () {
    yield start;
    yield* { [Symbol.asyncIterator]: () => iterator };
  };
  return { body: { ...(body.stop === undefined ? {} : { stop: body.stop }), [Symbol.asyncIterator]: rest }, start };
}

async function passOn(
  request: WireRequest,
  operation: string,
  body: WireBody,
  options: PassThroughOptions,
): Promise<WireResponse> {
  const started = performance.now();
  const { path, query } = parseTarget(request.target);
  const pathInfo = belowAny(path, options.paths) ?? '';
  const target = `${options.upstreamPath}${pathInfo}${query === '' ? '' : `?${query}`}`;
  const identity = options.identify?.(request) ?? {};
  const headers = headerList({ headers: { ...request.headers, ...identity } });
  let [content, answer, error]: [Uint8Array, UpstreamAnswer | undefined, UpstreamError | undefined] = [
    new Uint8Array(),
    undefined,
    undefined,
  ];
  try {
    content = await readBody(body, options.requestBytes);
    const sent = content.length > 0 || request.method === 'POST' ? content : undefined;
    answer = await options.upstream.ask({ method: request.method, target, headers, body: sent });
  } catch (thrown) {
    if (!(thrown instanceof UpstreamError)) throw thrown;
    error = thrown;
  }
  const status = answer?.status ?? 502;
  const durationMs = performance.now() - started;
  options.onPassed?.({
    ...{ asked: request, operation, status, durationMs, identity, answer, error },
    request: { method: request.method, target, headers, body: content },
  });
  const requestId = identity['x-request-id'];
  const known: Record<string, string> = requestId === undefined ? {} : { 'X-Request-Id': requestId };
  if (answer === undefined) return unavailable(known);
  const rawHeaders = requestId === undefined ? answer.headers : without(answer.headers, 'x-request-id');
  return { status, headers: known, rawHeaders, body: answer.body };
}

/** What old clients read a reason from, without naming the server behind. */
function unavailable(known: Readonly<Record<string, string>>): WireResponse {
  return {
    status: 502,
    headers: { ...known, 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'private' },
    body: 'The server that has this operation cannot be reached; try again.\n',
  };
}

async function readBody(body: WireBody, most: number): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of body) {
    bytes += piece.length;
    if (bytes > most) throw new UpstreamError(`The request has more than ${most} bytes.`);
    pieces.push(Buffer.from(piece));
  }
  return Buffer.concat(pieces);
}

/** A list of names and values in turn without one name. */
function without(headers: readonly string[], name: string): readonly string[] {
  return headers.filter((_, at) => headers[at & ~1]!.toLowerCase() !== name);
}

function headerList({ headers }: Pick<WireRequest, 'headers'>): string[] {
  return Object.entries(headers).flatMap(([name, value]) => {
    if (value === undefined) return [];
    return (typeof value === 'string' ? [value] : value).flatMap((each) => [name, each]);
  });
}
