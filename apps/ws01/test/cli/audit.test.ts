import assert from 'node:assert/strict';
import { userInfo } from 'node:os';
import { it } from 'node:test';
import { HOUR_MS } from '@ws01/asmx/time';
import { newKey } from '../../src/domain/values/keys.ts';
import type { Store } from '../../src/store/store.ts';
import type { AuditTable } from '../../src/store/tables/tables.ts';
import { type CommandResult, ws01 } from '../kit/command.ts';
import { forEachEngine } from '../kit/database.ts';

type Change = Pick<AuditTable, 'at' | 'action' | 'target_kind' | 'target_key'> &
  Partial<AuditTable>;

/** Tells the trail of changes, in order. @returns their ids. */
async function tell(store: Store, changes: readonly Change[]): Promise<string[]> {
  const rows = changes.map((change) => ({
    id: newKey(),
    token_id: null,
    address: null,
    details: '{}',
    ...change,
  }));
  await store.write((tx) => tx.insertInto('audit').values(rows).execute());
  return rows.map(({ id }) => id);
}

function keysOf({ code, stdout, stderr }: CommandResult): unknown[] {
  assert.deepEqual([code, stderr], [0, '']);
  return JSON.parse(stdout).map(({ targetKey }: { targetKey: unknown }) => targetKey);
}

forEachEngine((_engine, fresh) => {
  it('ws01 audit list tells what was done, by whom, on what, from where and when', async (t) => {
    const database = await fresh(t);
    const store = await database.open();
    const at = Date.parse('2027-01-31T03:04:05.678Z');
    const [id] = await tell(store, [
      {
        at,
        action: 'article.pin',
        target_kind: 'article',
        target_key: '漢字 <&>\n"😀"',
        token_id: 't-1',
        address: '192.0.2.1',
        details: JSON.stringify({ pinnedUntil: null, revision: 3 }),
      },
    ]);
    const added = await ws01(database, ['user', 'add', 'ada']);
    assert.equal(added.code, 0, added.stderr);

    const listed = await ws01(database, ['audit', 'list', '--json']);
    const [byOperator, byToken, ...others] = JSON.parse(listed.stdout);
    assert.deepEqual(others, []);
    assert.deepEqual(
      [byOperator.action, byOperator.targetKind, byOperator.targetKey, byOperator.tokenId],
      ['user.register', 'user', 'ada', null],
    );
    assert.deepEqual(byOperator.details, { count: '1', operator: userInfo().username });
    assert.deepEqual(byToken, {
      id,
      at: '2027-01-31T03:04:05.678Z',
      action: 'article.pin',
      targetKind: 'article',
      targetKey: '漢字 <&>\n"😀"',
      tokenId: 't-1',
      by: null,
      address: '192.0.2.1',
      requestId: null,
      details: { pinnedUntil: null, revision: '3' },
    });

    const shown = await ws01(database, ['audit', 'list']);
    const lines = shown.stdout.trimEnd().split('\n');
    assert.equal(lines.length, 3, shown.stdout);
    assert.match(lines[0]!, /^ID +AT +ACTION +KIND +KEY +BY +ADDRESS +DETAILS$/);
    assert.ok(
      lines[1]!.includes(` ${userInfo().username} `) && lines[1]!.endsWith(' count=1'),
      shown.stdout,
    );
    assert.match(
      lines[2]!,
      new RegExp(
        `^${id}  2027-01-31 03:04:05 [+-]\\d\\d:\\d\\d  article.pin +article +漢字 <&>\ufffd"😀" +t-1 +192.0.2.1 +pinnedUntil=null revision=3$`,
      ),
    );
  });

  it('ws01 audit list leaves out what is not asked for', async (t) => {
    const database = await fresh(t);
    const store = await database.open();
    const now = Date.now();
    const article = { action: 'article.pin', target_kind: 'article' };
    await tell(store, [
      { ...article, at: Date.parse('2026-01-30T23:59:59.999Z'), target_key: 'before' },
      { ...article, at: Date.parse('2026-01-31T00:00:00Z'), target_key: 'first', token_id: 't-1' },
      { ...article, at: Date.parse('2026-01-31T23:59:59.999Z'), target_key: 'last' },
      { ...article, at: Date.parse('2026-02-01T00:00:00Z'), target_key: 'after' },
      {
        at: now - 3 * HOUR_MS,
        action: 'article.trash',
        target_kind: 'article',
        target_key: 'first',
      },
      { at: now - HOUR_MS, action: 'articles.pin', target_kind: 'article', target_key: 'other' },
      {
        at: now,
        action: 'token.revoke',
        target_kind: 'token',
        target_key: 'c56a4180-65aa-42ec-a945-5fd21dec0538',
      },
    ]);
    const guid = 'c56a4180-65aa-42ec-a945-5fd21dec0538';
    const asked: readonly (readonly [args: string, keys: readonly string[]])[] = [
      ['', [guid, 'other', 'first', 'after', 'last', 'first', 'before']],
      ['--since 2026-01-31 --until 2026-01-31', ['last', 'first']],
      ['--since 2026-01-31T00:00:00.001Z --until 2026-02-01T00:00:00Z', ['after', 'last']],
      ['--since 2h', [guid, 'other']],
      ['--since 4h --until 2h', ['first']],
      ['--action article', ['first', 'after', 'last', 'first', 'before']],
      ['--action article.trash', ['first']],
      ['--action art', []],
      ['--target first', ['first', 'first']],
      ['--target {C56A4180-65AA-42EC-A945-5FD21DEC0538}', [guid]],
      ['--token t-1', ['first']],
      ['--token t-1 --action token', []],
    ];
    for (const [args, keys] of asked) {
      const options = args.split(' ').filter((arg) => arg !== '');
      assert.deepEqual(
        keysOf(await ws01(database, ['audit', 'list', '--json', ...options])),
        keys,
        args,
      );
    }
    const day = ['audit', 'list', '--json', '--since', '2026-02-01', '--until', '2026-02-01'];
    const zoned = await ws01(database, day, '', { TIME_ZONE: 'Asia/Shanghai' });
    assert.deepEqual(keysOf(zoned), ['after', 'last']);

    const none = await ws01(database, ['audit', 'list', '--token', 'nobody']);
    assert.deepEqual(none, { code: 0, stdout: '', stderr: 'There are no such changes.\n' });
    const wrong = await ws01(database, ['audit', 'list', '--since', 'yesterday']);
    assert.deepEqual([wrong.code, wrong.stdout], [2, '']);
    assert.match(wrong.stderr, /^ws01: since: [^\n]+\.\n$/);
  });

  it('ws01 audit list goes on after an entry, each once', async (t) => {
    const database = await fresh(t);
    const store = await database.open();
    const at = Date.now();
    const keys = Array.from({ length: 2_005 }, (_, index) => `k-${index}`);
    await tell(
      store,
      keys.map((key) => ({ at, action: 'link.create', target_kind: 'link', target_key: key })),
    );
    const seen: unknown[] = [];
    let after: readonly [] | readonly ['--after', string] = [];
    for (const [most, found] of [
      [1_500, 1_500],
      [500, 500],
      [100, 5],
    ] as const) {
      const page = await ws01(database, [
        'audit',
        'list',
        '--json',
        '--most',
        String(most),
        ...after,
      ]);
      assert.equal(keysOf(page).length, found);
      seen.push(...keysOf(page));
      after = ['--after', JSON.parse(page.stdout).at(-1).id];
    }
    assert.deepEqual(seen, keys.toReversed());
    assert.deepEqual(keysOf(await ws01(database, ['audit', 'list', '--json', ...after])), []);
  });
});
