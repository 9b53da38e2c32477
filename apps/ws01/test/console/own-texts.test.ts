import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from '../../../../packages/asmx/test/kit/until.ts';
import { startHttpGateway } from '../kit/http-gateway.ts';
import { startService, TOKEN } from '../kit/service.ts';
import { violationsOf } from './kit/axe.ts';
import { apiOfSession, leave, openSignedIn, sessionOf } from './kit/browser.ts';
import { call } from './kit/filled.ts';

test('what the service writes itself is seen before it is changed, and holds at once, without a restart', async (t) => {
  const gateway = await startHttpGateway(t);
  const service = await startService(t, undefined, {
    SMS_URL: gateway.url,
    SMS_SECRET: 'a random text of thirty-two or more characters',
    CODE_SECRET: 'of thirty-two or more characters, all told',
  });
  const cookie = await sessionOf(service, 'owner', 'ada');
  const api = apiOfSession(service, cookie);
  const path = '/console/settings/MAIL_REFUSED';
  const page = await openSignedIn(t, service, cookie, path, {}, /status of 400/);
  const sample = page
    .getByRole('group', { name: 'As people get it' })
    .or(page.getByRole('region', { name: 'As people get it' }));
  await sample.getByText('Not published: Flat to let').waitFor();
  await sample.getByText('未发布：公寓出租').waitFor();
  const value = page.getByLabel('Value');
  await value.fill('Sorry: {title}');
  await page.getByRole('button', { name: 'Preview' }).click();
  await page.getByText('with {reason} in it').waitFor();
  assert.equal(await value.inputValue(), 'Sorry: {title}');
  assert.deepEqual(await violationsOf(page), []);
  await value.fill('Sorry: {title}\n\nDear {name},\n{reason}');
  await page.getByRole('button', { name: 'Preview' }).click();
  await sample.getByText('Sorry: Flat to let').waitFor();
  const { items } = await api('GET', '/settings');
  const now = items.find((one: { variable: string }) => one.variable === 'MAIL_REFUSED');
  assert.equal(now.value, null, 'a preview changes nothing');
  await page.getByRole('button', { name: 'Change the setting' }).click();
  await page.getByText('Mail about a rejection was changed').waitFor();

  const refuse = async (guid: string) => {
    await call(service, 'InsertArticle', {
      ...{ token: TOKEN, guid, caption: 'Piano', CreateUserId: 'bob', Status: '2' },
    });
    await api('POST', `/articles/${guid}/reject`, { reason: 'No price.' });
    const [mail] = (await api('GET', '/mails?limit=1')).items;
    return [mail.subject, (await api('GET', `/mails/${mail.id}`)).body];
  };
  await api('POST', '/users', { id: 'bob', name: 'Bob', email: 'bob@example.com' });
  assert.equal((await refuse('one'))[0], 'Sorry: Piano');
  await leave(page, () => page.getByRole('button', { name: 'Undo' }).click());
  await page.getByText('Mail about a rejection was changed').waitFor();
  assert.equal((await refuse('two'))[0], 'Not published: Piano');

  await page.goto(`${service.url}/console/settings/SMS_TEXT`);
  await sample.getByText('your code is 123456').waitFor();
  await value.fill('{service} says\n{code}');
  await page.getByRole('button', { name: 'Change the setting' }).click();
  await page.getByText('Text of a message was changed').waitFor();
  await call(service, 'CreateVerifyCode', {
    ...{ tokenId: TOKEN, userId: 'bob', cellphone: '+12015550123' },
  });
  await until(() => gateway.calls.length > 0);
  assert.match(JSON.parse(gateway.calls[0]!.body).text, /^\S.* says\n\d{6}$/);
});
