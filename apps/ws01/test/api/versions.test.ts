import assert from 'node:assert/strict';
import { test } from 'node:test';
import { exchange, jsonRequest } from '../../../../packages/asmx/test/kit/http.ts';
import { openApiDesk, SEEDED_SETTINGS, seedEveryKind } from '../kit/api.ts';
import { Clock } from '../kit/clock.ts';
import { forBothEngines } from '../kit/database.ts';

/** Two changes of a record, of which the second is of what was there before the first. */
interface Race {
  readonly path: string;
  readonly method?: string;
  readonly tail?: string;
  readonly bodies: readonly [object, object];
}

forBothEngines((_engine, fresh) => {
  test('If-Match: of two changes within a millisecond, of whatever kind, the second is of an old version', async (t) => {
    const desk = await openApiDesk(t, fresh, SEEDED_SETTINGS);
    const keys = await seedEveryKind(desk);
    const admin = await desk.post('/admins', { name: 'grace', role: 'reader' });
    const by = (reason: string) => ({ reason });
    const races: Readonly<Record<string, Race>> = {
      article: { path: `/articles/${keys.articles}`, bodies: [{ caption: 'A' }, { caption: 'B' }] },
      advert: { path: `/adverts/${keys.adverts}`, bodies: [{ title: 'A' }, { title: 'B' }] },
      image: { path: `/images/${keys.images}`, tail: '/hold', bodies: [by('A'), by('B')] },
      review: { path: `/reviews/${keys.reviews}`, tail: '/remove', bodies: [by('A'), by('B')] },
      user: { path: '/users/ada', bodies: [{ city: 'A' }, { city: 'B' }] },
      hold: { path: '/users/ada', tail: '/hold', bodies: [by('A'), by('B')] },
      block: { path: '/users/ada', tail: '/block', bodies: [by('A'), by('B')] },
      link: {
        path: `/links/${keys.links}`,
        bodies: [{ orgUrl: 'https://a.example/' }, { orgUrl: 'https://b.example/' }],
      },
      token: { path: `/tokens/${keys.tokens}`, bodies: [{ label: 'A' }, { label: 'B' }] },
      webhook: { path: `/webhooks/${keys.webhooks}`, bodies: [{ label: 'A' }, { label: 'B' }] },
      disabled: {
        path: `/webhooks/${keys.webhooks}`,
        tail: '/disable',
        bodies: [by('A'), by('B')],
      },
      admin: {
        path: `/admins/${admin.body.item.id}`,
        bodies: [{ role: 'moderator' }, { role: 'owner' }],
      },
      report: { path: `/reports/${keys.reports}`, tail: '/dismiss', bodies: [by('A'), by('B')] },
      setting: { path: '/settings/MAIL_KEPT_DAYS', bodies: [{ value: '41' }, { value: '42' }] },
      server: { path: '/mail-server', bodies: [{ host: 'a.example' }, { host: 'b.example' }] },
      // Of a secret nothing tells one value from another but the change itself.
      password: {
        path: '/mail-server',
        bodies: [
          { user: 'ada', password: 'first' },
          { user: 'ada', password: 'second' },
        ],
      },
      again: { path: '/mail-server', bodies: [{ password: 'third' }, { password: 'fourth' }] },
    };
    const send = (race: Race, body: object, version: string) =>
      exchange(
        `${desk.url}/api/v1${race.path}${race.tail ?? ''}`,
        jsonRequest(
          body,
          { Authorization: `Bearer ${desk.tokens.manage}`, 'If-Match': version },
          race.tail === undefined ? 'PATCH' : 'POST',
        ),
      );
    const clock = new Clock(t);
    clock.stop();
    for (const [name, race] of Object.entries(races)) {
      const read = async () => {
        const { headers, body } = await desk.get(race.path);
        return { tag: String(headers.etag), body };
      };
      const [first, second] = race.bodies;
      const { tag } = await read();
      assert.match(tag, /^"[\w-]+"$/, name);
      assert.equal((await read()).tag, tag, `${name}: reading it again`);
      const won = await send(race, first, tag);
      assert.equal(won.status, 200, `${name}: ${won.body}`);
      const between = await read();
      assert.equal(between.tag, won.headers.etag, name);
      assert.notEqual(between.tag, tag, name);
      const lost = await send(race, second, tag);
      assert.equal(lost.status, 412, `${name}: ${lost.body}`);
      assert.equal(JSON.parse(lost.body).parameter, 'If-Match', name);
      assert.deepEqual(await read(), between, `${name}: nothing was done`);
      assert.equal((await send(race, second, `"x", ${between.tag}`)).status, 200, name);
    }
    clock.goOn();
  });
});
