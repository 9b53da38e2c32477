import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { words } from '../../../../packages/asmx/src/contract/words.ts';
import { until } from '../../../../packages/asmx/test/kit/until.ts';
import {
  type ApiDesk,
  openApiDesk,
  SEEDED_SETTINGS,
  type Seeded,
  seedEveryKind,
} from '../kit/api.ts';
import { forBothEngines } from '../kit/database.ts';

/** Requests that change something, each with its body; none of them in the way of another. */
const WRITES: readonly (readonly [
  method: string,
  path: string,
  kind: keyof Seeded,
  body?: unknown,
])[] = [
  ...(['articles', 'adverts', 'images', 'reviews'] as const).flatMap((kind) =>
    ['hold', 'release', 'remove', 'restore'].map(
      (verb) => ['POST', `/${kind}/{key}/${verb}`, kind, {}] as const,
    ),
  ),
  ...['pend', 'publish', 'reject', 'restore'].map(
    (verb) => ['POST', `/articles/{key}/${verb}`, 'articles', {}] as const,
  ),
  ...['publish', 'reject', 'restore'].map(
    (verb) => ['POST', `/adverts/{key}/${verb}`, 'adverts', {}] as const,
  ),
  ['POST', '/reports/{key}/dismiss', 'reports', {}],
  ['POST', '/reports/{key}/reopen', 'reports', {}],
  ['POST', '/articles/{key}/revisions/1/restore', 'articles', {}],
  ['PATCH', '/users/{key}', 'users', { city: 'Bath' }],
  ['POST', '/users/{key}/hold', 'users', { reason: 'Case 7', until: null }],
  ['POST', '/users/{key}/release', 'users', {}],
  ['POST', '/users/{key}/takedown', 'users', { reason: 'spam' }],
  ['POST', '/users/{key}/putback', 'users', {}],
  ['POST', '/users/{key}/ban', 'users', { reason: 'spam' }],
  ['POST', '/users/{key}/unban', 'users', {}],
  ['POST', '/users/{key}/block', 'users', { reason: 'spam' }],
  ['POST', '/users/{key}/unblock', 'users', {}],
  ['POST', '/mails/{key}/cancel', 'mails'],
  ['POST', '/mails/{key}/uncancel', 'mails'],
  ['POST', '/mails/{key}/retry', 'mails'],
  ['POST', '/mails/{key}/suppress', 'mails', { reason: 'asked' }],
  ['POST', '/mails/{key}/unsuppress', 'mails'],
  ['POST', '/sms/{key}/cancel', 'sms'],
  ['POST', '/sms/{key}/uncancel', 'sms'],
  ['DELETE', '/suppressions/{key}', 'suppressions'],
  ['POST', '/links/{key}/disable', 'links'],
  ['POST', '/links/{key}/enable', 'links'],
  ['PATCH', '/tokens/{key}', 'tokens', { label: 'shop' }],
  ['POST', '/tokens/{key}/rotate', 'tokens', { overlap: '1h' }],
  ['POST', '/tokens/{key}/revoke', 'tokens'],
  ['PATCH', '/webhooks/{key}', 'webhooks', { label: 'shop' }],
  ['POST', '/webhooks/{key}/secret', 'webhooks'],
  ['POST', '/webhooks/{key}/disable', 'webhooks'],
  ['POST', '/webhooks/{key}/enable', 'webhooks'],
  ['POST', '/webhooks/{key}/test', 'webhooks'],
  ['POST', '/webhooks/{key}/retry', 'webhooks'],
  ['POST', '/deliveries/{key}/resend', 'deliveries'],
  ['DELETE', '/webhooks/{key}', 'webhooks'],
];

/** What reads a part of a record. */
const PARTS: readonly (readonly [path: string, kind: keyof Seeded])[] = [
  ['/articles/{key}/revisions', 'articles'],
  ['/articles/{key}/revisions/1', 'articles'],
  ['/articles/{key}/revisions/2', 'articles'],
  ['/users/{key}/verifications', 'users'],
  ['/users/{key}/data', 'users'],
  ['/users/{key}/export', 'users'],
  ['/links/{key}/visits', 'links'],
];

/** What is about no one record. */
const OTHERS = words(
  '/settings /queues /funnel /history /history?range=90d&operation=InsertArticle /backups',
  '/search?q=ada /search?q=grace@example.com /public/articles /public/adverts',
  '/public/images?linkGuid=a-1 /public/ratings?keys=a-1 /public/ratings/a-1',
  '/public/feeds/articles.atom /public/feeds/articles.json',
);

forBothEngines((engine, fresh) => {
  it('the document is valid OpenAPI 3.1, and every answer is what it says', async (t) => {
    const desk = await openApiDesk(t, fresh, SEEDED_SETTINGS);
    const keys = await seedEveryKind(desk);
    const { body: document, headers } = await desk.ask(
      'GET',
      '/openapi.json',
      undefined,
      undefined,
    );
    assert.equal(headers['content-type'], 'application/json');
    if (engine === 'sqlite') {
      const { valid, errors } = await new Validator().validate(structuredClone(document));
      assert.ok(valid, JSON.stringify(errors, null, 2));
    }
    const check = checkerOf(desk, document);
    const unasked = new Set(operationsOf(document));
    const ask = async (method: string, path: string, key: string, body?: unknown) =>
      unasked.delete(await check(method, path.replace('{key}', encodeURIComponent(key)), body));

    for (const [kind, key] of Object.entries(keys)) {
      await ask('GET', `/${kind}?limit=100`, '');
      await ask('GET', `/${kind}/{key}`, key);
    }
    for (const [path, kind] of PARTS) await ask('GET', path, keys[kind]);
    for (const path of OTHERS) await ask('GET', path, '');
    await ask('GET', '/calls/{key}', 'none');
    for (const kind of ['articles', 'adverts'] as const)
      await ask('GET', `/public/${kind}/{key}`, keys[kind]);
    const report = { targetKind: 'advert', targetKey: keys.adverts, reason: 'spam' };
    await ask('POST', '/public/reports', '', report);
    await ask('POST', '/names', '', { articles: [keys.articles], users: [keys.users] });
    await ask('POST', '/articles', '', { caption: 'Lamp' });
    await ask('POST', '/adverts', '', { title: 'Lamp' });
    await ask('POST', '/links', '', { orgUrl: 'https://example.com/lamp' });
    await ask('PATCH', '/articles/{key}', keys.articles, { contactPhone: '1' });
    await ask('PATCH', '/adverts/{key}', keys.adverts, { linkTxt: 'More' });
    await ask('PATCH', '/links/{key}', keys.links, { deadline: '2041-01-01T00:00:00Z' });
    await ask('GET', '/settings/{key}', 'SERVICE_NAME');
    await ask('PATCH', '/settings/{key}', 'SERVICE_NAME', { value: 'Corner market' });
    await ask('GET', '/mail-server', '');
    await ask('PATCH', '/mail-server', '', { host: '127.0.0.1', port: 9, security: 'offered' });
    await ask('POST', '/mail-server/test', '', { to: 'ada@example.com' });
    await ask('POST', '/users', '', { id: 'zed' });
    await ask('POST', '/tokens', '', { scopes: ['read'] });
    await ask('POST', '/suppressions/{key}/add', 'x@example.com', { note: 'asked' });
    await ask('POST', '/admins', '', { name: 'mo', role: 'moderator' });
    await ask('GET', '/admins', '');
    const { id: admin } = (await desk.get('/admins')).body.items[0];
    await ask('GET', '/admins/{key}', admin);
    await ask('GET', '/admins/{key}/sessions', admin);
    await ask('PATCH', '/admins/{key}', admin, { role: 'reader' });
    await ask('POST', '/admins/{key}/signout', admin);
    await ask('POST', '/admins/{key}/reset?preview=true', admin);
    await ask('POST', '/admins/{key}/reset', admin);
    await ask('DELETE', '/admins/{key}', admin);
    for (const [method, path, kind, body] of WRITES) {
      await ask(method, `${path}?preview=true`, keys[kind], body);
      await ask(method, path, keys[kind], body);
    }
    for (const kind of ['adverts', 'images', 'reviews', 'articles'] as const) {
      await desk.post(`/${kind}/${keys[kind]}/remove`);
      await ask('POST', `/${kind}/{key}/purge?preview=true`, keys[kind]);
      await ask('POST', `/${kind}/{key}/purge`, keys[kind]);
    }
    await ask('POST', '/users/{key}/erase?preview=true', keys.users);
    await ask('POST', '/users/{key}/erase', keys.users);
    assert.deepEqual([...unasked].toSorted(), [
      'GET /backups/{id}',
      'GET /backups/{id}/archive',
      'GET /backups/{id}/restore',
      'GET /backups/{id}/restore/progress',
      'GET /images/{fileGuid}/file',
      'POST /backups',
      'POST /backups/{id}/restore',
      'POST /backups/{id}/verify',
      'POST /images',
      'POST /sms/{id}/retry',
      'POST /webhooks',
    ]);
  });
});

function operationsOf(document: { paths: Record<string, Record<string, unknown>> }): string[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
  );
}

/** Asks, and holds the answer against the document. @returns the operation that answered. */
function checkerOf(desk: ApiDesk, document: Record<string, unknown>) {
  const ajv = new Ajv2020({ strict: false, formats: { 'date-time': true, date: true } });
  ajv.addSchema({ $id: 'api', ...document });
  return async (method: string, path: string, body?: unknown): Promise<string> => {
    let { status, body: answer } = await desk.ask(method, path, body);
    // A message that is on its way at this moment waits again soon: its gateway does not answer.
    await until(async () => {
      if (!/is sending;/.test(answer?.detail)) return true;
      ({ status, body: answer } = await desk.ask(method, path, body));
      return false;
    });
    assert.ok(status < 300, `${method} ${path}: ${JSON.stringify(answer)}`);
    const { paths } = document as { paths: Record<string, Record<string, unknown>> };
    const asked = path.split('?')[0]!.split('/');
    const fits = (template: string) => {
      const parts = template.split('/');
      return (
        parts.length === asked.length &&
        parts.every((part, at) => part.startsWith('{') || part === asked[at])
      );
    };
    const template = Object.keys(paths).find(
      (name) => fits(name) && paths[name]![method.toLowerCase()] !== undefined,
    );
    assert.ok(template, `${method} ${path} is in the document`);
    const pointer = ['paths', template, method.toLowerCase(), 'responses', String(status)]
      .map((part) =>
        part
          .replaceAll('~', '~0')
          .replaceAll('/', '~1')
          .replaceAll('{', '%7B')
          .replaceAll('}', '%7D'),
      )
      .join('/');
    const type = Object.keys(
      responseOf(paths[template]![method.toLowerCase()], status).content,
    )[0]!;
    const validate = ajv.getSchema(`api#/${pointer}/content/${type.replaceAll('/', '~1')}/schema`)!;
    const value = type === 'application/feed+json' ? JSON.stringify(answer) : answer;
    assert.ok(
      validate(value),
      `${method} ${path}: ${ajv.errorsText(validate.errors)} in ${JSON.stringify(answer)}`,
    );
    return `${method} ${template}`;
  };
}

function responseOf(
  operation: unknown,
  status: number,
): { readonly content: Readonly<Record<string, unknown>> } {
  return (operation as { responses: Record<number, { content: Record<string, unknown> }> })
    .responses[status]!;
}
