import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { DAY_MS, HOUR_MS } from '@ws01/asmx/time';
import { words } from '../../../../packages/asmx/src/contract/words.ts';
import { until } from '../../../../packages/asmx/test/kit/until.ts';
import { laterThan } from '../kit/clock.ts';
import { ws01 } from '../kit/command.ts';
import { forBothEngines, type TestDatabase } from '../kit/database.ts';
import { putMail } from '../kit/rows.ts';
import { startService } from '../kit/service.ts';

async function json(database: TestDatabase, args: readonly string[], input = '') {
  const { code, stdout, stderr } = await ws01(database, [...args, '--json'], input);
  assert.equal(code, 0, stderr);
  return JSON.parse(stdout);
}

async function refused(database: TestDatabase, args: readonly string[], told: RegExp, code = 2) {
  const result = await ws01(database, args);
  assert.deepEqual([result.code, result.stdout], [code, ''], result.stderr);
  assert.match(result.stderr, told);
}

forBothEngines((_engine, fresh) => {
  test('token rotate overlaps, edit changes, and a running service follows', async (t) => {
    const database = await fresh(t);
    const service = await startService(t, database);
    const works = async (token: string) => {
      const body = new URLSearchParams({ token, guid: 'a', caption: 'A' });
      return (await fetch(`${service.url}/WS01.asmx/InsertArticle`, { method: 'POST', body }))
        .status;
    };
    const old = await json(
      database,
      words('token create --label shop --expires 10d --scopes articles,mail'),
    );
    assert.equal(await works(old.token), 200);
    const next = await json(database, ['token', 'rotate', old.id, '--overlap', '1h']);
    assert.deepEqual([await works(old.token), await works(next.token)], [200, 200]);
    const listed: { id: string; label: string; scopes: string[]; expiresAt: string }[] = await json(
      database,
      ['token', 'list'],
    );
    const of = (id: string) => listed.find((token) => token.id === id)!;
    assert.deepEqual([of(next.id).label, of(next.id).scopes], ['shop', ['articles', 'mail']]);
    const lives = (id: string) => Date.parse(of(id).expiresAt) - Date.now();
    assert.ok(lives(next.id) > 9 * DAY_MS && lives(next.id) <= 10 * DAY_MS);
    assert.ok(lives(old.id) > 0 && lives(old.id) <= HOUR_MS);

    const now = await json(database, ['token', 'rotate', next.id, '--overlap', '0h']);
    await refused(database, ['token', 'rotate', next.id], /does not work any more; make a new one/);
    await json(database, [
      'token',
      'edit',
      now.id,
      '--scopes',
      'mail',
      '--expires',
      'never',
      '--label',
      'shop 2',
    ]);
    await until(async () => (await works(next.token)) === 403 && (await works(now.token)) === 403);
    const edited = (await json(database, ['token', 'list'])).find(
      ({ id }: { id: string }) => id === now.id,
    );
    assert.deepEqual([edited.scopes, edited.expiresAt, edited.label], [['mail'], null, 'shop 2']);
    await refused(
      database,
      ['token', 'edit', now.id],
      /Give what to change: --scopes, --expires or --label/,
    );
    await refused(
      database,
      ['token', 'edit', 'nobody', '--label', 'x'],
      /There is no token with the id nobody/,
      1,
    );
    await refused(
      database,
      ['token', 'edit', now.id, '--expires', '2001-01-01'],
      /The expiry must lie in the future/,
    );
    const audit = await ws01(database, ['audit', 'list', '--action', 'token']);
    for (const action of ['token.rotate', 'token.edit'])
      assert.ok(audit.stdout.includes(action), audit.stdout);
    assert.ok(!audit.stdout.includes(now.token));
  });

  test('token list finds what expires and what is not used, in pages; import takes SHA-256', async (t) => {
    const database = await fresh(t);
    const store = await database.open();
    await json(database, ['token', 'create', '--label', 'soon', '--expires', '3d']);
    await json(database, ['token', 'create', '--label', 'later', '--expires', '30d']);
    const labels = async (...args: string[]) =>
      (await json(database, ['token', 'list', ...args])).map(
        ({ label }: { label: string }) => label,
      );
    assert.deepEqual(await labels('--expiring', '7'), ['soon']);
    assert.deepEqual(await labels('--expiring', '60'), ['soon', 'later']);
    assert.deepEqual(await labels('--unused', '90'), []);
    await store.write((tx) =>
      tx
        .updateTable('tokens')
        .set({ created_at: Date.now() - 100 * DAY_MS })
        .where('label', '=', 'later')
        .execute(),
    );
    assert.deepEqual(await labels('--unused', '90'), ['later']);
    await store.write((tx) =>
      tx
        .updateTable('tokens')
        .set({ last_used_at: Date.now() })
        .where('label', '=', 'later')
        .execute(),
    );
    assert.deepEqual(await labels('--unused', '90'), []);

    const secrets = Array.from({ length: 2_500 }, (_, index) => `a secret with number ${index}`);
    const hash = (secret: string) => createHash('sha256').update(secret).digest('hex');
    const list = `sha256,label\n${secrets.map((secret, index) => `${hash(secret)},n${index}`).join('\n')}\n`;
    const imported = await ws01(database, ['token', 'import', '--list', '-'], list);
    assert.match(imported.stdout, /\n2500 imported\.\n$/, imported.stderr);
    assert.match(
      (await ws01(database, ['token', 'import', '--list', '-'], list)).stdout,
      /\n0 imported, 2500 there already\.\n$/,
    );
    assert.equal((await json(database, ['token', 'list'])).length, 2_502);
    const table = (await ws01(database, ['token', 'list'])).stdout.trimEnd().split('\n');
    assert.deepEqual(
      [table.length, table.filter((line) => line.startsWith('ID ')).length],
      [2_503, 1],
    );
    const revoked = await ws01(database, ['token', 'revoke', '--text'], secrets[7]!);
    assert.equal(revoked.code, 0, revoked.stderr);
    const wrong = await ws01(
      database,
      ['token', 'import', '--list', '-'],
      `token,sha256\nlong enough secret,${hash('x')}\n,abc\n`,
    );
    assert.match(
      wrong.stderr,
      /Give one of token, sha256, sha1 and md5[\s\S]*sha256 must be 64 hexadecimal digits/,
    );
  });

  test('mail cancel by filter counts first; sms retry and cancel', async (t) => {
    const database = await fresh(t);
    const store = await database.open();
    const now = Date.now();
    await store.write(async (tx) => {
      const rest = {
        attempts: 1,
        deferrals: 0,
        due_at: now + DAY_MS,
        give_up_at: now + 2 * DAY_MS,
        lease: null,
        last_reply: null,
        finished_at: null,
      };
      for (const [id, sender, state, age] of [
        ['m1', 'ada', 'queued', 0],
        ['m2', 'ada', 'deferred', 3],
        ['m3', 'bob', 'deferred', 3],
        ['m4', 'bob', 'deferred', 0],
      ] as const) {
        await putMail(tx, { id, state, created_at: now - age * DAY_MS, ...rest }, sender);
      }
      for (const [id, state, sealed] of [
        ['s1', 'deferred', new Uint8Array(3)],
        ['s2', 'failed', new Uint8Array(3)],
        ['s3', 'sent', null],
        ['s4', 'failed', null],
      ] as const) {
        await tx
          .insertInto('outbox')
          .values({ id, kind: 'sms', state, created_at: now, ...rest })
          .execute();
        const sms = {
          user_id: 'ada',
          phone: '+15550001',
          key_id: 1,
          sealed,
          expires_at: now + DAY_MS,
          created_at: now,
        };
        await tx
          .insertInto('sms')
          .values({ id, ...sms })
          .execute();
      }
    });
    const states = async (kind: 'mail' | 'sms') => {
      const rows = await store.read((db) =>
        db
          .selectFrom('outbox')
          .select(['id', 'state'])
          .where('kind', '=', kind)
          .orderBy('id')
          .execute(),
      );
      return rows.map(({ id, state }) => `${id} ${state}`).join(', ');
    };
    const filter = [
      'mail',
      'cancel',
      '--state',
      'deferred',
      '--before',
      new Date(now - DAY_MS).toISOString(),
    ];
    const preview = await ws01(database, filter);
    assert.deepEqual([preview.code, preview.stdout], [0, '2 mails of 2 senders.\n']);
    assert.match(preview.stderr, /Nothing was done\. To cancel them, add --yes\./);
    assert.equal(await states('mail'), 'm1 queued, m2 deferred, m3 deferred, m4 deferred');
    assert.deepEqual(await json(database, [...filter, '--sender', 'bob', '--yes']), {
      mails: 1,
      senders: 1,
      cancelled: 1,
    });
    assert.equal(await states('mail'), 'm1 queued, m2 deferred, m3 cancelled, m4 deferred');
    await laterThan(Date.now());
    const between = new Date().toISOString();
    assert.equal(
      (await ws01(database, ['mail', 'cancel', '--all', '--yes'])).stdout,
      'Cancelled 3 mails.\n',
    );
    // Each mail has its entry, with the state that it goes back to.
    const cancels = (await json(database, ['audit', 'list'])).filter(
      ({ action }: { action: string }) => action === 'mail.cancel',
    ) as { targetKey: string; details: { state: string } }[];
    assert.deepEqual(
      cancels.map(({ targetKey, details }) => `${targetKey} ${details.state}`).toSorted(),
      [...['m1 queued', 'm2 deferred', 'm3 deferred', 'm4 deferred']],
    );

    const undo = ['mail', 'uncancel', '--all', '--since', between];
    const undone = await ws01(database, undo);
    assert.deepEqual(
      [undone.stdout, await states('mail')],
      ['3 mails of 2 senders.\n', 'm1 cancelled, m2 cancelled, m3 cancelled, m4 cancelled'],
    );
    assert.match(undone.stderr, /Nothing was done\. To do it, add --yes\./);
    assert.deepEqual(await json(database, [...undo, '--sender', 'bob', '--yes']), {
      mails: 1,
      senders: 1,
      uncancelled: 1,
    });
    assert.equal(
      (await ws01(database, [...undo, '--yes'])).stdout,
      '2 mails are no longer cancelled.\n',
    );
    assert.equal(await states('mail'), 'm1 queued, m2 deferred, m3 cancelled, m4 deferred');
    assert.equal(
      (await ws01(database, ['mail', 'uncancel', 'm3'])).stdout,
      'm3 is no longer cancelled.\n',
    );
    assert.equal(await states('mail'), 'm1 queued, m2 deferred, m3 deferred, m4 deferred');
    await refused(database, ['mail', 'uncancel', 'm3'], /m3 is deferred, not cancelled/);
    await refused(
      database,
      ['mail', 'uncancel', '--sender', 'ada'],
      /Give the ids of mails, or --all/,
    );
    await refused(database, ['mail', 'uncancel', 'm1', '--all'], /Give the ids of mails/);
    await refused(
      database,
      ['mail', 'cancel', '--sender', 'ada'],
      /Give the ids of mails, or --state or --all/,
    );
    await refused(database, ['mail', 'cancel', 'm1', '--all'], /Give the ids of mails/);

    assert.equal((await ws01(database, ['sms', 'cancel', 's1'])).code, 0);
    assert.equal((await ws01(database, ['sms', 'retry', 's1', 's2'])).code, 0);
    assert.equal(await states('sms'), 's1 queued, s2 queued, s3 sent, s4 failed');
    await refused(database, ['sms', 'retry', 's3'], /s3 is sent; it is not sent twice/);
    await refused(
      database,
      ['sms', 'retry', 's4'],
      /was used, replaced or has expired; the user asks for another/,
    );
    await refused(
      database,
      ['sms', 'cancel', 's3'],
      /s3 is sent; only messages that wait can be cancelled/,
    );
    await refused(database, ['sms', 'cancel', 'none'], /There is no text message none/, 1);
    const actions = (await json(database, ['audit', 'list'])).map(
      ({ action }: { action: string }) => action,
    );
    for (const action of ['mail.cancel', 'sms.cancel', 'sms.retry'])
      assert.ok(actions.includes(action), actions.join());
  });
});
