import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Role } from '../../src/contract/roles.ts';
import { apiOf, openApiDesk } from '../kit/api.ts';
import { forEachEngine } from '../kit/database.ts';

type Needed = 'public' | 'reader' | 'private' | 'moderator' | 'owner';

/** Who may make the requests of each group, besides owners. */
const ALLOWED: Readonly<Record<Needed, readonly string[]>> = {
  public: ['nobody', 'a token of operations', 'a token with read', 'reader', 'moderator'],
  reader: ['a token with read', 'reader', 'moderator'],
  private: ['a token with read'],
  moderator: ['moderator'],
  owner: [],
};

/** What each request needs: written out, so that a change of one is a change here. */
const NEEDED: Readonly<Record<Needed, readonly string[]>> = {
  public: [
    'GET /public/articles',
    'GET /public/articles/{guid}',
    'GET /public/adverts',
    'GET /public/adverts/{guid}',
    'GET /public/images',
    'GET /public/ratings',
    'GET /public/ratings/{key}',
    'GET /public/feeds/articles.atom',
    'GET /public/feeds/articles.json',
    'POST /public/reports',
  ],
  reader: [
    'GET /search',
    'POST /names',
    'GET /queues',
    'GET /funnel',
    'GET /history',
    'GET /calls/{requestId}',
    'GET /articles/{guid}/revisions',
    'GET /articles/{guid}/revisions/{revision}',
    'GET /links/{code}/visits',
    'GET /images/{fileGuid}/file',
    ...[
      'articles/{guid}',
      'adverts/{guid}',
      'images/{fileGuid}',
      'users/{id}',
      'links/{code}',
      'reviews/{id}',
      'reports/{id}',
      'audit/{id}',
      'backups/{id}',
      'events/{id}',
      'webhooks/{id}',
      'deliveries/{id}',
      'failures/{id}',
    ].flatMap((kind) => [`GET /${kind.split('/')[0]}`, `GET /${kind}`]),
  ],
  private: [
    'GET /settings',
    'GET /settings/{variable}',
    'GET /users/{id}/verifications',
    ...['codes/{id}', 'mails/{id}', 'suppressions/{address}', 'sms/{id}', 'tokens/{id}'].flatMap(
      (kind) => [`GET /${kind.split('/')[0]}`, `GET /${kind}`],
    ),
  ],
  moderator: [
    'POST /users/{id}/putback',
    'POST /users/{id}/takedown',
    ...['articles/{guid}', 'adverts/{guid}', 'images/{fileGuid}', 'reviews/{id}'].flatMap((kind) =>
      ['hold', 'release', 'remove', 'restore'].map((verb) => `POST /${kind}/${verb}`),
    ),
    ...['articles/{guid}', 'adverts/{guid}'].flatMap((kind) => [
      `POST /${kind}/publish`,
      `POST /${kind}/reject`,
    ]),
    'POST /reports/{id}/dismiss',
    'POST /reports/{id}/reopen',
    'POST /articles/{guid}/pend',
    'PATCH /articles/{guid}',
    'PATCH /adverts/{guid}',
    'POST /articles/{guid}/revisions/{revision}/restore',
    'POST /links/{code}/disable',
    'POST /links/{code}/enable',
  ],
  owner: [
    ...['articles/{guid}', 'adverts/{guid}', 'images/{fileGuid}', 'reviews/{id}'].map(
      (kind) => `POST /${kind}/purge`,
    ),
    'POST /articles',
    'POST /adverts',
    'POST /images',
    'POST /links',
    'PATCH /links/{code}',
    'POST /backups',
    'POST /backups/{id}/verify',
    'GET /backups/{id}/archive',
    'GET /backups/{id}/restore',
    'GET /backups/{id}/restore/progress',
    'POST /backups/{id}/restore',
    'PATCH /settings/{variable}',
    'GET /mail-server',
    'PATCH /mail-server',
    'POST /mail-server/test',
    'POST /users',
    'PATCH /users/{id}',
    'POST /users/{id}/block',
    'POST /users/{id}/unblock',
    'POST /users/{id}/ban',
    'POST /users/{id}/unban',
    'POST /users/{id}/hold',
    'POST /users/{id}/release',
    'GET /users/{id}/data',
    'GET /users/{id}/export',
    'POST /users/{id}/erase',
    'POST /mails/{id}/suppress',
    'POST /mails/{id}/unsuppress',
    'POST /suppressions/{address}/add',
    'DELETE /suppressions/{address}',
    'POST /mails/{id}/retry',
    'POST /mails/{id}/cancel',
    'POST /mails/{id}/uncancel',
    'POST /sms/{id}/retry',
    'POST /sms/{id}/cancel',
    'POST /sms/{id}/uncancel',
    'POST /tokens',
    'POST /webhooks',
    'POST /webhooks/{id}/secret',
    'POST /webhooks/{id}/disable',
    'POST /webhooks/{id}/enable',
    'POST /webhooks/{id}/test',
    'POST /webhooks/{id}/retry',
    'POST /deliveries/{id}/resend',
    'DELETE /webhooks/{id}',
    'POST /tokens/{id}/revoke',
    'PATCH /tokens/{id}',
    'POST /tokens/{id}/rotate',
    'PATCH /webhooks/{id}',
    'GET /admins',
    'POST /admins',
    'GET /admins/{id}',
    'PATCH /admins/{id}',
    'DELETE /admins/{id}',
    'POST /admins/{id}/signout',
    'POST /admins/{id}/reset',
    'GET /admins/{id}/sessions',
  ],
};

forEachEngine((_engine, fresh) => {
  it('each role may do what it may, of every verb and kind, and nothing else', async (t) => {
    const desk = await openApiDesk(t, fresh);
    const { body: document } = await desk.ask('GET', '/openapi.json', undefined, undefined);
    const served = Object.entries(document.paths as Record<string, object>).flatMap(
      ([path, item]) => Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
    );
    assert.deepEqual(Object.values(NEEDED).flat().toSorted(), served.toSorted());
    const api = apiOf(desk.store);
    const asPerson = (role: Role) => async (method: string, path: string) => {
      const principal = { kind: 'admin', name: role, role, id: role } as const;
      const request = new Request(`http://localhost/api/v1${path}`, { method });
      return (await api.fetch(request, { principal, address: '192.0.2.1' })).status;
    };
    const askAs: Record<string, (method: string, path: string) => Promise<number>> = {
      nobody: async (method, path) => (await desk.ask(method, path, undefined, undefined)).status,
      'a token of operations': async (method, path) =>
        (await desk.ask(method, path, undefined, desk.tokens.articles)).status,
      'a token with read': async (method, path) =>
        (await desk.ask(method, path, undefined, desk.tokens.read)).status,
      reader: asPerson('reader'),
      moderator: asPerson('moderator'),
      owner: async (method, path) => (await desk.ask(method, path)).status,
    };
    const refusals: Record<string, number> = { nobody: 401, 'a token of operations': 403 };
    for (const [needed, requests] of Object.entries(NEEDED)) {
      for (const request of requests) {
        const [method = '', path = ''] = request.split(' ');
        // No record has this key, so that nothing is changed by who may.
        const asked = path.replace('{revision}', '1').replaceAll(/\{\w+\}/g, 'none@example.com');
        for (const [who, ask] of Object.entries(askAs)) {
          const may = who === 'owner' || ALLOWED[needed as Needed].includes(who);
          const status = await ask(method, method === 'GET' ? asked : `${asked}?preview=true`);
          if (may) assert.ok(status !== 401 && status !== 403, `${who} may ${request}: ${status}`);
          else assert.equal(status, refusals[who] ?? 403, `${who} may not ${request}`);
        }
      }
    }
  });

  it('without the fast path it is the same, and a raw request cannot name its principal', async (t) => {
    const desk = await openApiDesk(t, fresh, { FAST_PATH: 'off' });
    assert.equal((await desk.get('/articles')).status, 200);
    const response = await fetch(`${desk.url}/api/v1/articles?principal=owner`, {
      headers: { principal: 'owner' },
    });
    assert.equal(response.status, 401);
  });
});
