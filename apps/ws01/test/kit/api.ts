import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { DAY_MS } from '@ws01/asmx/time';
import { pino } from 'pino';
import { exchange, jsonRequest } from '../../../../packages/asmx/test/kit/http.ts';
import { until } from '../../../../packages/asmx/test/kit/until.ts';
import { type ApiDeps, createApi } from '../../src/api/api.ts';
import { loadConfig } from '../../src/config/config.ts';
import type { Scope } from '../../src/contract/parameters.ts';
import { WS01 } from '../../src/contract/service.ts';
import { Restores } from '../../src/domain/backup/restores.ts';
import { issueToken } from '../../src/domain/credentials/tokens.ts';
import { Links } from '../../src/domain/links/links.ts';
import type { Store } from '../../src/store/store.ts';
import { JSON_BINDING } from './bindings.ts';
import type { FreshDatabase } from './database.ts';
import type { ServiceEnv } from './fixed.ts';
import { blackPng } from './images/containers.ts';
import { rowsOf } from './rows.ts';
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
  env: ServiceEnv = {},
): Promise<ApiDesk> {
  const database = await fresh(test);
  const service = await startService(test, database, { RATE_LIMITS: 'off', ...env });
  const store = await database.open({ guest: true });
  const issue = async (...scopes: Scope[]) =>
    (
      await issueToken(
        store,
        { kind: 'service', scopes, label: `has ${scopes.join(' ')}` },
        Date.now,
      )
    ).text;
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
      ...(body === undefined
        ? {}
        : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const isJson = /json/.test(String(answer.headers['content-type']));
    return {
      ...answer,
      body: isJson && answer.body !== '' ? JSON.parse(answer.body) : answer.body,
    };
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

/** Calls an operation with the credential of the operations; the answer's result. */
export async function callOperation(
  desk: Pick<ApiDesk, 'url' | 'tokens'>,
  operation: string,
  params: Readonly<Record<string, unknown>>,
): Promise<string> {
  const credentials = ['token', 'tokenId', 'verifyCode', 'authorizationUserId'];
  const known = Object.fromEntries(credentials.map((name) => [name, desk.tokens.articles]));
  const { parameters } = WS01.operations.find(({ name }) => name === operation)!;
  const own = Object.fromEntries(
    Object.entries(known).filter(([name]) =>
      parameters.some((parameter) => parameter.name === name),
    ),
  );
  const answer = await JSON_BINDING.call(desk.url, operation, { ...own, ...params } as Record<
    string,
    string
  >);
  if (answer.status !== 200) throw new Error(`${operation}: ${answer.body}`);
  return answer.result!;
}

/** Keys of one record of each kind, which operations have made. */
export interface Seeded {
  readonly articles: string;
  readonly adverts: string;
  readonly images: string;
  readonly users: string;
  readonly codes: string;
  readonly mails: string;
  readonly suppressions: string;
  readonly sms: string;
  readonly links: string;
  readonly reviews: string;
  readonly reports: string;
  readonly tokens: string;
  readonly audit: string;
  readonly events: string;
  readonly webhooks: string;
  readonly deliveries: string;
  readonly failures: string;
}

/** Settings under which {@link seedEveryKind} can have a text message: one that cannot be delivered. */
export const SEEDED_SETTINGS = {
  SMS_URL: 'http://127.0.0.1:1/sms',
  SMS_SECRET: 'a-secret-of-the-test-of-32-characters-or-more',
};

/** Has a record of each kind made, by operations where one makes it. */
export async function seedEveryKind(desk: ApiDesk): Promise<Seeded> {
  const guid = 'a-1';
  const call = (operation: string, params: Record<string, unknown>) =>
    callOperation(desk, operation, params);
  await call('InsertArticle', {
    guid,
    caption: 'Flat',
    content: 'one\ntwo\nthree',
    CreateUserId: 'ada',
  });
  await call('InsertArticle', {
    guid,
    caption: 'Flat to let',
    content: 'one\n2\nthree',
    CreateUserId: 'ada',
  });
  await call('addNewAdvert', {
    guid: 'ad-1',
    title: 'Sale',
    CreateUserId: 'ada',
    linkUrl: 'https://example.com/',
  });
  const file = blackPng(4, 4).toString('base64');
  await call('InsertArticleImageFile', {
    FileGuid: 'i-1',
    FileImg: file,
    Link_Guid: guid,
    IsIcons: false,
  });
  await call('updateUserInfo', { userId: 'ada', firstName: 'Ada' });
  await desk.post('/users', { id: 'ada', name: 'Ada', email: 'ada@example.com' });
  const sms = await call('CreateVerifyCode', { userId: 'ada', cellphone: '+12125550100' });
  const { body } = await desk.post('/tokens', {
    scopes: ['mail'],
    kind: 'user',
    userId: 'ada',
    label: 'mailer',
  });
  const receiver = { receiverName: 'Grace', receiverEmail: 'grace@example.com' };
  const mail = await call('SendEmail', {
    authorizationUserId: body.token,
    ...receiver,
    subject: 'Hi',
    body: 'Secret',
  });
  const link = await call('UrltoShortUrl', { _orgUrl: 'https://example.com/long', _userId: 'ada' });
  await call('submitReview', { id: guid, IsPositive: 'true', Mark: '4', userId: 'bob' });
  await desk.post('/public/reports', { targetKind: 'article', targetKey: guid, reason: 'spam' });
  await desk.post('/suppressions/spam@example.com/add', { note: 'asked for it' });
  const first = async (path: string) => (await desk.get(path)).body.items[0].id as string;
  const soon = async (path: string, table: 'webhook_deliveries' | 'failed_calls') => {
    // Over HTTP each look would take twenty times as long.
    await until(async () => (await rowsOf(desk.store, table, 'id')).length > 0);
    return first(path);
  };
  await JSON_BINDING.call(desk.url, 'QueryAdvert', { userId: 'ada', pagesize: 'many' });
  return {
    articles: guid,
    adverts: 'ad-1',
    images: 'i-1',
    users: 'ada',
    codes: await first('/codes'),
    mails: mail,
    suppressions: 'spam@example.com',
    sms,
    links: link.slice(-7),
    reviews: await first('/reviews'),
    reports: await first('/reports'),
    tokens: body.item.id,
    audit: await first('/audit'),
    events: await first('/events'),
    ...(await seedDelivery(desk)),
    deliveries: await soon('/deliveries', 'webhook_deliveries'),
    failures: await soon('/failures', 'failed_calls'),
  };
}

/** Has a webhook made whose receiver is never called, and sends an event to it. */
async function seedDelivery(desk: ApiDesk): Promise<Pick<Seeded, 'webhooks'>> {
  const wanted = { url: 'https://192.0.2.1/hook', types: ['none.such'] };
  const { id } = (await desk.post('/webhooks', wanted)).body.item;
  await desk.post(`/webhooks/${id}/test`);
  return { webhooks: id };
}

/** What no test asks anything of. */
const UNUSED = {} as never;

/** The API alone, which is told who asks as the console tells it. */
export function apiOf(store: Store, changed: Partial<ApiDeps> = {}) {
  const unused = () => assert.fail('not asked');
  return createApi({
    store,
    limits: loadConfig({}),
    clock: Date.now,
    log: pino({ level: 'silent' }),
    onFailed: unused,
    access: { identify: unused, forget: () => {} },
    budgets: UNUSED,
    revisionLimits: { perArticle: 1, perOwner: 1 },
    targets: { baseUrl: unused, shortBaseUrl: unused },
    timeZone: 'UTC',
    decoders: UNUSED,
    maxImagePixels: 1,
    maxImageBytes: 1,
    links: new Links({ store, clock: Date.now }),
    mail: { sends: false, domain: () => 'test.invalid', onQueued: () => {} },
    onQueued: () => {},
    startBackup: async () => undefined,
    noBackups: () => undefined,
    verifyBackup: () => {},
    downloadBackup: unused,
    planRestore: unused,
    restores: new Restores(),
    restore: unused,
    machine: { command: 'ws01', stop: undefined, start: undefined },
    events: { stream: unused },
    webhookRetryMs: DAY_MS,
    media: { find: unused },
    files: UNUSED,
    setUpUrl: unused,
    settings: () => [],
    findCalls: async () => [],
    site: {
      serviceName: 'test',
      publicArticleUrl: undefined,
      publicReading: true,
      publicOrigins: undefined,
    },
    changeSetting: unused,
    mailServer: UNUSED,
    samplesOf: () => [],
    refusal: () => undefined,
    defaultCountry: undefined,
    clientAddress: unused,
    reachedAt: unused,
    baseUrl: () => 'http://localhost',
    shortBaseUrl: () => 'http://localhost/s',
    ...changed,
  });
}

/** Who asks {@link apiOf}. */
export const OWNER = { kind: 'admin', name: 'test', role: 'owner', id: '1' } as const;

/** To make one takes longer than most requests. */
const unchanged = new WeakMap<Store, ReturnType<typeof apiOf>>();

/**
 * Asks the API alone as an owner; the answer's JSON.
 * @param path below `/api/v1`.
 * @param body of a POST.
 */
export async function askAsOwner<Answer>(
  store: Store,
  path: string,
  { body, ...changed }: Partial<ApiDeps> & { readonly body?: object } = {},
): Promise<Answer> {
  const sent = body && jsonRequest(body);
  const request = new Request(`http://localhost/api/v1${path}`, sent);
  const isUnchanged = Object.keys(changed).length === 0;
  const api = (isUnchanged && unchanged.get(store)) || apiOf(store, changed);
  if (isUnchanged) unchanged.set(store, api);
  const answer = await api.fetch(request, { principal: OWNER, address: '192.0.2.1' });
  return (await answer.json()) as Answer;
}
