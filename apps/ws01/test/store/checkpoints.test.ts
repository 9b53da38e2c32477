import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { it } from 'node:test';
import { until } from '../../../../packages/asmx/test/kit/until.ts';
import { SQLITE_FILE } from '../../src/store/sqlite/file.ts';
import type { Store } from '../../src/store/store.ts';
import { freshDatabase } from '../kit/database.ts';

const MIB = 1024 * 1024;
const TEXT = '漢'.repeat(MIB / 3);

function insert(store: Store, number: number): Promise<unknown> {
  const row = {
    id: `mail ${number}`,
    sender: 's',
    ip: '192.0.2.1',
    receiver_name: '',
    receiver_email: 'r',
  };
  const rest = {
    receiver_key: 'r',
    subject: '',
    body: TEXT,
    message_id: '<m>',
    created_at: number,
  };
  return store.write((tx) =>
    tx
      .insertInto('mails')
      .values({ ...row, ...rest })
      .execute(),
  );
}

for (const service of [true, false]) {
  const who = service ? 'the service' : 'a command';
  it(`what ${who} writes comes into the database file while it is open, and the log begins anew under a load without a pause`, async (t) => {
    const database = await freshDatabase('sqlite', t);
    const store = await database.open({ service });
    const file = join(database.dataDir, SQLITE_FILE);
    const writes = 200;
    for (let number = 0; number < writes; number++) await insert(store, number);
    const log = statSync(`${file}-wal`).size / MIB;
    assert.ok(log < 100, `The log has ${log} MiB of ${writes}.`);
    assert.ok(statSync(file).size / MIB > 90);
  });
}

it('the log is moved from 16 MiB on, in the background, and not before', async (t) => {
  const database = await freshDatabase('sqlite', t);
  const store = await database.open();
  const file = join(database.dataDir, SQLITE_FILE);
  const sizeMiB = () => statSync(file).size / MIB;
  for (let number = 0; number < 12; number++) await insert(store, number);
  assert.ok(sizeMiB() < 4, `${sizeMiB()} MiB were moved of a log of 12`);
  for (let number = 12; number < 20; number++) await insert(store, number);
  await until(
    () => sizeMiB() >= 12,
    () => `${sizeMiB()} MiB were moved of a log of 20`,
  );
});

it('a reader that stays long keeps the log, and no write from going on', async (t) => {
  const database = await freshDatabase('sqlite', t);
  const store = await database.open();
  const reader = new DatabaseSync(join(database.dataDir, SQLITE_FILE));
  reader.exec('begin; select count(*) from mails');
  for (let number = 0; number < 80; number++) await insert(store, number);
  assert.equal(reader.prepare('select count(*) as n from mails').get()!.n, 0);
  reader.exec('commit');
  assert.equal(reader.prepare('select count(*) as n from mails').get()!.n, 80);
  reader.close();
});
