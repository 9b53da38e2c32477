import assert from 'node:assert/strict';
import { it } from 'node:test';
import { firstKeyAt } from '../../src/records/conditions.ts';
import { openApiDesk, SEEDED_SETTINGS, seedEveryKind } from '../kit/api.ts';
import { ws01 } from '../kit/command.ts';
import { forEachEngine } from '../kit/database.ts';

type Item = Readonly<Record<string, unknown>>;

/** The commands that list records, and the lists of the HTTP API with the same records in the same order. */
const LISTS: readonly (readonly [command: string, list: string])[] = [
  ['user list', '/users?sort=id'],
  ['token list', '/tokens?sort=created'],
  ['link list', '/links'],
  ['mail list', '/mails'],
  ['mail suppress list', '/suppressions'],
  ['sms list', '/sms'],
  ['audit list', '/audit'],
  ['admin list', '/admins'],
  ['webhook list', '/webhooks?sort=created'],
];

const BASE_URL = 'https://ws01.example';

forEachEngine((_engine, fresh) => {
  it('every list of the command line has the records of the HTTP API, by the same names', async (t) => {
    const database = await fresh(t);
    const desk = await openApiDesk(t, async () => database, { ...SEEDED_SETTINGS, BASE_URL });
    await seedEveryKind(desk);
    assert.equal((await ws01(database, ['admin', 'add', 'eve', '--role', 'reader'])).code, 0);
    for (const [command, list] of LISTS) {
      const args = [...command.split(' '), '--json'];
      const printed = await ws01(database, args, '', { BASE_URL });
      assert.equal(printed.code, 0, printed.stderr);
      const items = JSON.parse(printed.stdout) as readonly Item[];
      assert.ok(items.length > 0, command);
      const answered = (await desk.get(list)).body.items as readonly Item[];
      const hidden = command === 'sms list' ? { phone: '+*********00' } : {};
      assert.deepEqual(
        items.map(steady),
        answered.map((item) => steady({ ...item, ...hidden })),
        command,
      );
    }
  });

  it('a list says that there are none only when it has looked through all', async (t) => {
    const database = await fresh(t);
    const store = await database.open();
    const rows = Array.from({ length: 2_001 }, (_, at) => ({
      ...{ id: firstKeyAt(1_000 + at), at: 1_000 + at, target_kind: 'article' as const },
      ...{ action: at === 0 ? 'article.hold' : 'article.create', details: '{}' },
    }));
    for (let from = 0; from < rows.length; from += 500) {
      const some = rows.slice(from, from + 500);
      await store.write((tx) => tx.insertInto('audit').values(some).execute());
    }
    await store.close();
    // The time of a page is over at each look at the clock: it ends after a thousand rows.
    const { now } = performance;
    t.after(() => Object.assign(performance, { now }));
    let leaps = 0;
    Object.assign(performance, { now: () => now.call(performance) + leaps++ * 10_000 });
    const list = async (action: string) => {
      const { stdout, stderr } = await ws01(database, ['audit', 'list', '--action', action]);
      return [stdout.includes('article.hold'), /no such changes/.test(stderr)];
    };
    assert.deepEqual(await list('article.hold'), [true, false]);
    assert.deepEqual(await list('article.purge'), [false, true]);
    assert.ok(leaps > 0);
  });
});

/** Without what changes by itself meanwhile: uses of tokens, and tries to send. */
function steady(item: Item): Item {
  const {
    lastUsedAt: _,
    status: __,
    attempts: ___,
    nextAttemptAt: ____,
    lastReply: _____,
    ...others
  } = item;
  return others;
}
