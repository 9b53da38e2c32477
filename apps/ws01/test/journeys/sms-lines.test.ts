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
      SMS_NETWORKS: '127.0.0.0/8',
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
