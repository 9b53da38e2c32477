import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';
import { it } from 'node:test';
import { exchange, jsonRequest } from '../../../../packages/asmx/test/kit/http.ts';
import { listen } from '../../../../packages/asmx/test/kit/listen.ts';
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
      const headers = { Authorization: `Bearer ${desk.tokens.manage}`, 'If-Match': version };
      const request = jsonRequest(body, headers, 'PATCH');
      const answer = await exchange(`${desk.url}/api/v1/mail-server`, request);
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

  it('a server that repeats the sign-in tells nobody the password', async (t) => {
    const parrot = createServer((socket) => {
      socket.on('error', () => {});
      socket.write('220 parrot\r\n');
      createInterface(socket).on('line', (line) => {
        const isHello = line.startsWith('EHLO');
        const sent = Buffer.from(line.split(' ').at(-1)!, 'base64').toString().split('\0').at(-1);
        socket.write(isHello ? '250-parrot\r\n250 AUTH PLAIN\r\n' : `535 no: ${line} ${sent}\r\n`);
      });
    });
    const port = await listen(t, parrot);
    const desk = await openApiDesk(t, fresh);
    const login = { user: 'bob', password: 'pa/ss word' };
    const server = { host: '127.0.0.1', port, security: 'unencrypted', ...login };
    assert.equal((await desk.ask('PATCH', '/mail-server', server)).status, 200);
    const { body } = await desk.post('/mail-server/test', { to: 'ada@example.com' });
    assert.deepEqual(
      [body.reply, body.dialogue.at(-1)],
      ['535 no: AUTH PLAIN (secret) (secret)', '< 535 no: AUTH PLAIN (secret) (secret)'],
    );
  });

  it('a server that answers a test mail with a megabyte is refused', async (t) => {
    const said = Array.from({ length: 500 }, (_, at) => `250-${at} ${'x'.repeat(2_000)}\r\n`);
    const talker = createServer((socket) => {
      socket.on('error', () => {});
      socket.write('220 talker\r\n');
      socket.once('data', () => {
        socket.write(`${said.join('')}250 end\r\n`);
        socket.on('data', () => socket.write('500 no\r\n'));
      });
    });
    const port = await listen(t, talker);
    const desk = await openApiDesk(t, fresh);
    const server = { host: '127.0.0.1', port, security: 'unencrypted' };
    assert.equal((await desk.ask('PATCH', '/mail-server', server)).status, 200);
    const { body } = await desk.post('/mail-server/test', { to: 'ada@example.com' });
    assert.equal(body.isSent, false);
    assert.match(body.reply, /exceeds maximum allowed size/);
    assert.equal(body.dialogue.length, 2);
  });
});
