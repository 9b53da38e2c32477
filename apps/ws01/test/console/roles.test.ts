import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ROLES, type Role } from '../../src/contract/roles.ts';
import { SEEDED_SETTINGS } from '../kit/api.ts';
import { TOKEN } from '../kit/service.ts';
import { sessionOf, visitor } from './kit/browser.ts';
import { call, filledService } from './kit/filled.ts';
import { filledIn, KEYS, routePaths } from './kit/routes.ts';

/** What nobody but owners may read: of persons, of their messages, of tokens and settings. */
const PRIVATE = {
  name: 'Lovelace-Byron',
  email: 'countess@example.net',
  phone: '+14155550123',
  street: 'Ockham Park',
  subject: 'About your analytical engine',
  body: 'weaves algebraical patterns',
  receiver: 'babbage@example.net',
  suppressed: 'menabrea@example.net',
  token: 'loom of jacquard',
  setting: 'MAX_REQUEST_BYTES',
  linkEmail: 'somerville@example.net',
} as const;

/** The pages of the console that only owners open. Everything else is for all roles; a page missing here is one of these. */
const OWNERS_ONLY: readonly string[] = [
  'inbox',
  'mails',
  'mails/:key/body',
  'sms',
  'codes',
  'suppressions',
  'tokens',
  'tokens/new',
  'admins',
  'admins/new',
  'settings',
  'settings/:variable',
  'settings/SMTP_URL',
  'users/new',
  'users/:key/export.json',
  'webhooks/new',
  'backups/new',
  'backups/:key/restore',
  'articles/new',
  'adverts/new',
  'links/new',
  'images/upload',
  ...['users', 'links', 'admins', 'tokens', 'webhooks'].map((kind) => `${kind}/:key/edit`),
];

/** The pages that readers do not open, but moderators do. */
const NOT_FOR_READERS: readonly string[] = ['articles/:key/edit', 'adverts/:key/edit'];

/** Pages of the account that the browser itself comes with. */
const isOf = (list: string, path: string) =>
  path === list || path === `${list}.csv` || path === `${list}/:key`;

test('each role reads, lists, searches, counts and exports on every page what it may, and nothing else', async (t) => {
  const service = await filledService(t, SEEDED_SETTINGS);
  const cookies = Object.fromEntries(
    await Promise.all(ROLES.map(async (role) => [role, await sessionOf(service, role)] as const)),
  ) as Record<Role, string>;
  const { api } = visitor(service, cookies.owner);
  const send = async (method: string, path: string, body: object) => {
    const answer = await api(method, path, body);
    assert.ok(answer.status < 300, `${path}: ${JSON.stringify(answer.body)}`);
  };
  await send('PATCH', '/users/ada', {
    name: PRIVATE.name,
    email: PRIVATE.email,
    lastName: PRIVATE.name,
    address: PRIVATE.street,
    cellPhone: PRIVATE.phone,
  });
  await send('PATCH', '/users/ada', { lastName: 'of Lovelace' });
  await send('POST', `/suppressions/${PRIVATE.suppressed}/add`, { note: 'asked for it' });
  await send('POST', '/tokens', { scopes: ['mail'], label: PRIVATE.token });
  await send('POST', '/webhooks', { url: 'https://192.0.2.1/hook', types: ['none.such'] });
  await call(service, 'SendEmail', {
    authorizationUserId: TOKEN,
    receiverName: PRIVATE.name,
    receiverEmail: PRIVATE.receiver,
    subject: PRIVATE.subject,
    body: PRIVATE.body,
  });
  const link = {
    _userId: 'ada',
    _userEmail: PRIVATE.linkEmail,
    _orgUrl: 'https://example.org/hers',
  };
  await call(service, 'UrltoShortUrl', link);

  const ask = async (role: Role, path: string) => {
    const answer = await fetch(service.url + path, {
      headers: { Cookie: cookies[role] },
      redirect: 'manual',
    });
    return { status: answer.status, text: await answer.text() };
  };
  const told = (text: string) =>
    Object.entries(PRIVATE).filter(([, value]) => text.includes(value));

  // Every page: who opens it, and that what others see there tells nothing private.
  const records = new Map<string, string>();
  const open = async (path: string) => (await ask('owner', path)).text;
  const seenByOwner = new Set<string>();
  for (const route of await routePaths()) {
    const page = route.replace(/^\/console\/?/, '');
    const path = await filledIn(open, route, { ...KEYS, secret: 'none' }, records).catch(
      () => undefined,
    );
    if (path === undefined || /^(?:sign-in|set-up|live)/.test(page)) continue;
    const isOwners = OWNERS_ONLY.some((list) => isOf(list, page));
    const answers = new Map<Role, { status: number; text: string }>();
    for (const role of ROLES) answers.set(role, await ask(role, path));
    for (const [name] of told(answers.get('owner')!.text)) seenByOwner.add(name);
    for (const role of ['moderator', 'reader'] as const) {
      const { status, text } = answers.get(role)!;
      const isRefused = isOwners || (role === 'reader' && NOT_FOR_READERS.includes(page));
      assert.equal(status === 403, isRefused, `${role} ${path}: ${status}`);
      assert.deepEqual(told(text), [], `${role} ${path}`);
    }
    assert.notEqual(answers.get('owner')!.status, 403, path);
  }
  assert.deepEqual(
    [...seenByOwner].toSorted(),
    Object.keys(PRIVATE).toSorted(),
    'an owner sees each of them somewhere',
  );

  // What cannot be read cannot be guessed by searching, filtering or counting either.
  for (const role of ['moderator', 'reader'] as const) {
    for (const value of Object.values(PRIVATE)) {
      const q = encodeURIComponent(value);
      const { text } = await ask(role, `/console/search?q=${q}`);
      assert.match(text, /Nothing was found/, `${role} finds nothing by ${value}`);
      for (const kind of ['users', 'links', 'audit', 'articles', 'events']) {
        const { status, text: list } = await ask(role, `/api/v1/${kind}?q=${q}`);
        assert.ok(
          status === 400 || list.startsWith('{"items":[]'),
          `${role} ${kind} ${value}: ${list.slice(0, 200)}`,
        );
      }
    }
    for (const filter of ['email=countess@example.net', 'cellPhone=%2B14155550123', 'held=true']) {
      assert.equal((await ask(role, `/api/v1/users?${filter}`)).status, 403, `${role} ${filter}`);
    }
    for (const path of [
      `/api/v1/search?q=${PRIVATE.email}`,
      `/api/v1/search?q=${PRIVATE.suppressed}`,
    ]) {
      assert.deepEqual(JSON.parse((await ask(role, path)).text).items, [], `${role} ${path}`);
    }
    const { text: users } = await ask(role, '/console/users.csv');
    assert.match(users, /^\uFEFF?id,isRegistered,blockedAt,createdAt,updatedAt\r\n/);
    const menu = (await ask(role, '/console')).text;
    for (const list of OWNERS_ONLY.filter((one) => !one.includes('/'))) {
      assert.ok(!menu.includes(`href="/console/${list}"`), `${role} has no link to ${list}`);
    }
    const history = JSON.parse((await ask(role, '/api/v1/audit?limit=100')).text).items as {
      targetKind: string;
    }[];
    assert.deepEqual([...new Set(history.map(({ targetKind }) => targetKind))].toSorted(), [
      ...['advert', 'article', 'image', 'link', 'review'],
    ]);
  }
  // What they need is there: who wrote it, from where, and whether that user is blocked.
  const { text: advert } = await ask('moderator', '/console/adverts/spam');
  assert.ok(advert.includes('/console/users/mallory') && advert.includes('127.0.0.1'), advert);
  assert.equal((await ask('moderator', '/console/users/mallory')).status, 200);
});
