import assert from 'node:assert/strict';
import { it } from 'node:test';
import { ws01 } from '../kit/command.ts';
import { forBothEngines } from '../kit/database.ts';
import { deskOn, registerAda, SECOND } from '../kit/mail.ts';
import { startMailServer } from '../kit/mail-server.ts';
import { auditOf } from '../kit/rows.ts';
import { openSmsDesk } from '../kit/sms.ts';

forBothEngines((_engine, fresh) => {
  it('ws01 mail lists, shows, retries and cancels mails', async (t) => {
    const database = await fresh(t);
    const store = await database.open();
    await registerAda(store);
    const desk = deskOn(t, store, {});
    const first = await desk.send({ subject: '漢字😀 <&>"\'', body: 'Body\u001b[2J\nsecond' });
    desk.now += SECOND;
    const second = await desk.send({ receiverEmail: 'Bob@example.com' });

    const listed = await ws01(database, ['mail', 'list']);
    assert.equal(listed.code, 0, listed.stderr);
    const [head, ...lines] = listed.stdout.trimEnd().split('\n');
    assert.match(head!, /^ID +STATE +TRIES +CREATED +NEXT TRY +SENDER +TO +SUBJECT +LAST REPLY$/);
    assert.match(lines[0]!, new RegExp(`^${second} +kept +0 .* ada +Bob@example.com +Subject +-$`));
    assert.match(lines[1]!, new RegExp(`^${first} +kept .*漢字😀`));
    const ids = async (...options: string[]) => {
      const { stdout, stderr } = await ws01(database, ['mail', 'list', '--json', ...options]);
      return (JSON.parse(stdout || stderr) as { id: string }[]).map(({ id }) => id);
    };
    assert.deepEqual(await ids('--to', 'BOB@example.com'), [second]);
    assert.deepEqual(await ids('--most', '1'), [second]);
    assert.deepEqual(await ids('--sender', 'nobody'), []);

    const shown = await ws01(database, ['mail', 'show', first]);
    assert.match(shown.stdout, /^status +kept$/m);
    assert.ok(shown.stdout.endsWith('\nBody\ufffd[2J\nsecond\n'), JSON.stringify(shown.stdout));
    assert.equal(
      JSON.parse((await ws01(database, ['mail', 'show', first, '--json'])).stdout).body,
      'Body\u001b[2J\nsecond',
    );
    const unknown = await ws01(database, ['mail', 'show', 'unknown']);
    assert.deepEqual([unknown.code, unknown.stdout], [1, '']);
    assert.match(unknown.stderr, /There is no mail "unknown"/);

    assert.equal((await ws01(database, ['mail', 'cancel', first])).stdout, `Cancelled ${first}.\n`);
    assert.deepEqual(await ids('--state', 'cancelled'), [first]);
    assert.equal((await ws01(database, ['mail', 'list', '--state', 'lost'])).code, 2);

    const server = await startMailServer(t);
    const env = { SMTP_URL: server.url };
    for (const args of [[], [first, '--all'], ['--all', '--state', 'kept']]) {
      assert.equal((await ws01(database, ['mail', 'retry', ...args], '', env)).code, 2);
    }
    const queued = await ws01(database, ['mail', 'retry', second, '--no-wait'], '', env);
    assert.match(queued.stderr, /Queued 1 mail again/);
    assert.deepEqual(await ids('--state', 'queued'), [second]);
    assert.equal(server.received.length, 0);
    const sent = await ws01(database, ['mail', 'retry', first], '', env);
    assert.equal(sent.code, 0, sent.stderr);
    assert.equal(server.received.length, 2);
    for (const command of ['retry', 'cancel']) {
      const late = await ws01(database, ['mail', command, first], '', env);
      assert.deepEqual([late.code, /sent/.test(late.stderr)], [2, true], late.stderr);
    }
    const audit = await auditOf(store, 'mail.%');
    assert.deepEqual(
      audit.map(({ action }) => action),
      ['mail.cancel', 'mail.retry', 'mail.retry'],
    );
  });

  it('ws01 mail suppress lists, adds and removes addresses', async (t) => {
    const database = await fresh(t);
    await database.open();
    const suppress = (...args: string[]) => ws01(database, ['mail', 'suppress', ...args]);
    assert.match((await suppress('list')).stderr, /empty/);
    const added = await suppress('add', 'Grace@Example.com', '--note', 'asked us to');
    assert.equal(added.stdout, 'No more mail is sent to grace@example.com.\n');
    const [item] = JSON.parse((await suppress('list', '--json')).stdout);
    assert.deepEqual(
      [item.address, item.reason, item.detail, item.mailId],
      ['grace@example.com', 'manual', 'asked us to', null],
    );
    assert.match((await suppress('list')).stdout, /grace@example\.com +manual .* asked us to/);
    assert.equal((await suppress('add', 'a@b.co,c@d.co')).code, 2);
    assert.equal((await suppress('remove', 'grace@example.com')).code, 0);
    assert.equal((await suppress('remove', 'grace@example.com')).code, 1);
  });

  it('ws01 sms list shows what became of text messages, and neither numbers nor texts', async (t) => {
    const database = await fresh(t);
    const desk = await openSmsDesk(t, async () => database, 'http://127.0.0.1:2/');
    await desk.phones.create();
    await desk.after(0);
    const { stdout } = await ws01(database, ['sms', 'list']);
    assert.match(stdout, / deferred +1 .* ada +\+\*{9}00 +.*nothing listens there/);
    const [item] = JSON.parse(
      (await ws01(database, ['sms', 'list', '--json', '--state', 'deferred'])).stdout,
    );
    assert.deepEqual([item.status, item.phone, item.userId], ['deferred', '+*********00', 'ada']);
    assert.deepEqual(
      JSON.parse((await ws01(database, ['sms', 'list', '--json', '--state', 'sent'])).stdout),
      [],
    );
  });
});
