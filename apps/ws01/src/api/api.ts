import type { HttpBindings } from '@hono/node-server';
import { type Context, Hono } from 'hono';
import { compress } from 'hono/compress';
import type { Logger } from 'pino';
import { Ws01Error } from '../contract/errors.ts';
import type { Role } from '../contract/roles.ts';
import { say } from '../contract/sentence.ts';
import { assertConfirmed } from '../domain/admins/sessions.ts';
import type { Access } from '../domain/credentials/access.ts';
import { pathOf } from '../domain/links/target.ts';
import { UNCACHED } from '../failure/answer-headers.ts';
import { reportedError } from '../failure/translate.ts';
import { untilBroken } from '../failure/until-broken.ts';
import type { Shown } from '../records/record.ts';
import { ShortMemory } from '../turns/memory.ts';
import { type Authentication, authenticate } from './authentication.ts';
import { endBodyOfHead } from './head.ts';
import { openApiOf } from './openapi.ts';
import { mayRead, type Principal } from './principal.ts';
import { problemOf } from './problem.ts';
import { answerOf, type PublicAnswer, preflight, publish, published } from './public/publish.ts';
import { type ApiCall, Raw, type Route } from './route.ts';
import { type RouteDeps, routesOf } from './routes.ts';
import { readBody, readQuery, type Values } from './schema.ts';

/** The path that all routes begin with. */
const API_PATH = '/api/v1';

/** How long a long public answer is given again; ms. Browsers and CDNs keep each for a minute. */
const KEPT_MS = 1_000;
const LEAST_KEPT_BYTES = 64 * 1024;
const MOST_KEPT_BYTES = 16 * 1024 * 1024;

/** What Hono passes along with a request. */
export interface ApiBindings {
  /** The caller of an in-process request; `undefined` over HTTP, where a credential says it. */
  readonly principal?: Principal;
  /** The client address of an in-process request. */
  readonly address?: string;
  /**
   * The origin by which somebody came who is answered in process, as `reachedAt` of
   * {@link ApiDeps}.
   */
  readonly reachedAt?: string | undefined;
  /** The HTTP request; `undefined` in process. */
  readonly incoming?: HttpBindings['incoming'];
  /** The id that finds the request in the log; generated when absent. */
  readonly requestId?: string;
  /** Gets the error that an in-process request is answered with. */
  readonly onProblem?: (error: Ws01Error) => void;
  /** Called when the body of the answer breaks off. It closes the client's connection. */
  readonly onBroken?: () => void;
}

/** The connection and headers of an HTTP request. */
type Incoming = Pick<HttpBindings['incoming'], 'headers' | 'socket'>;

export interface ApiDeps extends Authentication, Omit<RouteDeps, 'shown' | 'forgetTokens'> {
  readonly access: Pick<Access, 'identify' | 'forget'>;
  readonly log: Logger;
  /** Called for each request over HTTP that failed. */
  readonly onFailed: (failed: FailedRequest) => void;
  /** Returns the canonical client address of a request. */
  readonly clientAddress: (incoming: Incoming) => string;
  /** Returns the origin that the client used; `undefined` when `BASE_URL` is set. */
  readonly reachedAt: (incoming: Incoming) => string | undefined;
  /** Returns the base URL of addresses in an answer. */
  readonly baseUrl: (call: { readonly reachedAt?: string | undefined }) => string;
  readonly shortBaseUrl: (call: { readonly reachedAt?: string | undefined }) => string;
}

/** A request over HTTP that was answered with an error. */
export interface FailedRequest {
  /** Absent where the address is that of none. */
  readonly route: Route | undefined;
  /** Absent where it was not found who asks. */
  readonly principal: Principal | undefined;
  /** The keys in the path. */
  readonly keys: Readonly<Record<string, string>>;
  readonly error: Ws01Error;
  readonly requestId: string;
  /** The HTTP status of the answer. */
  readonly status: number;
  /** From the arrival of the head to the answer. */
  readonly durationMs: number;
  /** The client address. */
  readonly address: string;
}

/** What is noted of a request while it is answered. */
export interface Noted {
  readonly arrivedAt: number;
  readonly route?: Route;
  readonly principal?: Principal;
}

export interface ApiEnv {
  Bindings: ApiBindings;
  Variables: Noted;
}

type Api = Hono<ApiEnv>;
type ApiContext = Context<ApiEnv>;

/** Origins whose pages may read published records; `*` for all. */
const originsOf = ({ site }: Pick<ApiDeps, 'site'>): ReadonlySet<string> =>
  new Set(site.publicOrigins ?? []);

/**
 * Creates the HTTP API: reads and moderates stored records as JSON. Over HTTP each request needs a
 * credential; in process, `api.fetch(request, { principal })` names the caller.
 */
export function createApi(deps: ApiDeps): Api {
  const { clock, log } = deps;
  const shown = ({ reachedAt }: ApiCall): Shown => ({
    baseUrl: deps.baseUrl({ reachedAt }),
    shortBaseUrl: deps.shortBaseUrl({ reachedAt }),
    now: clock(),
    defaultCountry: deps.defaultCountry,
  });
  const routes = routesOf({ ...deps, shown, forgetTokens: () => deps.access.forget() });
  const api: Api = new Hono<ApiEnv>().basePath(API_PATH);
  api.use((c, next) => {
    c.set('arrivedAt', performance.now());
    return next();
  });
  api.use(endBodyOfHead);
  // Short answers cost little, and are made each time.
  const kept = new ShortMemory<PublicAnswer>({
    ageMs: KEPT_MS,
    most: MOST_KEPT_BYTES,
    sizeOf: ({ body }) => (body.length < LEAST_KEPT_BYTES ? 0 : body.length),
  });
  const document = openApiOf(routes);
  api.get('/openapi.json', compress(), ({ env: { incoming } }) => {
    const reachedAt = incoming && deps.reachedAt(incoming);
    const url = pathOf(deps.baseUrl({ reachedAt })) + API_PATH;
    return Response.json({ ...document, servers: [{ url }] });
  });
  for (const route of routes) {
    api.on(route.method.toUpperCase(), route.path.replaceAll(/\{(\w+)\}/g, ':$1'), (c) =>
      serve(c, route, deps, kept),
    );
  }
  api.options('/public/*', (c) => preflight(c.req, originsOf(deps)));
  api.notFound((c) => {
    const path = c.req.path.slice(0, 100);
    throw new Ws01Error(
      'NotFound',
      say`There is no ${{ method: c.req.method }} ${{ path }}; see ${{ document: `${API_PATH}/openapi.json` }}.`,
    );
  });
  api.onError((error, c) => {
    const { req, env } = c;
    const requestId = env.requestId ?? crypto.randomUUID();
    const { method, path } = req;
    const problem = reportedError(log, error, { method, path, requestId });
    env.onProblem?.(problem);
    const answer = problemOf(problem, requestId);
    if (env.incoming !== undefined)
      deps.onFailed({
        ...{ route: c.get('route'), principal: c.get('principal'), keys: req.param() },
        ...{ error: problem, requestId, status: answer.status },
        durationMs: performance.now() - c.get('arrivedAt'),
        address: deps.clientAddress(env.incoming),
      });
    return answer;
  });
  return api;
}

/** Runs a route, and answers with what it returns. */
async function serve(
  c: ApiContext,
  route: Route,
  deps: ApiDeps,
  kept: ShortMemory<PublicAnswer>,
): Promise<Response> {
  const { incoming } = c.env;
  c.set('route', route);
  const address = c.env.address ?? (incoming === undefined ? '' : deps.clientAddress(incoming));
  const principal = await principalOf(c, route, address, deps);
  const requestId = c.env.requestId ?? crypto.randomUUID();
  const call: ApiCall = {
    principal,
    reauthorize: () => principalOf(c, route, address, deps),
    address,
    requestId,
    reachedAt: incoming === undefined ? c.env.reachedAt : deps.reachedAt(incoming),
    accept: c.req.header('accept'),
    lastEventId: c.req.header('last-event-id'),
    ifMatch: c.req.header('if-match'),
    path: keysOf(c),
    query: readQuery(route.query ?? {}, new URL(c.req.url).searchParams),
    body: await bodyOf(c, route, route.bodyBytes ?? deps.limits.apiBodyBytes),
    ...(route.bytes === undefined ? {} : { bytes: bytesOf(c) }),
  };
  if (route.role === 'public' && route.method !== 'get') {
    const answer = JSON.stringify(await route.run(call));
    return published(c.req, answer, requestId, originsOf(deps), route.status);
  }
  if (route.role === 'public') {
    const key = JSON.stringify([route.id, call.path, call.query, call.reachedAt]);
    return publish(
      c.req,
      (await kept.find(key, () => publicAnswer(route, call, deps)))!,
      requestId,
      originsOf(deps),
    );
  }
  const { body, type, headers } = await answerTo(route, call);
  const sent =
    body instanceof ReadableStream
      ? untilBroken(body, (error) => {
          deps.log.error({ path: c.req.path, requestId, err: error }, 'an answer broke off');
          incoming?.socket.destroy();
          c.env.onBroken?.();
        })
      : body;
  return c.body(sent, route.status ?? 200, {
    ...headers,
    'Content-Type': type,
    ...UNCACHED,
    ...(type === 'text/event-stream' ? { 'X-Accel-Buffering': 'no' } : {}),
    'X-Request-Id': requestId,
  });
}

async function answerTo(route: Route, call: ApiCall): Promise<Raw> {
  const answer = await route.run(call);
  return answer instanceof Raw ? answer : new Raw(JSON.stringify(answer), 'application/json');
}

async function publicAnswer(
  route: Route,
  call: ApiCall,
  { baseUrl }: Pick<ApiDeps, 'baseUrl'>,
): Promise<PublicAnswer> {
  const { body, type } = await answerTo(route, call);
  const text = String(body);
  // Without `BASE_URL` the client says where the service is: nobody else may be told.
  const isFromHost =
    baseUrl({ reachedAt: 'http://a.invalid' }) !== baseUrl({ reachedAt: 'http://b.invalid' });
  return answerOf(text, type, isFromHost && text.includes(baseUrl(call)));
}

/**
 * @throws {Ws01Error} `Unauthenticated`, `Forbidden`; `NotFound` for public routes when public
 *   reading is off.
 */
async function principalOf(
  c: ApiContext,
  route: Route,
  address: string,
  deps: ApiDeps,
): Promise<Principal> {
  if (route.role === 'public') {
    if (!deps.site.publicReading)
      throw new Ws01Error('NotFound', 'Nothing can be read without a credential here.');
    return ANYBODY;
  }
  const principal =
    c.env.principal ?? (await authenticate(c.req.raw, address, c.env.incoming, deps));
  c.set('principal', principal);
  assertRole(principal, route.role, route);
  if (route.confirmed && principal.kind === 'admin')
    assertConfirmed(principal.confirmedAt, deps.clock());
  return principal;
}

/**
 * The keys in the path of a request.
 * @throws {Ws01Error} `NotFound` for a key with a NUL character, which PostgreSQL rejects even in a
 *   query.
 */
function keysOf(c: ApiContext): Record<string, string> {
  const keys = c.req.param() as Record<string, string>;
  if (Object.values(keys).some((key) => key.includes('\0'))) {
    throw new Ws01Error('NotFound', 'There is no such record: no key has a zero character.');
  }
  return keys;
}

/** The principal of public routes. */
const ANYBODY: Principal = { kind: 'anybody', name: '', role: 'reader', id: '' };

/** @throws {Ws01Error} `Forbidden` */
function assertRole(
  principal: Principal,
  needed: Role,
  { method, path, private: isPrivate }: Route,
): void {
  if (mayRead(principal, { role: needed, private: isPrivate })) return;
  const how: Record<Role, string> = {
    reader: 'the scope "read"',
    moderator: 'a moderator, an owner or a token with the scope "manage"',
    owner: 'an owner or a token with the scope "manage"',
  };
  const needs = isPrivate ? 'an owner or a token with the scope "read"' : how[needed];
  throw new Ws01Error(
    'Forbidden',
    say`${{ method: method.toUpperCase() }} ${{ route: path }} needs ${{ part: needs }}; this is a ${{ role: principal.role }}.`,
  );
}

/** @throws {Ws01Error} `UnsupportedMediaType`, `MalformedRequest`, and what the schema refuses. */
async function bodyOf(c: ApiContext, { body: schema }: Route, most: number): Promise<Values> {
  if (schema === undefined) return {};
  const text = await textOf(c.req.raw, most);
  const type = c.req.header('content-type')?.split(';')[0]?.trim().toLowerCase();
  if (text !== '' && type !== 'application/json') {
    throw new Ws01Error('UnsupportedMediaType', 'The body must be application/json.');
  }
  return readBody(schema, text === '' ? {} : parsed(text));
}

/**
 * The file that is the body.
 * @throws {Ws01Error} `UnsupportedMediaType` for a form, which is no file, also where it holds one.
 */
function bytesOf({ req }: ApiContext): ReadableStream<Uint8Array> | null {
  if (/^multipart\/|^application\/x-www-form-urlencoded\b/i.test(req.header('content-type') ?? ''))
    throw new Ws01Error(
      'UnsupportedMediaType',
      'The body must be the file itself; this is a form.',
      { parameter: 'file' },
    );
  return req.raw.body;
}

/** @throws {Ws01Error} `TooLarge` */
async function textOf({ headers, body }: Request, most: number): Promise<string> {
  const tooLarge = new Ws01Error('TooLarge', say`The body must have at most ${{ most }} bytes.`);
  if (Number(headers.get('content-length') ?? 0) > most) throw tooLarge;
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > most) throw tooLarge;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Ws01Error('MalformedRequest', 'The body is not JSON.', { cause: error });
  }
}
