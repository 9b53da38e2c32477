// night: a service is killed at many places of a call
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { TEST_BINDINGS } from '../kit/bindings.ts';
import { freshDatabase } from '../kit/database.ts';
import { spawnService } from '../kit/process.ts';
import { TOKEN } from '../kit/service.ts';

const ROUNDS = 20;
const PARALLEL = 200;

it(`keeps every acknowledged article over ${ROUNDS} rounds of kill -9 amid ${PARALLEL} parallel inserts`, async (t) => {
  const database = await freshDatabase('sqlite', t);
  const acknowledged = new Set<string>();
  const sent = new Set<string>();
  for (let round = 0; round < ROUNDS; round++) {
    const service = await spawnService(t, database, { RATE_LIMITS: 'off' });
    // Each round is killed after another number of acknowledgements, so that the cut falls at many places.
    const killAfter = Math.floor((round / ROUNDS) * PARALLEL);
    let answered = 0;
    const calls = Array.from({ length: PARALLEL }, async (_, index) => {
      const guid = `round-${round}-${index}`;
      sent.add(guid);
      const binding = TEST_BINDINGS[index % TEST_BINDINGS.length]!;
      try {
        const answer = await binding.call(service.url, 'InsertArticle', {
          token: TOKEN,
          guid,
          caption: `caption ${guid}`,
          content: `content of ${guid} `.repeat(20),
          CreateUserId: `user-${index % 7}`,
          categoryGuid: `category-${round}`,
        });
        if (answer.status === 200) {
          assert.equal(answer.result, guid);
          acknowledged.add(guid);
        }
      } catch {
        // The connection died with the process: not acknowledged.
      }
      answered++;
      if (answered === killAfter + 1) service.child.kill('SIGKILL');
    });
    await Promise.all(calls);
    await service.end('SIGKILL');
  }

  const store = await database.open();
  const rows = await store.read((db) =>
    db.selectFrom('articles').select(['guid', 'caption', 'content', 'owner', 'revision']).execute(),
  );
  const kept = new Map(rows.map((row) => [row.guid, row]));
  assert.ok(
    acknowledged.size > 0 && acknowledged.size < ROUNDS * PARALLEL,
    `${acknowledged.size} acknowledged`,
  );
  for (const guid of acknowledged)
    assert.ok(kept.has(guid), `${guid} was acknowledged and is lost`);
  for (const row of rows) {
    assert.ok(sent.has(row.guid));
    assert.deepEqual(
      [row.caption, row.content],
      [`caption ${row.guid}`, `content of ${row.guid} `.repeat(20)],
    );
  }
  // None half: every article has exactly its one posting, every posting its article.
  const postings = await store.read((db) =>
    db.selectFrom('postings').select('record_key').execute(),
  );
  assert.deepEqual(postings.map((row) => row.record_key).sort(), [...kept.keys()].sort());
});
