import assert from 'node:assert/strict';
import { it } from 'node:test';
import { sql } from 'kysely';
import { isFailureOf } from '../../src/failure/dependency-error.ts';
import { openStore } from '../../src/store/open.ts';
import { isUniqueViolation } from '../../src/store/unique-violation.ts';
import { forBothEngines } from '../kit/database.ts';
import { HOSTILE_TEXT } from '../kit/hostile-texts.ts';
import {
  articleRow,
  categoryKeys,
  insertBoth,
  insertCategory,
  postingRow,
  revisionRow,
  storedKeys,
} from './rows.ts';

const HOSTILE = `${HOSTILE_TEXT}'); drop table tokens;--`;

const TOKEN_ROW = {
  id: '',
  hash: new Uint8Array([0, 1, 255]),
  label: HOSTILE,
  kind: 'service' as const,
  user_id: null,
  scopes: '',
  created_at: Number.MAX_SAFE_INTEGER,
  expires_at: -62_135_596_800_000,
  revoked_at: null,
  last_used_at: 0,
};

const isBusy = (error: unknown) => isFailureOf('database', error, 'busy');
const isUnavailable = (error: unknown) => isFailureOf('database', error, 'unavailable');

forBothEngines((engine, fresh) => {
  it('gives back what was written: text, bytes, instants, nulls', async (t) => {
    const store = await (await fresh(t)).open();
    const row = { ...TOKEN_ROW, id: HOSTILE };
    await store.write((tx) => tx.insertInto('tokens').values(row).execute());
    assert.deepEqual(await store.read((db) => db.selectFrom('tokens').selectAll().execute()), [
      row,
    ]);
    const { n } = await store.read((db) =>
      db
        .selectFrom('tokens')
        .select((eb) => eb.fn.countAll<number>().as('n'))
        .executeTakeFirstOrThrow(),
    );
    assert.equal(n, 1);
    assert.equal(store.engine, engine);
  });

  it('compares and sorts keys bytewise', async (t) => {
    const store = await (await fresh(t)).open();
    const keys = ['Z', 'a', 'A', 'ä', 'z', 'a b', 'ab', '中', 'é', 'e'];
    await store.write(async (tx) => {
      for (const key of keys) {
        await insertCategory(tx, key);
      }
    });
    const bytewise = keys.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
    assert.deepEqual(await store.read(categoryKeys), bytewise);
    const found = await store.read((db) =>
      db.selectFrom('categories').select('key').where('key', '=', 'A').execute(),
    );
    assert.deepEqual(found, [{ key: 'A' }]);
  });

  it('counts up the ids of postings, also of a key that was used before', async (t) => {
    const store = await (await fresh(t)).open();
    const insert = (guid: string) =>
      store.write((tx) => tx.insertInto('postings').values(postingRow(guid)).execute());
    for (const guid of ['a', 'b', 'a']) await insert(guid);
    const rows = await store.read((db) =>
      db.selectFrom('postings').select(['id', 'record_key']).orderBy('id').execute(),
    );
    assert.deepEqual(
      rows.map(({ record_key }) => record_key),
      ['a', 'b', 'a'],
    );
    assert.equal(new Set(rows.map(({ id }) => id)).size, 3);
  });

  it('recognises a row whose key is in use, primary or unique', async (t) => {
    const store = await (await fresh(t)).open();
    await store.write((tx) => insertBoth(tx, 'a'));
    await assert.rejects(
      store.write((tx) => tx.insertInto('articles').values(articleRow('a')).execute()),
      isUniqueViolation,
    );
    const withHash = (id: string) =>
      store.write((tx) =>
        tx
          .insertInto('tokens')
          .values({ ...TOKEN_ROW, id })
          .execute(),
      );
    await withHash('one');
    await assert.rejects(withHash('two'), isUniqueViolation);
    const other = await store
      .write((tx) => sql`select nonsense`.execute(tx))
      .catch((error: unknown) => error);
    assert.ok(other instanceof Error && !isUniqueViolation(other));
  });

  it('keeps no orphans: revisions go with their article', async (t) => {
    const store = await (await fresh(t)).open();
    const revision = revisionRow('a');
    await assert.rejects(
      store.write((tx) => tx.insertInto('article_revisions').values(revision).execute()),
    );
    await store.write(async (tx) => {
      await tx.insertInto('articles').values(articleRow('a')).execute();
      await tx.insertInto('article_revisions').values(revision).execute();
    });
    await store.write((tx) => tx.deleteFrom('articles').execute());
    assert.deepEqual(
      await store.read((db) => db.selectFrom('article_revisions').selectAll().execute()),
      [],
    );
  });

  it('undoes all of a write that throws', async (t) => {
    const store = await (await fresh(t)).open();
    const failure = new Error('changed my mind');
    const write = store.write(async (tx) => {
      await insertBoth(tx, 'a');
      throw failure;
    });
    await assert.rejects(write, failure);
    assert.deepEqual(await store.read(storedKeys), { articles: [], postings: [] });
  });

  it('undoes a write that caught the error of its query, and lets no later query pass', async (t) => {
    const store = await (await fresh(t)).open();
    await store.write((tx) => insertCategory(tx, 'taken'));
    let later: unknown;
    const write = store.write(async (tx) => {
      await insertCategory(tx, 'new');
      await insertCategory(tx, 'taken').catch(() => {});
      later = await insertCategory(tx, 'newer').catch((error: unknown) => error);
    });
    await assert.rejects(write, isUniqueViolation);
    assert.ok(isUniqueViolation(later), 'the reason, since its caller may be the one that answers');
    assert.deepEqual(await store.read(categoryKeys), ['taken']);
  });

  it('runs the queries of one write in order, also when they are made at once', async (t) => {
    const store = await (await fresh(t)).open();
    const keys = await store.write(async (tx) => {
      const [, , seen] = await Promise.all([
        insertCategory(tx, 'a'),
        insertCategory(tx, 'b'),
        categoryKeys(tx),
      ]);
      return seen;
    });
    assert.deepEqual(keys, ['a', 'b']);
  });

  it('refuses a query that is made after its write', async (t) => {
    const store = await (await fresh(t)).open();
    const leaked = await store.write(async (tx) => ({ insert: () => insertCategory(tx, 'late') }));
    await assert.rejects(leaked.insert(), /after its write had ended/);
    assert.deepEqual(await store.read(categoryKeys), []);
  });

  it('shows a read only what is committed', async (t) => {
    const store = await (await fresh(t)).open();
    const seen: string[][] = [];
    await store.write(async (tx) => {
      await insertCategory(tx, 'a');
      seen.push(await store.read(categoryKeys));
    });
    seen.push(await store.read(categoryKeys));
    assert.deepEqual(seen, [[], ['a']]);
  });

  it('refuses to change anything in a read', async (t) => {
    const store = await (await fresh(t)).open();
    await assert.rejects(
      store.read((db) => insertCategory(db, 'a')),
      /A read may change nothing/,
    );
    assert.deepEqual(await store.read(categoryKeys), []);
  });

  it('settles racing writes by the constraint: exactly one wins', async (t) => {
    const store = await (await fresh(t)).open();
    const outcomes = await Promise.allSettled(
      Array.from({ length: 20 }, () => store.write((tx) => insertCategory(tx, 'a'))),
    );
    assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1);
    for (const outcome of outcomes) {
      assert.ok(outcome.status === 'fulfilled' || isUniqueViolation(outcome.reason));
    }
  });

  it('gives up a write that awaits something else, and goes on', async (t) => {
    const store = await (await fresh(t)).open();
    const inner: Promise<unknown>[] = [];
    const outer = store.write(
      async (tx) => {
        inner.push(store.write((own) => insertCategory(own, 'inner')));
        await insertCategory(tx, 'outer');
        await new Promise(() => {});
      },
      { workTimeout: 300 },
    );
    await assert.rejects(outer, isBusy);
    await Promise.all(inner);
    assert.deepEqual(await store.read(categoryKeys), ['inner']);
  });

  it('shows that it is ready', async (t) => {
    const store = await (await fresh(t)).open();
    await store.check();
    await store.check();
  });

  it('finishes accepted writes when it is closed, and then refuses', async (t) => {
    const database = await fresh(t);
    const store = await database.open();
    const writes = ['a', 'b', 'c'].map((key) => store.write((tx) => insertCategory(tx, key)));
    await Promise.all([store.close(), store.close(), ...writes]);
    await assert.rejects(store.read(categoryKeys), isUnavailable);
    await assert.rejects(
      store.write((tx) => insertCategory(tx, 'd')),
      isUnavailable,
    );
    const again = await database.open();
    assert.deepEqual(await again.read(categoryKeys), ['a', 'b', 'c']);
  });
});

it('refuses a URL of another database system', async () => {
  await assert.rejects(openStore({ databaseUrl: 'mysql://root@localhost/x', dataDir: '.' }), {
    kind: 'misconfigured',
    message: /DATABASE_URL must begin with postgres:/,
  });
});
