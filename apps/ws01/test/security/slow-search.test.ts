import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { assertWithin } from '../../../../packages/asmx/test/kit/growth.ts';
import { postTo } from '../../../../packages/asmx/test/kit/http.ts';
import { forEachEngine } from '../kit/database.ts';
import { startService, TOKEN } from '../kit/service.ts';

/** A text, and two queries that are not in it: one looks like it for long, over and over, the other nowhere. */
const DETAIL = 'a'.repeat(20_000);
const NEARLY = `${'a'.repeat(199)}b`;
const NOWHERE = 'b'.repeat(200);

const ADVERTS = 100;
const AT_ONCE = 10;
const SEARCHES = 20;

/** Were the searches made on the thread of the calls, those for {@link NEARLY} would take it twenty times as long. */
const MOST_TIMES_AS_LONG = 5;

const post = async (url: string, operation: string, params: object): Promise<string> => {
  const answer = await postTo(
    `${url}/WS01.asmx/${operation}`,
    JSON.stringify(params),
    'application/json',
  );
  assert.equal(answer.status, 200, answer.body);
  return (JSON.parse(answer.body) as { d: string }).d;
};

forEachEngine((_engine, fresh) => {
  describe('a search in texts that nearly match', () => {
    it('of adverts takes the thread of the calls no time, and finds what is there', async (test) => {
      const { url } = await startService(test, await fresh(test), { RATE_LIMITS: 'off' });
      // A few at a time: all at once would wait for the store longer than calls may.
      for (let written = 0; written < ADVERTS; written += AT_ONCE) {
        const adverts = Array.from({ length: AT_ONCE }, (_, index) => ({
          title: `${written + index}`,
          detail: DETAIL,
        }));
        await Promise.all(
          adverts.map((advert) =>
            post(url, 'addNewAdvert', { tokenId: TOKEN, CreateUserId: 'publisher', ...advert }),
          ),
        );
      }
      const search = async (query: string): Promise<number> => {
        const list = await post(url, 'QueryAdvert', { userId: 'publisher', query, pagesize: 1 });
        return (JSON.parse(list) as { total: number }).total;
      };
      const searches = async (query: string): Promise<void> => {
        const totals = await Promise.all(Array.from({ length: SEARCHES }, () => search(query)));
        assert.deepEqual(new Set(totals), new Set([0]));
      };
      await assertWithin(
        MOST_TIMES_AS_LONG,
        () => searches(NEARLY),
        () => searches(NOWHERE),
      );
      assert.equal(await search('a'.repeat(200)), ADVERTS);
      assert.equal(await search('%'), 0);
    });
  });
});
