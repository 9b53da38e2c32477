import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { defineLimits } from '../../../../packages/asmx/src/contract/limits.ts';
import { exchange, postTo } from '../../../../packages/asmx/test/kit/http.ts';
import { until } from '../../../../packages/asmx/test/kit/until.ts';
import { startEcho } from '../kit/echo.ts';
import { echoHandlers } from '../kit/echo-handlers.ts';
import { startService, TOKEN } from '../kit/service.ts';
import { ARTICLE, FORM, JSON_TYPE, SERVICE, SOAP, soap } from './kit/requests.ts';

const CALLS = 8;

/** What a service is asked with, by way of a proxy that says who asks. */
const asked = (
  url: string,
  path: string,
  headers: Readonly<Record<string, string>>,
  body: string,
  address: string,
) => postTo(url + path, body, { ...headers, 'X-Forwarded-For': address });

describe('more calls than can be answered', () => {
  it('one address has half of them, and the excess is Busy with Retry-After in every binding', async (t) => {
    const { promise: held, resolve: release } = Promise.withResolvers<string>();
    let carriedOut = 0;
    const echo = await startEcho(t, {
      limits: defineLimits({ calls: CALLS }),
      clientAddress: (remote, forwardedFor) => forwardedFor ?? remote,
      handlers: {
        ...echoHandlers(() => {}),
        InsertArticle: () => {
          carriedOut++;
          return held;
        },
      },
    });
    const call = (address: string) => asked(echo.url, ARTICLE, FORM, 'token=a&guid=b', address);
    const answers: Promise<{ status: number }>[] = [];
    try {
      for (let calls = 0; calls < CALLS / 2; calls++) answers.push(call('192.0.2.1'));
      await until(() => carriedOut >= CALLS / 2);

      for (const [path, headers, body, status] of [
        [ARTICLE, FORM, 'token=a', 503],
        [ARTICLE, JSON_TYPE, '{"token":"a"}', 503],
        [SERVICE, SOAP, soap('<token>a</token>', 'InsertArticle', 'http://tempuri.org/ws01'), 500],
      ] as const) {
        const refused = await asked(echo.url, path, headers, body, '192.0.2.1');
        assert.equal(refused.status, status);
        assert.equal(refused.headers['x-error-code'], 'Busy');
        assert.equal(refused.headers['retry-after'], '5');
      }
      answers.push(call('192.0.2.2'));
      await until(() => carriedOut > CALLS / 2);
    } finally {
      release('done');
    }
    for (const answer of answers) assert.equal((await answer).status, 200);
    // At once, since nothing is under way any more.
    assert.equal((await call('192.0.2.1')).status, 200);
  });

  for (const FAST_PATH of ['on', 'off']) {
    it(`of the service, with FAST_PATH=${FAST_PATH}: who is refused has nothing done; health is answered; then all is well`, async (t) => {
      const { url } = await startService(t, undefined, {
        fixed: { maxCalls: 4 },
        FAST_PATH,
        RATE_LIMITS: 'off',
      });
      const guids = Array.from({ length: 60 }, (_, at) => `overload-${at}`);
      const written = guids.map((guid) =>
        postTo(url + ARTICLE, `token=${TOKEN}&guid=${guid}&caption=c&content=text`, FORM),
      );
      assert.equal((await exchange(`${url}/healthz`)).status, 200);
      const answers = await Promise.all(written);
      const refused = answers.filter(({ status }) => status === 503);
      assert.ok(refused.length > 0 && refused.length < guids.length, String(refused.length));
      for (const { status, headers } of answers) {
        if (status !== 200) assert.equal(`${status} ${headers['x-error-code']}`, '503 Busy');
      }
      for (const [at, guid] of guids.entries()) {
        const body = `token=${TOKEN}&guid=${guid}&caption=c&content=text`;
        const again = await postTo(url + ARTICLE, body, FORM);
        assert.equal(again.status, 200, `${answers[at]!.status}, then ${again.body}`);
      }
    });
  }
});
