import assert from 'node:assert/strict';
import { it } from 'node:test';
import { indexRecords } from '../../src/domain/search/indexing.ts';
import { firstKeyAt } from '../../src/records/conditions.ts';
import type { Store } from '../../src/store/store.ts';
import { askAsOwner } from '../kit/api.ts';
import { forBothEngines } from '../kit/database.ts';
import { keysOfPages, type Page } from '../kit/pages.ts';
import { recordQueries } from '../kit/recorded-queries.ts';
import { NOW } from '../kit/search-index.ts';

/**
 * Adds mails past the service, the oldest first, and indexes them: of two users by turns; every
 * third failed, others wait.
 */
async function addMails(store: Store, count: number, subjectOf: (at: number) => string) {
  const mails = Array.from({ length: count }, (_, at) => ({
    ...{ id: firstKeyAt(NOW + at * 1_000), sender: `user-${at % 2}`, ip: '', receiver_name: '' },
    ...{ receiver_email: 'a@b.example', receiver_key: 'a@b.example', body: '' },
    ...{ subject: subjectOf(at), message_id: `<${at}@b.example>`, created_at: NOW - at },
  }));
  const outbox = mails.map(({ id }, at) => ({
    ...({ id, kind: 'mail', state: at % 3 === 0 ? 'failed' : 'deferred' } as const),
    ...{ attempts: 1, deferrals: 0, created_at: NOW, give_up_at: NOW },
  }));
  await store.write(async (tx) => {
    await tx.insertInto('mails').values(mails).execute();
    await tx.insertInto('outbox').values(outbox).execute();
  });
  await indexRecords(store);
  return mails;
}

/** Keys of all pages of mails, four a page. */
const keysOfMails = (store: Store, query: string): Promise<readonly string[]> =>
  keysOfPages(store, 'mails', `${query}&limit=4`);

forBothEngines((_engine, fresh) => {
  it('words in the mails of a sender are found in the order of the list, without a count of all that have them', async (t) => {
    const store = await (await fresh(t)).open();
    const mails = await addMails(store, 60, (at) => (at % 3 === 0 ? 'Zeppelin' : 'Raft'));
    const { store: recording, queries } = recordQueries(store);
    const seen = await keysOfMails(recording, 'sender=user-0&q=zepp');
    const its = mails.filter((mail, at) => mail.sender === 'user-0' && at % 3 === 0);
    assert.deepEqual(seen, its.map(({ id }) => id).toReversed());
    const asked = [...queries.values()].filter((query) => query.sql.includes('record_search'));
    assert.ok(asked.length > 0);
    // Whether few have one of the terms is counted, to 500.
    const counts = asked.filter((query) => query.sql.includes('count(*)'));
    assert.deepEqual([...new Set(counts.map(({ parameters }) => parameters.at(-1)))], [501]);
  });

  it('words in the mails of a status are looked for by the keys of the outbox alone', async (t) => {
    const store = await (await fresh(t)).open();
    const mails = await addMails(store, 300, (at) => (at % 3 === 0 ? 'Zeppelin' : 'Raft'));
    const { store: recording, queries } = recordQueries(store);
    const its = mails.filter((_, at) => at % 3 === 0).toReversed();
    assert.deepEqual(
      await keysOfMails(recording, 'status=failed&q=zepp'),
      its.map(({ id }) => id),
    );
    // No mail that waits has the word.
    assert.deepEqual(await keysOfMails(recording, 'status=deferred&q=zepp'), []);
    const { total } = await askAsOwner<Page>(store, '/mails?status=deferred&q=zepp&total=true');
    assert.equal(total, 0);
    const picking = [...queries.values()].filter((query) => query.sql.includes('found_key'));
    assert.ok(picking.length > 0);
    for (const query of picking) {
      assert.match(query.sql, /select outbox\.id as found_key/);
      assert.match(query.sql, /(from|cross join) outbox cross join/);
    }
    // What all have is not counted, and not sorted as a whole.
    const counted = [...queries.values()].filter(({ parameters }) => parameters.at(-1) === 12_001);
    assert.deepEqual(counted, []);
  });
});
