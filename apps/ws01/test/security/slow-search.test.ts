import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { exchange } from '../../../../packages/asmx/test/kit/http.ts';
import { forEachEngine } from '../kit/database.ts';
import { startService, TOKEN } from '../kit/service.ts';

/** A text and a query that look alike for long, over and over. */
const DETAIL = 'a'.repeat(20_000);
const QUERY = `${'a'.repeat(199)}b`;

/** Were they made on the thread of the calls itself, about one health check would come between two. */
const SEARCHES = 20;

const post = async (url: string, operation: string, params: object): Promise<string> => {
  const answer = await exchange(`${url}/WS01.asmx/${operation}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(params),
  });
  assert.equal(answer.status, 200, answer.body);
  return (JSON.parse(answer.body) as { d: string }).d;
};

/** How often `/healthz` answered while a call was under way. */
async function healthChecksDuring(url: string, call: Promise<unknown>): Promise<number> {
  let under = true;
  let checks = 0;
  call.finally(() => {
    under = false;
  });
  await turn();
  while (under) {
    await exchange(`${url}/healthz`);
    checks++;
  }
  return checks;
}

forEachEngine((_engine, fresh) => {
  describe('a search in texts that nearly match', () => {
    it('of adverts lets other calls be answered meanwhile, and finds what is there', async (test) => {
      const { url } = await startService(test, await fresh(test), { RATE_LIMITS: 'off' });
      const adverts = Array.from({ length: 200 }, (_, index) => ({ title: `${index}`, detail: DETAIL }));
      await Promise.all(
        adverts.map((advert) => post(url, 'addNewAdvert', { tokenId: TOKEN, CreateUserId: 'publisher', ...advert })),
      );
      const search = async (query: string): Promise<number> => {
        const list = await post(url, 'QueryAdvert', { userId: 'publisher', query, pagesize: 1 });
        return (JSON.parse(list) as { total: number }).total;
      };
      const searches = Promise.all(Array.from({ length: SEARCHES }, () => search(QUERY)));
      const checks = await healthChecksDuring(url, searches);
      assert.ok(checks > 3 * SEARCHES, `${checks} health checks while ${SEARCHES} searches`);
      assert.deepEqual(new Set(await searches), new Set([0]));
      assert.equal(await search('a'.repeat(200)), 200);
      assert.equal(await search('%'), 0);
    });
  });
});
