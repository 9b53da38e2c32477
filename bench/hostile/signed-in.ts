import { addAdmin } from '../../apps/ws01/src/domain/admins/admins.ts';
import { passwordMethod, setUp } from '../../apps/ws01/src/domain/admins/sign-in-methods.ts';
import { openStore } from '../../apps/ws01/src/store/open.ts';
import { TOKEN } from '../../apps/ws01/test/kit/names.ts';
import type { ReaderAttack } from '../../apps/ws01/test/security/kit/reader-attacks.ts';
import {
  FORM,
  fill,
  get,
  type Headers,
  JSON_TYPE,
  OF_CONSOLE,
  OF_MCP,
  post,
} from '../../apps/ws01/test/security/kit/requests.ts';
import type { Target } from '../../apps/ws01/test/security/kit/target.ts';

const BEARER: Headers = { Authorization: `Bearer ${TOKEN}` };
/** What forms of the console take of who is signed in, and bodies of the API; bytes. */
const [FORM_BYTES, API_BYTES] = [250_000, 65_000];
const KINDS = ['articles', 'adverts', 'users', 'mails', 'audit', 'links', 'reviews', 'images'];
const NEARLY = `${'a'.repeat(199)}b`;

/** The cookie of an owner of a running service, which is made beside it. */
export async function cookieOf({ dataDir }: Pick<Target, 'dataDir'>): Promise<string> {
  const place = { databaseUrl: undefined, dataDir, poolSize: 1, startTimeout: 3_000 };
  const store = await openStore({ ...place, guest: true, schema: 'require' });
  try {
    const link = await addAdmin(store, { name: 'olga', role: 'owner' }, Date.now);
    const way = await passwordMethod('correct horse battery staple');
    const visitor = { address: '127.0.0.1', agent: 'bench' };
    return `ws01-session=${await setUp(store, link, way, Date.now, visitor)}`;
  } finally {
    await store.close();
  }
}

/** Requests of somebody who is signed in to the console, past its guard. @param cookie of an owner. */
export function consoleAttacks(cookie: string): readonly ReaderAttack[] {
  const own: Headers = { ...OF_CONSOLE, Cookie: cookie };
  const form = (path: string, text: string) => () =>
    post(path, { ...own, ...FORM }, fill(text, FORM_BYTES));
  const page = (path: string) => () => get(path, own);
  return [
    { name: 'console: its first page', make: page('/console') },
    ...KINDS.map((kind) => ({
      name: `console: ${kind}, a long search`,
      make: page(`/console/${kind}?q=${NEARLY}`),
    })),
    {
      name: 'console: a long filter',
      make: page(`/console/articles?createUserId=${fill('a', 14_000)}`),
    },
    {
      name: 'console: a long cursor',
      make: page(`/console/articles?cursor=${fill('WyJ', 14_000)}`),
    },
    { name: 'console: many parameters', make: page(`/console/articles?${fill('a=b&', 14_000)}`) },
    { name: 'console: a message of others', make: page(`/console?told=${fill('A', 14_000)}`) },
    { name: 'console: search of all', make: page(`/console/search?q=${fill('%2B', 3_000)}`) },
    { name: 'console: an export', make: page('/console/audit.csv') },
    { name: 'console: a new record of names', make: form('/console/users/new', 'a=&') },
    { name: 'console: a new record of escapes', make: form('/console/users/new', 'name=%41&') },
    { name: 'console: a password', make: form('/console/account/password', 'password=a') },
    {
      name: 'console: a passkey, deep JSON',
      make: () => post('/console/account/passkey', { ...own, ...JSON_TYPE }, fill('[', FORM_BYTES)),
    },
  ];
}

const JSON_RPC =
  '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"InsertArticle","arguments":{' +
  '"guid":"g","CreateUserId":"u",*}}}';
const tool = (before: string, text: string, after: string) => (bytes: number) =>
  post(
    '/mcp',
    { ...OF_MCP, ...BEARER },
    JSON_RPC.replace('*', () => before + fill(text, bytes) + after),
  );

/** Requests with a token, to the doors beside the endpoint. */
export const TOKEN_ATTACKS: readonly ReaderAttack[] = [
  { name: 'MCP: a long text', make: tool('"content":"', 'x', '"') },
  { name: 'MCP: a text of escapes', make: tool('"content":"', '\\u0041', '"') },
  { name: 'MCP: deep arguments', make: tool('"content":', '[', '') },
  { name: 'MCP: members', make: tool('"content":"x"', ',"a":1', '') },
  ...KINDS.map((kind) => ({
    name: `API: ${kind}, a long search`,
    make: () => get(`/api/v1/${kind}?q=${NEARLY}`, BEARER),
  })),
  { name: 'API: words', make: () => get(`/api/v1/audit?q=${fill('a+', 200)}`, BEARER) },
  {
    name: 'API: deep JSON',
    make: () => post('/api/v1/users', { ...JSON_TYPE, ...BEARER }, fill('[', API_BYTES)),
  },
  {
    name: 'API: members',
    make: () =>
      post('/api/v1/users', { ...JSON_TYPE, ...BEARER }, `{${fill('"a":1,', API_BYTES)}"b":1}`),
  },
  {
    name: 'API: a body that is too long',
    make: (n) => post('/api/v1/users', { ...JSON_TYPE, ...BEARER }, fill(' ', n)),
  },
];

/** Anonymous requests to the ports beside the service's own. */
export const SIDE_ATTACKS: readonly ReaderAttack[] = [
  { name: 'metrics', side: 'metrics', make: () => get('/metrics') },
  {
    name: 'metrics: a body',
    side: 'metrics',
    make: (n) => post('/metrics', FORM, fill('a=b&', n)),
  },
  { name: 'metrics: a long target', side: 'metrics', make: () => get(`/${fill('%2f', 14_000)}`) },
  {
    name: 'metrics: many headers',
    side: 'metrics',
    make: () =>
      get(
        '/metrics',
        Object.fromEntries(Array.from({ length: 1_000 }, (_, at) => [`X-${at}`, 'a'])),
      ),
  },
  {
    name: 'console port: a form of names',
    side: 'console',
    make: () => post('/console/sign-in', { ...OF_CONSOLE, ...FORM }, fill('a=&', 15_000)),
  },
  {
    name: 'console port: a body',
    side: 'console',
    make: (n) => post('/console/sign-in', { ...OF_CONSOLE, ...FORM }, fill('a=&', n)),
  },
  {
    name: 'console port: deep JSON',
    side: 'console',
    make: () => post('/console/passkey', { ...OF_CONSOLE, ...JSON_TYPE }, fill('[', 15_000)),
  },
  {
    name: 'console port: a long target',
    side: 'console',
    make: () => get(`/console/${fill('..%2f', 14_000)}`, OF_CONSOLE),
  },
];
