import assert from 'node:assert/strict';
import { it } from 'node:test';
import { pino } from 'pino';
import { startApp } from '../../../src/app/app.ts';
import { loadConfig } from '../../../src/config/config.ts';
import { TEST_BINDINGS } from '../../kit/bindings.ts';
import { forEachEngine, freshDatabase } from '../../kit/database.ts';
import { rates } from '../../kit/fixed.ts';
import { otherCode, PHONE } from '../../kit/phone.ts';
import { startService, TOKEN } from '../../kit/service.ts';

forEachEngine((_engine, fresh) => {
  it('a code is made, answered wrongly, rightly and again, over every binding', async (t) => {
    const { url } = await startService(t, await fresh(t));
    for (const binding of TEST_BINDINGS) {
      const holder = { tokenId: TOKEN, userId: `名-${binding.name}<&>` };
      const made = await binding.call(url, 'CreateVerifyCode', {
        ...holder,
        cellphone: '+1 212 555 0100',
      });
      const code = made.result ?? assert.fail(made.body);
      const answer = (VerifyCode: string) =>
        binding.call(url, 'VerifyCodeForPhone', {
          ...holder,
          VerifyCode,
          cellphone: '００１ (212) 555-0100',
        });
      const wrong = await answer(otherCode(code));
      assert.deepEqual([wrong.status, wrong.result?.slice(0, 10)], [200, 'CodeWrong:']);
      const right = await answer(code);
      assert.deepEqual([right.status, right.result], [200, ''], right.body);
      assert.match((await answer(code)).result ?? '', /^CodeNotFound: /);
    }
  });
});

it('refusals are the same over every binding', async (t) => {
  const { url } = await startService(t, undefined, {
    fixed: { codesPerPhone: rates('1/h') },
  });
  const first = await TEST_BINDINGS[0]!.call(url, 'CreateVerifyCode', {
    tokenId: TOKEN,
    userId: 'u',
    cellphone: PHONE,
  });
  assert.match(first.result ?? first.body, /^[0-9]{6}$/);
  for (const binding of TEST_BINDINGS) {
    const create = (given: Record<string, string>) =>
      binding.call(url, 'CreateVerifyCode', {
        tokenId: TOKEN,
        userId: 'u',
        cellphone: PHONE,
        ...given,
      });
    const limited = await create({});
    assert.equal(limited.code, 'RateLimited');
    const wait = Number(limited.headers['retry-after']);
    assert.ok(wait > 3_500 && wait <= 3_600, String(wait));
    assert.equal((await create({ tokenId: 'nobody-has-this-token' })).code, 'Unauthenticated');
    assert.equal((await create({ cellphone: '' })).code, 'MissingParameter');
    assert.equal((await create({ cellphone: 'hello' })).code, 'InvalidParameter');
  }
});

it('neither codes nor numbers reach the log, whatever the binding', async (t) => {
  const { dataDir } = await freshDatabase('sqlite', t);
  const lines: string[] = [];
  const config = loadConfig({ PORT: '0', DATA_DIR: dataDir, BOOTSTRAP_TOKEN: TOKEN });
  const app = await startApp(
    config,
    pino({ level: 'trace' }, { write: (line: string) => lines.push(line) }),
  );
  t.after(() => app.stop());
  const url = `http://127.0.0.1:${app.port}`;
  for (const binding of TEST_BINDINGS) {
    // Not the number that the service names as an example.
    const holder = { tokenId: TOKEN, userId: 'u', cellphone: '+12125550173' };
    const made = await binding.call(url, 'CreateVerifyCode', holder);
    for (const VerifyCode of ['735791', made.result!]) {
      await binding.call(url, 'VerifyCodeForPhone', { ...holder, VerifyCode });
    }
    await binding.call(url, 'VerifyCodeForPhone', {
      ...holder,
      VerifyCode: '735791',
      cellphone: '735791x',
    });
    const texts = lines.map((line) => line.replaceAll(/"(?:time|pid|requestId)":[^,]+,?/g, ''));
    for (const hidden of [made.result!, '735791', '2125550173', TOKEN]) {
      assert.ok(!texts.some((line) => line.includes(hidden)), `${binding.name}: ${hidden}`);
    }
  }
  assert.equal(
    lines.filter((line) => line.includes('VerifyCodeForPhone')).length,
    3 * TEST_BINDINGS.length,
  );
});
