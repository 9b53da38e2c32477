import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countHoldings, lookAtHoldings } from '../../src/domain/persons/erase.ts';
import { forBothEngines } from '../kit/database.ts';
import { explain, recordQueries } from '../kit/recorded-queries.ts';

forBothEngines((engine, fresh) => {
  test('the tokens of a person are found by an index: a site may have one for each user', async (t) => {
    const store = await (await fresh(t)).open();
    const tokens = Array.from({ length: 2_000 }, (_, at) => ({
      ...{ id: `t-${at}`, hash: Buffer.from(String(at).padStart(32, '0')), label: '' },
      ...({ kind: 'user', user_id: `user-${at}`, scopes: 'mail', created_at: 1 } as const),
    }));
    for (let first = 0; first < tokens.length; first += 500)
      await store.write((tx) =>
        tx
          .insertInto('tokens')
          .values(tokens.slice(first, first + 500))
          .execute()
          .then(() => undefined),
      );
    const recorded = recordQueries(store);
    await lookAtHoldings(recorded.store, 'user-7');
    assert.deepEqual(await countHoldings(recorded.store, 'user-7'), [
      { table: 'tokens', rows: 1, fate: 'deleted' },
    ]);
    const own = [...recorded.queries.values()].filter(({ sql }) =>
      /from "tokens" where|from tokens where/.test(sql),
    );
    assert.ok(own.length >= 2);
    for (const query of own) {
      const plan = (await store.read((db) => explain(db, engine, query))).join('\n');
      if (!/tokens/.test(plan)) continue;
      assert.match(plan, /tokens_of_user/, `${query.sql}\n${plan}`);
      assert.doesNotMatch(plan, /SCAN tokens\b|Seq Scan on tokens\b/, `${query.sql}\n${plan}`);
    }
  });
});
