import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../../../packages/asmx/test/kit/listen.ts';
import { until } from '../../../../packages/asmx/test/kit/until.ts';
import { TEST_BINDINGS } from '../kit/bindings.ts';
import { forEachEngine } from '../kit/database.ts';
import { spawnService } from '../kit/process.ts';
import { TOKEN } from '../kit/service.ts';

forEachEngine((_engine, fresh) => {
  it('the listener opens only when calls can be served', async (t) => {
    const port = await freePort();
    const database = await fresh(t);
    let refused = 0;
    const firstAnswer = async () => {
      for (;;) {
        try {
          const [soap11] = TEST_BINDINGS;
          const params = { token: TOKEN, guid: 'first', caption: 'c', Status: '0' };
          return await soap11!.call(`http://127.0.0.1:${port}`, 'InsertArticle', params);
        } catch (error) {
          // Reset or cut off would be a listener that takes what it cannot serve.
          assert.equal((error as NodeJS.ErrnoException).code, 'ECONNREFUSED');
          refused += 1;
          await sleep(5);
        }
      }
    };
    const answered = firstAnswer();
    await until(() => refused > 0);
    const starting = spawnService(t, database, { PORT: String(port) });
    const [{ status, result, body }] = await Promise.all([answered, starting]);
    assert.deepEqual([status, result], [200, 'first'], body);
  });
});
