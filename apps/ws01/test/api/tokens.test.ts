import assert from 'node:assert/strict';
import { it } from 'node:test';
import { DAY_MS, HOUR_MS } from '@ws01/asmx/time';
import { exchange, jsonRequest, postTo } from '../../../../packages/asmx/test/kit/http.ts';
import { openApiDesk } from '../kit/api.ts';
import { forEachEngine } from '../kit/database.ts';

forEachEngine((_engine, fresh) => {
  it('a token is edited at once, and replaced by one with its terms; the old one works as long as one says', async (t) => {
    const desk = await openApiDesk(t, fresh);
    const works = async (token: string) =>
      (await desk.ask('GET', '/articles', undefined, token)).status;
    const made = await desk.post('/tokens', { scopes: ['read', 'mail'], label: 'shop' });
    const { id } = made.body.item;
    assert.equal(await works(made.body.token), 200);
    const edit = (body: object, headers: Record<string, string> = {}) =>
      exchange(
        `${desk.url}/api/v1/tokens/${id}`,
        jsonRequest(body, { Authorization: `Bearer ${desk.tokens.manage}`, ...headers }, 'PATCH'),
      );
    const read = await desk.get(`/tokens/${id}`);
    const narrow = await edit({ scopes: ['mail'] }, { 'If-Match': String(read.headers.etag) });
    assert.equal(narrow.status, 200, narrow.body);
    assert.equal(await works(made.body.token), 403, 'at once');
    const late = await edit({ label: 'late' }, { 'If-Match': String(read.headers.etag) });
    assert.equal(late.status, 412, 'somebody has changed it since');
    const fresher = { 'If-Match': String(narrow.headers.etag) };
    const until = new Date(Date.now() + DAY_MS).toISOString();
    assert.equal((await edit({ scopes: ['read'], expiresAt: until }, fresher)).status, 200);
    assert.equal((await desk.ask('PATCH', `/tokens/${id}`, { label: 'shop' })).body.changed, false);
    for (const [body, parameter] of [
      [{ scopes: [] }, 'scopes'],
      [{ scopes: ['all'] }, 'scopes[0]'],
      [{ expiresAt: '2001-01-01T00:00:00Z' }, 'expiresAt'],
      [{ expiresAt: '2101-02-30T00:00:00Z' }, 'expiresAt'],
      [{ label: 'a\nb' }, 'label'],
      [{ kind: 'admin' }, 'kind'],
    ] as const) {
      const refused = await desk.ask('PATCH', `/tokens/${id}`, body);
      assert.deepEqual([refused.status, refused.body.parameter], [400, parameter]);
    }

    const rotate = (path: string, body: object) => desk.post(`/tokens/${path}`, body);
    const preview = (await rotate(`${id}/rotate?preview=true`, {})).body;
    assert.deepEqual([preview.changed, preview.token, preview.replacedBy], [true, null, null]);
    assert.equal((await desk.get(`/tokens/${id}`)).body.expiresAt, until, 'nothing was done');
    const { body: first } = await rotate(`${id}/rotate`, { overlap: '1h' });
    assert.deepEqual([await works(made.body.token), await works(first.token)], [200, 200]);
    const left = Date.parse(first.item.expiresAt) - Date.now();
    assert.ok(left > 0 && left <= HOUR_MS, String(left));
    const next = (await desk.get(`/tokens/${first.replacedBy}`)).body;
    assert.deepEqual([next.label, next.scopes, next.kind], ['shop', ['read'], 'service']);
    const { body: second } = await rotate(`${first.replacedBy}/rotate`, { overlap: '0h' });
    assert.deepEqual([await works(first.token), await works(second.token)], [401, 200]);
    const again = await rotate(`${first.replacedBy}/rotate`, {});
    assert.match(again.body.detail, /does not work any more/);
    assert.equal((await rotate(`${second.replacedBy}/rotate`, { overlap: '99y' })).status, 400);
    const told = JSON.stringify((await desk.get('/audit?limit=100')).body);
    for (const text of [made.body.token, first.token, second.token])
      assert.ok(!told.includes(text), 'no secret is in the audit trail');
    const [entry] = (await desk.get(`/audit?targetKey=${id}&action=token.rotate`)).body.items;
    assert.equal(entry.details.successor, first.replacedBy);
    for (const [method, path] of [
      ['PATCH', `/tokens/${second.replacedBy}`],
      ['POST', `/tokens/${second.replacedBy}/rotate`],
    ] as const)
      assert.equal((await desk.ask(method, path, {}, desk.tokens.read)).status, 403);
  });

  it('a token has one replacement, which lasts as long as it was to last itself, and no answer shows a year 10000', async (t) => {
    const desk = await openApiDesk(t, fresh);
    const made = (await desk.post('/tokens', { scopes: ['read'] })).body.item;
    const rotate = (id: string, headers: Record<string, string> = {}) =>
      postTo(`${desk.url}/api/v1/tokens/${id}/rotate`, '{}', {
        ...{ Authorization: `Bearer ${desk.tokens.manage}`, 'Content-Type': 'application/json' },
        ...headers,
      });
    const read = { 'If-Match': String((await desk.get(`/tokens/${made.id}`)).headers.etag) };
    const both = await Promise.all([rotate(made.id, read), rotate(made.id, read)]);
    assert.deepEqual(both.map(({ status }) => status).toSorted(), [200, 412]);
    const again = await rotate(made.id);
    assert.equal(again.status, 400);
    const { replacedBy } = JSON.parse(both.find(({ status }) => status === 200)!.body);
    assert.match(again.body, new RegExp(`was replaced by ${replacedBy}`));
    const next = JSON.parse((await rotate(replacedBy)).body).replacedBy;
    assert.equal((await desk.get(`/tokens/${next}`)).body.expiresAt, null);
    await desk.ask('PATCH', `/tokens/${made.id}`, { expiresAt: null });
    assert.equal((await rotate(made.id)).status, 200, 'it is to last, after all');

    const last = '9999-12-31T23:59:59.999Z';
    await desk.ask('PATCH', `/tokens/${next}`, { expiresAt: '9999-12-31T23:59:59-14:00' });
    assert.equal((await desk.get(`/tokens/${next}`)).body.expiresAt, last);
    const later = JSON.parse((await rotate(next)).body).replacedBy;
    assert.equal((await desk.get(`/tokens/${later}`)).body.expiresAt, last);
  });
});
