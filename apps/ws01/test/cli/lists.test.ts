import assert from 'node:assert/strict';
import { it } from 'node:test';
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
