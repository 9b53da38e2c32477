import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import pg from 'pg';
import { temporaryFolder } from '../../../../packages/asmx/test/kit/folder.ts';
import { until } from '../../../../packages/asmx/test/kit/until.ts';
import { openStore } from '../../src/store/open.ts';
import { JSON_BINDING } from '../kit/bindings.ts';
import { postgresUrl, startPostgresServer } from '../kit/postgres-server.ts';
import { startService, TOKEN } from '../kit/service.ts';

describe('DATABASE_READ_URL', () => {
  it('answers lists and counts, with everything that was acknowledged, paused or away', async (t) => {
    const dataDir = await temporaryFolder(t, 'ws01-test-');
    const primary = await startPostgresServer('ws01-test-primary-');
    t.after(() => primary.dispose());
    await primary.stop();
    const standby = await startPostgresServer('ws01-test-standby-', { standbyOf: primary });
    t.after(() => standby.dispose());
    await primary.start();
    const database = {
      engine: 'postgres' as const,
      databaseUrl: postgresUrl(primary.port, 'postgres'),
      dataDir,
      open: () => Promise.reject(new Error('The test opens its own.')),
    };
    const databaseReadUrl = postgresUrl(standby.port, 'postgres');
    const [one, two] = [
      await startService(t, database, { DATABASE_READ_URL: databaseReadUrl }),
      await startService(t, database, { DATABASE_READ_URL: databaseReadUrl }),
    ];
    const store = await openStore({ ...database, databaseReadUrl });
    t.after(() => store.close());
    const insert = async (n: number) => {
      const params = { token: TOKEN, guid: `a-${n}`, caption: 'c', CreateUserId: 'ada' };
      assert.equal((await JSON_BINDING.call(one.url, 'InsertArticle', params)).code, undefined);
    };
    /** What the other node says, whose caller wrote by the first. */
    const count = async () => {
      const { result } = await JSON_BINDING.call(two.url, 'countUserPosted', {
        tokenId: TOKEN,
        userId: 'ada',
      });
      return Number(result);
    };
    const listed = () => store.browse((db) => db.selectFrom('articles').select('guid').execute());
    const answered = () => store.metrics.replica!.answered;

    await until(
      async () => {
        await listed();
        return answered() > 0;
      },
      () => 'the standby follows',
    );
    for (let n = 1; n <= 5; n++) {
      await insert(n);
      assert.equal(await count(), n, 'each call finds what was acknowledged before');
      assert.equal((await listed()).length, n);
    }

    const admin = new pg.Client(databaseReadUrl);
    await admin.connect();
    t.after(() => admin.end().catch(() => {}));
    admin.on('error', () => {});
    await admin.query('select pg_wal_replay_pause()');
    await until(
      async () => {
        const { rows } = await admin.query('select pg_get_wal_replay_pause_state() as state');
        return rows[0].state === 'paused';
      },
      () => 'replay is paused',
    );
    await insert(6);
    const [before, passed] = [answered(), store.metrics.replica!.passedOver];
    assert.equal(await count(), 6, 'of a standby that stands still nothing old is told');
    assert.equal((await listed()).length, 6);
    assert.equal(answered(), before);
    assert.ok(store.metrics.replica!.passedOver > passed);
    await until(
      async () => {
        await listed();
        return store.metrics.replica!.behindMs > 0;
      },
      () => 'it is told that the standby is behind',
    );
    const { rows } = await admin.query('select count(*)::int as articles from articles');
    assert.equal(rows[0].articles, 5, 'the standby itself does not have it');

    await admin.query('select pg_wal_replay_resume()');
    await until(
      async () => {
        assert.equal((await listed()).length, 6);
        return answered() > before;
      },
      () => 'the standby answers again',
    );
    assert.equal(store.metrics.replica!.behindMs, 0);
    const tokens = () => store.browse((db) => db.selectFrom('tokens').select('id').execute());
    const [credentials] = [answered(), await tokens()];
    assert.equal(answered(), credentials, 'who may do what is never read there');
    await assert.rejects(
      store.browse((db) => db.deleteFrom('articles').execute()),
      /may change nothing/,
    );

    await admin.end();
    await standby.stop();
    await insert(7);
    assert.equal(await count(), 7, 'without a standby the primary answers');
    assert.equal((await listed()).length, 7);
  });
});
