import assert from 'node:assert/strict';
import { it } from 'node:test';
import { until } from '../../../../packages/asmx/test/kit/until.ts';
import { TEST_BINDINGS } from '../kit/bindings.ts';
import { startHttpGateway } from '../kit/http-gateway.ts';
import { startService, TOKEN } from '../kit/service.ts';

it('a message has the lines of SMS_TEXT, the last of which binds the code to the site', async (t) => {
  for (const lineBreak of ['\n', '\r\n', '\\n']) {
    const gateway = await startHttpGateway(t);
    const lines = ['{service}: your code is {code}.', '', '@example.com #{code}'];
    const { url } = await startService(t, undefined, {
      SMS_URL: `${gateway.url}/sms`,
      SMS_SECRET: 's'.repeat(32),
      SERVICE_NAME: '留言板',
      SMS_TEXT: lines.join(lineBreak),
    });
    const phone = { tokenId: TOKEN, userId: 'ada', cellphone: '+12125550100' };
    const { call } = TEST_BINDINGS[0]!;
    assert.equal((await call(url, 'CreateVerifyCode', phone)).status, 200);
    await until(() => gateway.calls.length > 0);
    const { text } = JSON.parse(gateway.calls[0]!.body);
    const [, code, last] =
      /^留言板: your code is ([0-9]{6})\.\n\n(@example\.com #[0-9]{6})$/.exec(text) ?? [];
    assert.equal(last, `@example.com #${code}`, JSON.stringify(text));
    // A person may copy the whole last word.
    assert.equal(
      (await call(url, 'VerifyCodeForPhone', { ...phone, VerifyCode: `#${code}` })).result,
      '',
    );
  }
});

it('without SMS_TEXT the last line binds the code to the site, where that is reached by https', async (t) => {
  for (const [BASE_URL, last] of [
    ['https://www.example.com/ws', '\n\n@www.example.com #'],
    ['http://www.example.com', undefined],
  ] as const) {
    const gateway = await startHttpGateway(t);
    const { url } = await startService(t, undefined, {
      BASE_URL,
      SMS_URL: `${gateway.url}/sms`,
      SMS_SECRET: 's'.repeat(32),
    });
    const { call } = TEST_BINDINGS[0]!;
    const phone = { tokenId: TOKEN, userId: 'ada', cellphone: '+12125550100' };
    assert.equal((await call(url, 'CreateVerifyCode', phone)).status, 200);
    await until(() => gateway.calls.length > 0);
    const { text, parts } = JSON.parse(gateway.calls[0]!.body);
    const [, code] = /: your code is ([0-9]{6})\. It is valid for 3 minutes\./.exec(text) ?? [];
    assert.equal(text.endsWith(' 3 minutes.'), last === undefined);
    if (last !== undefined) assert.ok(text.endsWith(`${last}${code}`), text);
    assert.equal(parts, 1);
  }
});

it('a tester’s number has its code always, and nothing is sent to it; others are as ever', async (t) => {
  const gateway = await startHttpGateway(t);
  const { url } = await startService(t, undefined, {
    SMS_URL: `${gateway.url}/sms`,
    SMS_SECRET: 's'.repeat(32),
    SMS_COUNTRIES: 'GB',
    SMS_TEST_CODES: '+12015550123=123456',
  });
  const { call } = TEST_BINDINGS[0]!;
  const tester = { tokenId: TOKEN, userId: 'ada', cellphone: '001 (201) 555-0123' };
  for (const _ of [1, 2]) {
    const made = await call(url, 'CreateVerifyCode', tester);
    assert.equal(made.status, 200);
    assert.match(made.result!, /^[0-9a-f-]{36}$/);
    const wrong = await call(url, 'VerifyCodeForPhone', { ...tester, VerifyCode: '654321' });
    assert.match(wrong.result!, /^CodeWrong: .* 4 attempts left$/);
    const right = await call(url, 'VerifyCodeForPhone', { ...tester, VerifyCode: '123456' });
    assert.equal(right.result, '');
    // It is used up like any other.
    const again = await call(url, 'VerifyCodeForPhone', { ...tester, VerifyCode: '123456' });
    assert.match(again.result!, /^CodeNotFound/);
  }
  const other = { ...tester, cellphone: '+447400123456' };
  assert.equal((await call(url, 'CreateVerifyCode', other)).status, 200);
  await until(() => gateway.calls.length > 0);
  assert.deepEqual(
    gateway.calls.map(({ body }) => JSON.parse(body).to),
    ['+447400123456'],
  );
  const guessed = await call(url, 'VerifyCodeForPhone', { ...other, VerifyCode: '123456' });
  assert.match(guessed.result!, /^CodeWrong/);
});
