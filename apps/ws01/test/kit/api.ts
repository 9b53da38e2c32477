import type { TestContext } from 'node:test';
import { exchange } from '../../../../packages/asmx/test/kit/http.ts';
import type { Scope } from '../../src/contract/parameters.ts';
import { issueToken } from '../../src/domain/credentials/tokens.ts';
import type { Store } from '../../src/store/store.ts';
import type { FreshDatabase } from './database.ts';
import { startService, type TestService } from './service.ts';

/** An answer of the HTTP API. */
export interface ApiAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  // biome-ignore lint/suspicious/noExplicitAny: tests look at members that they expect
  readonly body: any;
}

/** A service with tokens for its HTTP API, asked over HTTP. */
export interface ApiDesk {
  readonly service: TestService;
  readonly url: string;
  /** The database that the service uses. */
  readonly store: Store;
  readonly tokens: { readonly read: string; readonly manage: string; readonly articles: string };
  /** Asks as an owner, unless another token or none is given. */
  ask(method: string, path: string, body?: unknown, token?: string | undefined): Promise<ApiAnswer>;
  get(path: string): Promise<ApiAnswer>;
  post(path: string, body?: unknown): Promise<ApiAnswer>;
}

export async function openApiDesk(
  test: TestContext,
  fresh: FreshDatabase,
  env: Record<string, string> = {},
): Promise<ApiDesk> {
  const database = await fresh(test);
  const service = await startService(test, database, { RATE_LIMITS: 'off', ...env });
  const store = await database.open({ guest: true });
  const issue = async (...scopes: Scope[]) =>
    (await issueToken(store, { kind: 'service', scopes, label: `has ${scopes.join(' ')}` }, Date.now)).text;
  const tokens = {
    read: await issue('read'),
    manage: await issue('manage'),
    articles: await issue('articles', 'adverts', 'images', 'users', 'phone', 'mail'),
  };
  const ask: ApiDesk['ask'] = async (method, path, body, ...given) => {
    const token = given.length === 0 ? tokens.manage : given[0];
    const answer = await exchange(`${service.url}/api/v1${path}`, {
      method,
      headers: {
        ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const isJson = /json/.test(String(answer.headers['content-type']));
    return { ...answer, body: isJson && answer.body !== '' ? JSON.parse(answer.body) : answer.body };
  };
  return {
    service,
    url: service.url,
    store,
    tokens,
    ask,
    get: (path) => ask('GET', path),
    post: (path, body) => ask('POST', path, body),
  };
}
