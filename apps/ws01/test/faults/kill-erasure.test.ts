import assert from 'node:assert/strict';
import { it } from 'node:test';
import { until } from '../../../../packages/asmx/test/kit/until.ts';
import type { Store } from '../../src/store/store.ts';
import { forEachEngine } from '../kit/database.ts';
import { spawnService } from '../kit/process.ts';
import { TOKEN } from '../kit/service.ts';

/** Enough for many transactions, so that it is killed between two of them. */
const REVIEWS = 4_000;

/** The reviews about a person that there are. */
async function reviewsOf(store: Store, subject: string): Promise<number> {
  const [row] = await store.read((db) =>
    db
      .selectFrom('reviews')
      .select((eb) => eb.fn.countAll().as('n'))
      .where('subject', '=', subject)
      .execute(),
  );
  return Number(row!.n);
}

const ask = (url: string, method: string, path: string, body?: object) =>
  fetch(`${url}/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });

async function addPerson(url: string, store: Store, id: string): Promise<void> {
  assert.equal((await ask(url, 'POST', '/users', { id, name: 'Zaphod' })).status, 201);
  const about = { subject: id, positive: 1 as const, rating: null, remark: 'about Zaphod' };
  const by = { ip: '192.0.2.1', claimed_ip: null, created_at: 1, updated_at: 1 };
  const rows = Array.from({ length: REVIEWS }, (_, index) => ({
    ...{ id: `${id}-${index}`, voter: `user:u-${index}` },
    ...about,
    ...by,
  }));
  await store.write(async (tx) => {
    for (let at = 0; at < REVIEWS; at += 500)
      await tx
        .insertInto('reviews')
        .values(rows.slice(at, at + 500))
        .execute();
  });
}

forEachEngine((_engine, fresh) => {
  it('a person whose erasure is killed in the middle is erased by asking again, and the trail says so once', async (t) => {
    const database = await fresh(t);
    const store = await database.open({ guest: true });
    let [id, erased] = ['', 0];
    for (let left = 0; left === 0; erased++) {
      const first = await spawnService(t, database);
      id = `zaphod-${erased}`;
      await addPerson(first.url, store, id);
      const broken = ask(first.url, 'POST', `/users/${id}/erase`, {}).then(
        ({ status }) => status,
        () => 'killed',
      );
      await until(async () => (await reviewsOf(store, id)) < REVIEWS);
      await first.end('SIGKILL');
      left = await reviewsOf(store, id);
      // None: it had come to its end before the signal did.
      if (left > 0) assert.equal(await broken, 'killed');
    }

    const second = await spawnService(t, database);
    const trail = async () => {
      const answer = await ask(second.url, 'GET', '/audit?action=user.erase');
      return ((await answer.json()) as { items: { targetKey: string | null; details: object }[] })
        .items;
    };
    const before = (await trail()).length;
    assert.ok(before < erased, 'the last one was not erased yet');
    const half = (await (await ask(second.url, 'GET', `/users/${id}`)).json()) as {
      blockedAt: string | null;
    };
    assert.notEqual(half.blockedAt, null, 'nobody acts for the person meanwhile');
    assert.equal((await ask(second.url, 'POST', `/users/${id}/erase`, {})).status, 200);
    assert.equal(await reviewsOf(store, id), 0);
    assert.equal((await ask(second.url, 'GET', `/users/${id}`)).status, 404);
    const told = await trail();
    assert.equal(told.length, before + 1);
    for (const { targetKey, details } of told) assert.deepEqual([targetKey, details], [null, {}]);
    await second.end('SIGKILL');
  });
});
