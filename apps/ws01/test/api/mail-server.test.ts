import assert from 'node:assert/strict';
import { it } from 'node:test';
import { exchange } from '../../../../packages/asmx/test/kit/http.ts';
import { openApiDesk } from '../kit/api.ts';
import { forBothEngines } from '../kit/database.ts';

forBothEngines((_engine, fresh) => {
  it('the mail server is changed as a whole or not at all, and from the version that was read', async (t) => {
    const desk = await openApiDesk(t, fresh);
    const present = async () => {
      const { body, headers } = await desk.get('/mail-server');
      return { body, version: String(headers.etag) };
    };
    const change = async (body: object, version: string) => {
      const answer = await exchange(`${desk.url}/api/v1/mail-server`, {
        method: 'PATCH',
        headers: {
          Authorization: `Bearer ${desk.tokens.manage}`,
          ...{ 'Content-Type': 'application/json', 'If-Match': version },
        },
        body: JSON.stringify(body),
      });
      return { ...answer, told: JSON.parse(answer.body) };
    };
    const empty = await present();
    const host = 'mail.example.com';
    for (const sender of ['nobody', 'a@b.example\r\nBcc: c@d.example']) {
      const { status, told } = await change({ host, sender }, '*');
      assert.deepEqual([status, told.parameter], [400, 'sender']);
      assert.deepEqual(await present(), empty, 'the host is not changed either');
    }
    assert.equal((await desk.get('/audit?targetKey=SMTP_URL')).body.items.length, 0);

    const ports = [2501, 2502, 2503, 2504, 2505, 2506];
    const answers = await Promise.all(ports.map((port) => change({ host, port }, empty.version)));
    const won = answers.filter(({ status }) => status === 200);
    assert.equal(won.length, 1, 'of those who read the same version one changes it');
    const lost = answers.filter(({ status }) => status === 412);
    assert.deepEqual(new Set(lost.map(({ told }) => told.parameter)), new Set(['If-Match']));
    assert.equal(lost.length, ports.length - 1);
    const now = await present();
    assert.equal(now.body.port, won[0]!.told.item.port);
    assert.equal(now.version, won[0]!.headers.etag);

    const named = await change({ user: 'bob', password: 'first' }, now.version);
    assert.equal(named.status, 200);
    const secret = await change({ password: 'second' }, String(named.headers.etag));
    assert.deepEqual([secret.status, secret.told.changed], [200, true]);
    assert.notEqual(secret.headers.etag, named.headers.etag, 'another password is another version');
    assert.equal((await change({ sender: null }, now.version)).status, 412);
    assert.equal((await change({ sender: 'news@example.com' }, '*')).status, 200);
  });
});
