import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import { newSecret } from '../../src/domain/admins/secret.ts';
import { SESSION_COOKIES } from '../../src/domain/admins/sessions.ts';
import { caller } from '../../src/turns/caller.ts';
import { FairQueue } from '../../src/turns/fair-queue.ts';
import { Turns } from '../../src/turns/turns.ts';
import { TEST_BINDINGS } from '../kit/bindings.ts';
import { forBothEngines } from '../kit/database.ts';
import { startService, TOKEN } from '../kit/service.ts';

/** The sender that each request names, behind a proxy that is trusted; its /64 is the caller. */
const SENDER = { 'X-Forwarded-For': '2001:db8:7:7::1', 'X-Forwarded-Proto': 'https' };
const CALLER = '2001:db8:7:7::/64';

/** Notes for whom work waits or takes a turn. */
function notedCallers(t: TestContext): Set<string> {
  const noted = new Set<string>();
  const { take } = Turns.prototype;
  t.mock.method(
    Turns.prototype,
    'take',
    function (this: Turns, ...args: Parameters<Turns['take']>) {
      noted.add(args[1]?.whose ?? caller());
      return take.apply(this, args);
    },
  );
  const { push } = FairQueue.prototype;
  t.mock.method(
    FairQueue.prototype,
    'push',
    function (this: FairQueue<unknown>, whose: string, item: unknown) {
      noted.add(whose);
      return push.call(this, whose, item);
    },
  );
  return noted;
}

forBothEngines((engine, fresh) => {
  it('at every door, who sends a request is the caller with whom others take turns', async (t) => {
    const database = await fresh(t);
    const settings = { TRUSTED_PROXIES: '127.0.0.0/8', PUBLIC_READING: 'on' };
    const service = await startService(t, database, settings);
    const consoleApart =
      engine === 'postgres'
        ? await startService(t, database, { ...settings, CONSOLE_PORT: '0' })
        : service;
    const read = { headers: { ...SENDER, Authorization: `Bearer ${TOKEN}` } };
    const signedIn = { headers: { ...SENDER, Cookie: `${SESSION_COOKIES.secure}=${newSecret()}` } };
    const article = { token: TOKEN, guid: 'one', caption: 'a', content: 'b', CreateUserId: 'ada' };
    assert.equal((await TEST_BINDINGS[0]!.call(service.url, 'InsertArticle', article)).status, 200);
    const doors: Readonly<Record<string, () => Promise<Response>>> = {
      'the public API': () => fetch(`${service.url}/api/v1/public/articles`, { headers: SENDER }),
      'the API': () => fetch(`${service.url}/api/v1/articles`, read),
      'an operation': () =>
        fetch(`${service.url}/WS01.asmx/QueryAdvert?userId=ada&query=word`, { headers: SENDER }),
      // They wait for turns on PostgreSQL only: on SQLite they are read at once.
      ...(engine === 'postgres'
        ? {
            'a short link': () => fetch(`${service.url}/s/1234567`, { headers: SENDER }),
            'the console': () => fetch(`${service.url}/console`, signedIn),
            'the console on its own port': () =>
              fetch(`http://127.0.0.1:${consoleApart.app.consolePort}/console`, signedIn),
          }
        : {}),
    };
    const noted = notedCallers(t);
    for (const [door, knock] of Object.entries(doors)) {
      noted.clear();
      await (await knock()).text();
      assert.ok(noted.has(CALLER), `${door}: ${[...noted].join(', ') || 'nothing waited'}`);
    }
  });
});
