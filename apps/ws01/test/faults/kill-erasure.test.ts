import assert from 'node:assert/strict';
import { it } from 'node:test';
import { until } from '../../../../packages/asmx/test/kit/until.ts';
import type { Store } from '../../src/store/store.ts';
import { forEachEngine } from '../kit/database.ts';
import { spawnService } from '../kit/process.ts';
import { TOKEN } from '../kit/service.ts';

/** Enough for many transactions, so that it is killed between two of them. */
const REVIEWS = 4_000;

const reviewsIn = async (store: Store) =>
  Number(
    (
      await store.read((db) =>
        db
          .selectFrom('reviews')
          .select((eb) => eb.fn.countAll().as('n'))
          .execute(),
      )
    )[0]!.n,
  );

forEachEngine((_engine, fresh) => {
  it('a person whose erasure is killed in the middle is erased by asking again, and the trail says so once', async (t) => {
    const database = await fresh(t);
    const first = await spawnService(t, database);
    const ask = (url: string, method: string, path: string, body?: object) =>
      fetch(`${url}/api/v1${path}`, {
        method,
        headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
    assert.equal(
      (await ask(first.url, 'POST', '/users', { id: 'zaphod', name: 'Zaphod' })).status,
      201,
    );
    const store = await database.open({ guest: true });
    const rows = Array.from({ length: REVIEWS }, (_, index) => ({
      ...{
        id: `review-${index}`,
        subject: 'zaphod',
        voter: `user:u-${index}`,
        positive: 1 as const,
        rating: null,
      },
      ...{
        remark: 'about Zaphod',
        ip: '192.0.2.1',
        claimed_ip: null,
        created_at: 1,
        updated_at: 1,
      },
    }));
    await store.write(async (tx) => {
      for (let at = 0; at < REVIEWS; at += 500) {
        await tx
          .insertInto('reviews')
          .values(rows.slice(at, at + 500))
          .execute();
      }
    });
    const broken = ask(first.url, 'POST', '/users/zaphod/erase', {}).then(
      ({ status }) => status,
      () => 'killed',
    );
    await until(async () => (await reviewsIn(store)) < REVIEWS);
    await first.end('SIGKILL');
    assert.equal(await broken, 'killed');
    const left = await reviewsIn(store);
    assert.ok(left > 0 && left < REVIEWS, `${left} are left`);

    const second = await spawnService(t, database);
    const trail = async () => {
      const answer = await ask(second.url, 'GET', '/audit?action=user.erase');
      return ((await answer.json()) as { items: { targetKey: string | null; details: object }[] })
        .items;
    };
    assert.deepEqual(await trail(), [], 'nobody was erased yet');
    const half = (await (await ask(second.url, 'GET', '/users/zaphod')).json()) as {
      blockedAt: string | null;
    };
    assert.notEqual(half.blockedAt, null, 'nobody acts for the person meanwhile');
    assert.equal((await ask(second.url, 'POST', '/users/zaphod/erase', {})).status, 200);
    assert.equal(await reviewsIn(store), 0);
    assert.equal((await ask(second.url, 'GET', '/users/zaphod')).status, 404);
    assert.deepEqual(
      (await trail()).map(({ targetKey, details }) => [targetKey, details]),
      [[null, {}]],
    );
    await second.end('SIGKILL');
  });
});
