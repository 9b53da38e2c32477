import assert from 'node:assert/strict';
import { it } from 'node:test';
import { openApiDesk } from '../kit/api.ts';
import { forEachEngine } from '../kit/database.ts';

forEachEngine((_engine, fresh) => {
  it('an owner lets people in by a link, changes what they may, signs them out, and stays the last owner', async (t) => {
    const desk = await openApiDesk(t, fresh);
    const added = await desk.post('/admins', { name: 'ada', role: 'owner' });
    assert.equal(added.status, 201);
    const { id } = added.body.item;
    assert.match(added.body.link, /^http:\/\/\S+\/console\/set-up\/[\w-]{20,}$/);
    assert.equal((await desk.post('/admins', { name: 'ADA', role: 'reader' })).status, 409);
    assert.equal((await desk.post('/admins', { name: ' ', role: 'reader' })).status, 400);

    const page = async (link: string) => (await fetch(desk.url + new URL(link).pathname)).text();
    assert.match(await page(added.body.link), /Welcome, ada/);
    const preview = await desk.post(`/admins/${id}/reset?preview=true`);
    assert.deepEqual(
      [preview.body.link, /Welcome, ada/.test(await page(added.body.link))],
      [null, true],
    );
    const reset = await desk.post(`/admins/${id}/reset`);
    assert.match(await page(reset.body.link), /Welcome, ada/);
    assert.doesNotMatch(await page(added.body.link), /Welcome, ada/, 'the link before is void');

    for (const [method, path, body] of [
      ['DELETE', `/admins/${id}`, {}],
      ['PATCH', `/admins/${id}`, { role: 'reader' }],
    ] as const) {
      const refused = await desk.ask(method, path, body);
      assert.deepEqual([refused.status, /only owner/.test(refused.body.detail)], [403, true]);
    }
    const other = (await desk.post('/admins', { name: 'bob', role: 'reader' })).body.item.id;
    const raised = await desk.ask('PATCH', `/admins/${other}`, { role: 'owner' });
    assert.equal(raised.body.item.role, 'owner');
    const at = Date.now();
    const session = {
      hash: new Uint8Array(32),
      admin_id: other,
      created_at: at,
      seen_at: at,
      address: '::1',
      agent: 'x',
    };
    await desk.store.write((tx) => tx.insertInto('admin_sessions').values(session).execute());
    assert.equal((await desk.get(`/admins/${other}/sessions`)).body.items.length, 1);
    assert.equal((await desk.post(`/admins/${other}/signout`)).body.item.sessions, 0);
    assert.equal((await desk.ask('DELETE', `/admins/${id}`, {})).body.item, null);
    assert.deepEqual(
      (await desk.get('/admins')).body.items.map(({ name }: { name: string }) => name),
      ['bob'],
    );
    assert.equal((await desk.ask('DELETE', `/admins/${id}`, {})).status, 404);
    const actions = (await desk.get(`/audit?targetKey=${other}`)).body.items.map(
      ({ action }: { action: string }) => action,
    );
    assert.deepEqual(actions, ['admin.sign-out-everywhere', 'admin.role', 'admin.add']);
  });
});
