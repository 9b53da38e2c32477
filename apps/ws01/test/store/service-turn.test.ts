import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ServiceTurn } from '../../src/store/sqlite/service-turn.ts';
import { freshDatabase } from '../kit/database.ts';
import { startChild } from './processes.ts';
import { insertBoth } from './rows.ts';

/** Writes that the service and the command make at least. */
const WRITES = { service: 60, command: 10 };

describe('a service and a command that write the same file', () => {
  it('take turns: a command that begins a transaction as soon as it has ended one lets a service that waits go first', async (t) => {
    const database = await freshDatabase('sqlite', t);
    const store = await database.open();
    const command = await startChild(t, 'write', {
      ...database,
      guest: true,
      clients: 1,
      rows: 300,
      prefix: 'command ',
    });
    command.begin();
    await command.said(1);
    for (let n = 0; n < WRITES.service || command.lines.length <= WRITES.command; n++) {
      await store.write((tx) => insertBoth(tx, `service ${n}`));
    }
    command.process.kill('SIGKILL');
    await command.ended;

    const rows = await store.read((db) =>
      db.selectFrom('postings').select('record_key').orderBy('id').execute(),
    );
    const places = rows.flatMap(({ record_key: key }, place) =>
      key.startsWith('service') ? [place] : [],
    );
    const between = places.slice(1).map((place, n) => place - places[n]! - 1);
    // A service that waits for a processor or the disk does not ask.
    const [half, most] = [0.5, 0.9].map(
      (part) => between.toSorted((one, other) => one - other)[Math.floor(between.length * part)]!,
    );
    const told = `between two writes of the service the command made ${between.join(', ')}`;
    assert.ok(most! <= 3, told);
    assert.equal(half, 0, `for most of the time it rests: ${told}`);
  });

  it('do not stop each other: a command waits for the turn of a service that hangs, and then goes on', async (t) => {
    const database = await freshDatabase('sqlite', t);
    const hanging = new ServiceTurn('service', database.dataDir);
    t.after(() => hanging.close());
    await database.open();
    hanging.ask();
    const command = await startChild(t, 'write', {
      ...database,
      guest: true,
      clients: 1,
      count: 2,
    });
    command.begin();
    assert.equal(await command.ended, 0, command.errors());
    assert.equal(command.lines.length, 2);
  });
});
