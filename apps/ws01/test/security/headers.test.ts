import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { assertWithin } from '../../../../packages/asmx/test/kit/growth.ts';
import { postTo, RawConnection } from '../../../../packages/asmx/test/kit/http.ts';
import { WS01 } from '../../src/contract/service.ts';
import { exchange, TEST_BINDINGS } from '../kit/bindings.ts';
import { freshDatabase } from '../kit/database.ts';
import { startService, type TestService, TOKEN } from '../kit/service.ts';

const start = async (test: TestContext, env: Record<string, string> = {}): Promise<TestService> =>
  startService(test, await freshDatabase('sqlite', test), { RATE_LIMITS: 'off', ...env });

const WAYS = { 'the fast way': [], 'node:http': ['TE: trailers'] };
const PATHS = [
  '/WS01.asmx/QueryAdvert?userId=u',
  '/WS01.asmx',
  '/healthz',
  '/openapi.json',
  '/media/x.png',
  '/s/x',
];

describe('the headers of a request', () => {
  for (const [way, headers] of Object.entries(WAYS)) {
    const ask = async (
      test: TestContext,
      { app }: TestService,
      path: string,
      lines: readonly string[],
    ) => {
      const connection = await RawConnection.open(test, app.port);
      connection.send(`GET ${path} HTTP/1.1`, ...lines, ...headers, '', '');
      return connection.answer();
    };

    it(`have one Host and no more, else 400 (RFC 9112 3.2): ${way}`, async (test) => {
      const service = await start(test);
      for (const path of PATHS) {
        for (const hosts of [
          ['Host: a', 'Host: b'],
          ['Host: a', 'host: a'],
          ['Host: a', 'X-Between: x', 'HOST:'],
        ]) {
          const { status, head } = await ask(test, service, path, hosts);
          assert.equal(status, 400, `${path} ${hosts}`);
          assert.match(head, /^X-Error-Code: MalformedRequest\r$/m);
          assert.match(head, /^Connection: close$/m);
        }
        assert.notEqual((await ask(test, service, path, ['Host: a'])).status, 400, path);
      }
    });

    it(`are 200 at most, else 431: ${way}`, async (test) => {
      const service = await start(test);
      const many = (count: number) => [
        'Host: x',
        ...Array.from({ length: count - 1 }, (_, index) => `x${index}: y`),
      ];
      const own = headers.length;
      assert.equal((await ask(test, service, '/healthz', many(200 - own))).status, 200);
      assert.equal((await ask(test, service, '/healthz', many(201 - own))).status, 431);
      assert.equal((await ask(test, service, '/healthz', many(2_500))).status, 431);
      assert.equal((await ask(test, service, '/WS01.asmx', many(101 - own))).status, 200);
    });

    it(`may have any name, also __proto__ and numbers, and end no process: ${way}`, async (test) => {
      const service = await start(test);
      for (const path of PATHS) {
        for (const name of [
          '__proto__',
          'constructor',
          'hasOwnProperty',
          'toString',
          '0',
          '4294967295',
          '-1',
        ]) {
          const { status } = await ask(test, service, path, [
            'Host: x',
            `${name}: x`,
            `x-${name}: y`,
          ]);
          assert.ok(status < 500, `${path} ${name}`);
        }
      }
      assert.equal((await exchange(`${service.url}/healthz`)).status, 200);
    });
  }
});

/** Numbers that V8 before the fix of CVE-2026-21717 puts in one place of its tables: so far apart. */
const STEP = 2 ** 14;

describe('names that are numbers', () => {
  const NAMES = 9_000;
  const numbers = Array.from({ length: NAMES }, (_, index) => String(index * STEP));
  const words = numbers.map((number) => `w${number}`);
  const bodies = {
    form: (names: readonly string[]) => names.map((name) => `${name}=1`).join('&'),
    json: (names: readonly string[]) =>
      JSON.stringify(Object.fromEntries(names.map((name) => [name, 1]))),
    soap: (names: readonly string[]) =>
      `<Envelope xmlns="http://schemas.xmlsoap.org/soap/envelope/"><Body><QueryAdvert xmlns="urn:ws01">${names.map((name) => `<w${name}/>`).join('')}</QueryAdvert></Body></Envelope>`,
  };
  const types = {
    form: 'application/x-www-form-urlencoded',
    json: 'application/json',
    soap: 'text/xml',
  };

  for (const [kind, bodyOf] of Object.entries(bodies)) {
    it(`cost what others cost: ${kind}`, async (test) => {
      const { url } = await start(test);
      const path = kind === 'soap' ? '/WS01.asmx' : '/WS01.asmx/QueryAdvert';
      const headers = { 'Content-Type': types[kind as keyof typeof types] };
      const ask = async (body: string): Promise<void> => {
        for (let times = 0; times < 5; times++) {
          const { status } = await postTo(url + path, body, headers);
          assert.ok(status === 200 || status >= 400, String(status));
        }
      };
      await assertWithin(
        5,
        () => ask(bodyOf(numbers)),
        () => ask(bodyOf(words)),
      );
    });
  }
});

describe('what a page shows', () => {
  const EMBEDDED = ['image', 'script', 'style', 'font', 'audio', 'video', 'track', 'IMAGE'];
  const PERSON = [undefined, 'document', 'empty', 'iframe', 'worker', ''];

  const call = (url: string, name: string, destination: string | undefined) =>
    exchange(`${url}/WS01.asmx/${name}?id=1&IsPositive=1&userId=u`, {
      headers: destination === undefined ? {} : { 'Sec-Fetch-Dest': destination },
    });

  it('does no operation that writes, and any that reads', async (test) => {
    const { url } = await start(test);
    for (const { name, readOnly } of WS01.operations) {
      for (const destination of EMBEDDED) {
        const { headers, body } = await call(url, name, destination);
        assert.equal(
          /and is not done for a part of a web page/.test(body),
          readOnly !== true,
          `${name} ${destination}`,
        );
        if (readOnly !== true) assert.equal(headers['x-error-code'], 'Forbidden');
      }
    }
    for (const destination of PERSON) {
      const { status, body } = await call(url, 'submitReview', destination);
      assert.equal(status, 200, `${destination}: ${body}`);
    }
  });

  it('is refused before its credential is looked at, in every binding', async (test) => {
    const { url } = await start(test);
    for (const credential of [TOKEN, 'wrong-secret']) {
      const answer = await exchange(
        `${url}/WS01.asmx/addNewAdvert?tokenId=${credential}&title=t&CreateUserId=u`,
        {
          headers: { 'Sec-Fetch-Dest': 'image' },
        },
      );
      assert.equal(answer.headers['x-error-code'], 'Forbidden');
    }
    const listed = await TEST_BINDINGS[0]!.call(url, 'QueryAdvert', { userId: 'u' });
    assert.equal((JSON.parse(listed.result!) as { total: number }).total, 0);
  });

  it('does them all where REFUSE_EMBEDDED_WRITES is off', async (test) => {
    const { url } = await start(test, { REFUSE_EMBEDDED_WRITES: 'off' });
    assert.equal((await call(url, 'submitReview', 'image')).status, 200);
  });
});
