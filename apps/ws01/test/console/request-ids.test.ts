import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { RecentCalls } from '../../src/web/recent-calls.ts';
import { keptLog } from '../kit/log.ts';
import { startService, TOKEN } from '../kit/service.ts';
import { openAs, sessionOf, visitor } from './kit/browser.ts';
import { call, filledService } from './kit/filled.ts';

suite('one request id', () => {
  test('the same box finds everything about one call by its request id: the log, the error, the audit and the mail', async (t) => {
    const service = await filledService(t);
    const ask = async (fields: Record<string, string>) => {
      const body = new URLSearchParams({
        authorizationUserId: TOKEN,
        subject: 'Hello',
        body: 'Hello',
        ...fields,
      });
      const answer = await fetch(`${service.url}/WS01.asmx/SendEmail`, { method: 'POST', body });
      return answer.headers.get('x-request-id')!;
    };
    const sent = await ask({ receiverEmail: 'grace@example.com' });
    const refused = await ask({ receiverEmail: 'nobody' });
    const page = await openAs(t, service, 'owner', `/console/search?q=${sent}`);
    await page
      .getByRole('group', { name: 'Calls with this request id' })
      .getByText('SendEmail')
      .waitFor();
    await page.getByRole('heading', { name: 'Mails' }).waitFor();
    await page.getByRole('main').getByRole('link', { name: 'Hello' }).first().waitFor();
    await page.goto(`${service.url}/console/search?q=${refused}`);
    const calls = page.getByRole('group', { name: 'Calls with this request id' });
    await calls.getByText('InvalidParameter').waitFor();
  });
});

test('one request id leads from an action in the console, or from its error, to all that is recorded', async (t) => {
  const { log, lines } = keptLog();
  const service = await startService(t, undefined, {}, log);
  const headers = { Cookie: await sessionOf(service, 'owner', 'ada') };
  const { api, send } = visitor(service, headers.Cookie);
  const advert = { guid: 'spam', title: 'Win a phone', CreateUserId: 'mallory' };
  await call(service, 'addNewAdvert', advert);
  const act = { verb: 'remove', key: 'spam', confirm: 'yes' };
  const done = await send('/console/adverts/act', act);
  const { items } = (await api('GET', `/audit?requestId=${done.headers.get('x-request-id')}`)).body;
  assert.deepEqual(
    items.map(({ action }: { action: string }) => action),
    ['advert.remove'],
  );
  const store = await service.database.open();
  await store.write((tx) => tx.updateTable('audit').set({ details: 'damaged' }).execute());
  const failed = await fetch(`${service.url}/console/audit`, { headers });
  const requestId = failed.headers.get('x-request-id')!;
  assert.equal(failed.status, 500);
  assert.ok((await failed.text()).includes(`<code>${requestId}</code>`));
  assert.ok(lines.some((line) => line.msg === 'failed' && line.requestId === requestId));
});

test('the last 5,000 calls are found by their ids, all that is kept of each', () => {
  const calls = new RecentCalls();
  const call = (requestId: string, at: number) => ({
    requestId,
    ...{ operation: 'A', binding: 'soap11', method: 'POST', status: 200, durationMs: at / 4, at },
    ...{ address: '2001:db8:1111:2222:3333:4444:5555:6666', tokenId: 'one', user: undefined },
    ...{ error: undefined, parameter: undefined, reason: undefined },
  });
  const keep = ({ at, ...kept }: ReturnType<typeof call>) => calls.keep(kept, at);
  const long = 'x'.repeat(128);
  keep(call('first', 1));
  keep(call(long, 2));
  for (let number = 3; number <= 5_001; number++) keep(call(`id ${number}`, number));
  assert.deepEqual(calls.find('first'), [], 'written over');
  assert.deepEqual(calls.find(long), [call(long, 2)]);
  assert.deepEqual(calls.find('id 5001'), [call('id 5001', 5_001)]);
  keep(call('id 5001', 5_002));
  assert.equal(calls.find('id 5001').length, 2);
  assert.deepEqual(calls.find(long), [], 'written over by a shorter one');
});
