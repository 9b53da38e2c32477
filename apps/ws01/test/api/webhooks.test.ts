import assert from 'node:assert/strict';
import { createServer, type ServerResponse } from 'node:http';
import { it } from 'node:test';
import { originOf } from '../../../../packages/asmx/test/kit/listen.ts';
import { until } from '../../../../packages/asmx/test/kit/until.ts';
import { openApiDesk } from '../kit/api.ts';
import { ws01 } from '../kit/command.ts';
import { forBothEngines, forEachEngine } from '../kit/database.ts';

forEachEngine((_engine, fresh) => {
  it('a webhook is stored as it is called: a URL with what parsers leave out is refused', async (t) => {
    const desk = await openApiDesk(t, fresh);
    const url = 'https://hooks.example.com/services/a';
    for (const left of ['\r\n', '\n', '\t', '\0', ' ', '\u00a0', '\u0085', '\u2028']) {
      for (const written of [
        `${url}${left}`,
        `${left}${url}`,
        url.replace('hooks', `ho${left}oks`),
        `${url}${left}b`,
      ]) {
        const { status, body } = await desk.post('/webhooks', { url: written, types: ['*'] });
        assert.deepEqual([status, body.parameter], [400, 'url'], JSON.stringify(written));
      }
    }
    assert.equal(
      (await desk.post('/webhooks', { url: `${url}?a=%0D%0A`, types: ['*'] })).status,
      201,
    );
    assert.deepEqual(
      (await desk.get('/webhooks')).body.items.map((item: { url: string }) => item.url),
      [`${url}?a=%0D%0A`],
    );
  });

  it('a webhook is edited; what waits goes where it leads now, and its secret stays', async (t) => {
    const desk = await openApiDesk(t, fresh);
    const made = { url: 'https://hooks.example.com/a', types: ['article.*'], label: 'CRM' };
    const { id } = (await desk.post('/webhooks', made)).body.item;
    const { status, body } = await desk.ask('PATCH', `/webhooks/${id}`, {
      ...{ url: 'https://hooks.example.com/b', types: [], label: null },
    });
    assert.deepEqual(
      [status, body.changed, body.item.url, body.item.types, body.item.label],
      [200, true, 'https://hooks.example.com/b', ['*'], ''],
    );
    assert.equal(
      (await desk.ask('PATCH', `/webhooks/${id}`, { types: ['*'] })).body.changed,
      false,
    );
    for (const [edit, parameter] of [
      [{ url: 'ftp://hooks.example.com' }, 'url'],
      [{ types: ['no type'] }, 'types'],
      [{ secret: 'mine' }, 'secret'],
    ] as const) {
      const refused = await desk.ask('PATCH', `/webhooks/${id}`, edit);
      assert.deepEqual([refused.status, refused.body.parameter], [400, parameter]);
    }
    assert.equal((await desk.ask('PATCH', '/webhooks/none', { label: 'x' })).status, 404);
    const [entry] = (await desk.get(`/audit?targetKey=${id}`)).body.items;
    assert.deepEqual(
      [entry.action, entry.details.before],
      ['webhook.edit', 'https://hooks.example.com/a; article.*; CRM'],
    );
    const cli = ['webhook', 'edit', id, '--types', 'mail.bounced, sms.*', '--label', 'bounces'];
    assert.equal((await ws01(desk.service.database, cli)).code, 0);
    const { types, label, url } = (await desk.get(`/webhooks/${id}`)).body;
    assert.deepEqual(
      [types, label, url],
      [['mail.bounced', 'sms.*'], 'bounces', 'https://hooks.example.com/b'],
    );
    const without = await ws01(desk.service.database, ['webhook', 'edit', id]);
    assert.deepEqual([without.code, /Give what to change/.test(without.stderr)], [2, true]);
  });
});

forBothEngines((_engine, fresh) => {
  it('keeps each secret that it has answered, and each edit; only owners read its earlier URLs', async (t) => {
    const desk = await openApiDesk(t, fresh);
    const url = 'https://hooks.example.com/?key=s3cret';
    const { id } = (await desk.post('/webhooks', { url })).body.item;
    const made = await Promise.all(
      Array.from({ length: 6 }, () => desk.post(`/webhooks/${id}/secret`, {})),
    );
    const { secrets } = await desk.store.read((db) =>
      db.selectFrom('webhooks').select('secrets').where('id', '=', id).executeTakeFirstOrThrow(),
    );
    for (const { body } of made) assert.ok(secrets.includes(JSON.stringify(body.secret)));
    const edits = { label: 'CRM', types: ['mail.*'], url: 'https://hooks.example.com/b' };
    await Promise.all(
      Object.entries(edits).map(([name, value]) =>
        desk.ask('PATCH', `/webhooks/${id}`, { [name]: value }),
      ),
    );
    const { label, types, url: now } = (await desk.get(`/webhooks/${id}`)).body;
    assert.deepEqual({ label, types, url: now }, edits);

    const path = '/audit?action=webhook.edit';
    assert.match(JSON.stringify((await desk.get(path)).body), /s3cret/);
    const others = await desk.ask('GET', path, undefined, desk.tokens.read);
    assert.deepEqual([others.status, others.body.items], [200, []]);
  });
});

forBothEngines((_engine, fresh) => {
  it('a retry tries what is being tried once more, at once, when that fails', async (t) => {
    const waiting: ServerResponse[] = [];
    const receiver = createServer((request, response) => {
      request.resume();
      waiting.push(response);
    });
    const url = `${await originOf(t, receiver)}/`;
    const desk = await openApiDesk(t, fresh, { WEBHOOK_NETWORKS: '127.0.0.0/8' });
    const { id } = (await desk.post('/webhooks', { url, types: ['none.such'] })).body.item;
    await desk.post(`/webhooks/${id}/test`);
    const delivery = async () => (await desk.get(`/deliveries?webhookId=${id}`)).body.items[0];
    await until(() => waiting.length === 1);
    for (const verb of [`/webhooks/${id}/retry`, `/deliveries/${(await delivery()).id}/resend`]) {
      const { attempts } = await delivery();
      assert.equal((await desk.post(verb)).body.changed, true);
      waiting.shift()!.writeHead(500).end();
      await until(() => waiting.length === 1);
      const next = await delivery();
      assert.deepEqual([next.status, next.attempts], ['sending', attempts + 1], verb);
    }
    waiting.shift()!.writeHead(204).end();
    await until(async () => (await delivery()).status === 'sent', delivery);
  });
});
