import assert from 'node:assert/strict';
import { it } from 'node:test';
import { HOUR_MS } from '@ws01/asmx/time';
import { jsonRequest } from '../../../../packages/asmx/test/kit/http.ts';
import { openApiDesk, SEEDED_SETTINGS, seedEveryKind } from '../kit/api.ts';
import { forBothEngines } from '../kit/database.ts';
import { rowsOf } from '../kit/rows.ts';

forBothEngines((_engine, fresh) => {
  it('readers report what is published, without a credential; moderators decide', async (t) => {
    const desk = await openApiDesk(t, fresh, SEEDED_SETTINGS);
    const seeded = await seedEveryKind(desk);
    const { origin } = new URL(desk.url);
    const report = async (body: object, headers: Record<string, string> = {}) => {
      const answer = await fetch(`${origin}/api/v1/public/reports`, jsonRequest(body, headers));
      return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
    };
    const open = async () =>
      (await desk.get('/reports?state=open&sort=created')).body.items as Record<string, string>[];
    // The seed has reported the article from this address already: the words are replaced.
    const again = { targetKind: 'article', targetKey: seeded.articles, reason: 'fraud' };
    assert.deepEqual(await report({ ...again, detail: ' Asks for money. ' }), {
      status: 202,
      body: { received: true },
    });
    assert.deepEqual(
      (await open()).map(({ targetKey, reason, detail }) => [targetKey, reason, detail]),
      [[seeded.articles, 'fraud', 'Asks for money.']],
    );
    for (const [targetKind, targetKey] of [
      ['advert', seeded.adverts],
      ['image', seeded.images],
      ['review', seeded.reviews],
    ] as const)
      assert.equal((await report({ targetKind, targetKey, reason: 'spam' })).status, 202);
    assert.equal((await open()).length, 4);

    // What the public cannot see cannot be reported, nor by a reason or in a length that is none.
    const unknown = { targetKind: 'article', targetKey: 'none', reason: 'spam' };
    assert.equal((await report(unknown)).status, 404);
    assert.equal((await report({ ...again, reason: 'boring' })).status, 400);
    assert.equal((await report({ ...again, detail: 'x'.repeat(1_001) })).status, 400);
    await desk.post(`/adverts/${seeded.adverts}/hold`, {});
    const hidden = { targetKind: 'advert', targetKey: seeded.adverts, reason: 'spam' };
    assert.equal((await report(hidden)).status, 404);
    // A decision about a record closes what was reported of it.
    assert.deepEqual(
      (await open()).map(({ targetKind }) => targetKind),
      ['article', 'image', 'review'],
    );
    // One that is taken back has them wait again: a slip of the hand loses none.
    await desk.post(`/adverts/${seeded.adverts}/release`, {});
    assert.equal((await open()).length, 4);
    await desk.post(`/adverts/${seeded.adverts}/remove`, {});
    assert.equal((await open()).length, 3);
    await desk.post(`/adverts/${seeded.adverts}/restore`, {});
    assert.equal((await open()).length, 4);
    await desk.post(`/adverts/${seeded.adverts}/hold`, {});
    assert.equal((await open()).length, 3);

    const [first] = await open();
    const dismissed = await desk.post(`/reports/${first!.id}/dismiss`, { reason: 'is fine' });
    assert.deepEqual([dismissed.status, dismissed.body.changed], [200, true]);
    assert.equal((await open()).length, 2);
    // The same reader has no second word on what a moderator has decided.
    assert.equal((await report(again)).status, 202);
    assert.equal((await open()).length, 2);
    await desk.post(`/reports/${first!.id}/reopen`, {});
    assert.equal((await open()).length, 3);
    const rows = await rowsOf(desk.store, 'reports', 'id');
    assert.equal(new Set(rows.map(({ reporter }) => reporter)).size, 1);
    // Who reported is in no answer.
    assert.ok(!JSON.stringify(await open()).includes(rows[0]!.reporter));
  });

  it('the budget of an address ends reports, repeats use none, and pages of other origins may send them', async (t) => {
    const desk = await openApiDesk(t, fresh, {
      RATE_LIMITS: 'on',
      PUBLIC_ORIGINS: 'https://site.example',
      fixed: { reportsPerAddress: [{ limit: 2, window: HOUR_MS }] },
      ...SEEDED_SETTINGS,
    });
    const seeded = await seedEveryKind(desk);
    const { origin } = new URL(desk.url);
    const send = (method: string, body?: object) =>
      fetch(`${origin}/api/v1/public/reports`, {
        method,
        headers: { 'Content-Type': 'application/json', Origin: 'https://site.example' },
        ...(body && { body: JSON.stringify({ reason: 'spam', ...body }) }),
      });
    const preflight = await send('OPTIONS');
    assert.equal(preflight.headers.get('access-control-allow-origin'), 'https://site.example');
    assert.match(preflight.headers.get('access-control-allow-methods')!, /POST/);
    assert.match(preflight.headers.get('access-control-allow-headers')!, /Content-Type/);
    // The seed has used one.
    const article = { targetKind: 'article', targetKey: seeded.articles };
    for (let times = 0; times < 3; times++) assert.equal((await send('POST', article)).status, 202);
    const advert = await send('POST', { targetKind: 'advert', targetKey: seeded.adverts });
    assert.equal(advert.status, 202);
    assert.equal(advert.headers.get('access-control-allow-origin'), 'https://site.example');
    assert.equal(advert.headers.get('cache-control'), 'no-store');
    const image = await send('POST', { targetKind: 'image', targetKey: seeded.images });
    assert.equal(image.status, 429);
    assert.ok(Number(image.headers.get('retry-after')) > 0);
  });
});
