import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { createServer } from 'node:http';
import { describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { attachFastPath } from '@ws01/fast-http';
import {
  base64Binary,
  createEndpoint,
  type IncomingCall,
  nodeListener,
  operation,
  ServiceError,
  service,
  string,
} from '../../src/index.ts';
import { jsonRequest } from '../kit/http.ts';
import { listen } from '../kit/listen.ts';
import { whoEndpoint as endpoint, serve, soap } from './kit.ts';

const NS = 'urn:access';

describe('authorize and what stands around a call', () => {
  it('sees Basic, Bearer, cookies and other headers of HTTP', async (test) => {
    const url = await serve(
      test,
      endpoint(
        ({ http }) =>
          http.basic?.user ?? http.bearer ?? http.cookie('session') ?? http.header('X-Key') ?? '',
      ),
    );
    const as = async (headers: Record<string, string>) =>
      (await (await fetch(`${url}/Who.asmx/WhoAmI?greeting=Hi`, { headers })).text()).match(
        />([^<]*)<\/string>/,
      )?.[1];
    assert.equal(
      await as({ Authorization: `Basic ${Buffer.from('ann:pw:x').toString('base64')}` }),
      'Hi ann',
    );
    assert.equal(await as({ Authorization: 'bearer abc.def' }), 'Hi abc.def');
    assert.equal(await as({ Cookie: 'a=b; session=s1' }), 'Hi s1');
    assert.equal(await as({ 'x-key': 'k' }), 'Hi k');
  });

  it('checks a credential once, however many files come while it is checked', async (test) => {
    const Keep = operation({
      input: { token: string, one: base64Binary, two: base64Binary },
      result: string,
    });
    const checked: unknown[] = [];
    const options = {
      path: '/Files.asmx',
      credential: () => 'token',
      authorize: async (call: IncomingCall) => {
        checked.push(call.text('token'));
        await nextTurn();
      },
    } as const;
    const files = createEndpoint(service('Files', { namespace: NS, operations: { Keep } }), {
      ...options,
      handlers: { Keep: ({ one, two }) => `${one?.length} and ${two?.length} bytes` },
    });
    const values = '<token>good</token><one>AAAA</one><two>AAAAAAAA</two>';
    const answer = await soap(
      `${await serve(test, files)}/Files.asmx`,
      `<Keep xmlns="${NS}">${values}</Keep>`,
    );
    assert.match(answer.body, /3 and 6 bytes/);
    assert.deepEqual(checked, ['good']);
  });

  it('asks for credentials with every 401, over SOAP, too, where a challenge is set', async (test) => {
    const refuse = (): never => {
      throw new ServiceError('Unauthorized', 'Who are you?');
    };
    const challenge = 'Basic realm="who"';
    const url = await serve(test, endpoint(refuse, { challenge }));
    for (const answer of [
      await fetch(`${url}/Who.asmx/WhoAmI?greeting=Hi`),
      await soap(`${url}/Who.asmx`, `<WhoAmI xmlns="${NS}"/>`),
    ]) {
      assert.equal(answer.status, 401);
      assert.equal(answer.headers.get('www-authenticate'), challenge);
    }
    const without = await serve(test, endpoint(refuse));
    assert.equal(
      (await fetch(`${without}/Who.asmx/WhoAmI?greeting=Hi`)).headers.get('www-authenticate'),
      null,
    );
    assert.equal((await soap(`${without}/Who.asmx`, `<WhoAmI xmlns="${NS}"/>`)).status, 500);
  });

  it('a handler sets several cookies, and of another header the last value', async (test) => {
    const contract = service('Cookies', {
      namespace: NS,
      operations: { Set: operation({ result: string }) },
    });
    const cookies = createEndpoint(contract, {
      path: '/Cookies.asmx',
      handlers: {
        Set: (_, { reply }) => {
          for (const value of ['a=1; Path=/', 'b=2; HttpOnly']) reply.header('Set-Cookie', value);
          for (const value of ['1', '2']) reply.header('X-Value', value);
          assert.throws(() => reply.header('X', 'a\r\nb'), TypeError);
          // Long enough to be compressed.
          return 'x'.repeat(5_000);
        },
      },
    });
    const server = createServer();
    const attached = attachFastPath(server, cookies);
    const listener = nodeListener(cookies);
    server.on('request', (req, res) => listener(req, res));
    const port = await listen(test, server);
    test.after(() => attached.destroy());
    const fast = `http://127.0.0.1:${port}`;
    for (const url of [await serve(test, cookies), fast]) {
      const answer = await soap(`${url}/Cookies.asmx`, `<Set xmlns="${NS}"/>`);
      assert.equal(answer.status, 200);
      assert.deepEqual(answer.headers.getSetCookie(), ['a=1; Path=/', 'b=2; HttpOnly']);
      assert.equal(answer.headers.get('x-value'), '2');
    }
  });

  it('call.signal is aborted when the client goes, and only then', async (test) => {
    const started = new EventEmitter();
    const contract = service('Slow', {
      namespace: NS,
      operations: { Wait: operation({ result: string }), Answer: operation({ result: string }) },
    });
    const signals: AbortSignal[] = [];
    const slow = createEndpoint(contract, {
      path: '/Slow.asmx',
      handlers: {
        Wait: async (_, { signal }) => {
          started.emit('waiting', signal);
          await once(signal, 'abort');
          return 'gone';
        },
        Answer: (_, { signal }) => {
          signals.push(signal);
          return 'there';
        },
      },
    });
    const url = await serve(test, slow);
    assert.match(await (await fetch(`${url}/Slow.asmx/Answer`)).text(), /there/);
    const waiting = once(started, 'waiting');
    const client = new AbortController();
    const asked = fetch(`${url}/Slow.asmx/Wait`, { signal: client.signal });
    const [signal] = (await waiting) as [AbortSignal];
    assert.equal(signal.aborted, false);
    client.abort();
    await assert.rejects(asked);
    if (!signal.aborted) await once(signal, 'abort');
    assert.deepEqual(
      signals.map(({ aborted }) => aborted),
      [false],
    );
  });

  it('refuses with a status and a fault', async (test) => {
    const refuse = (): never => {
      throw new ServiceError('Forbidden', 'Not you.');
    };
    const url = await serve(test, endpoint(refuse));
    assert.equal((await fetch(`${url}/Who.asmx/WhoAmI?greeting=Hi`)).status, 403);
    assert.match(
      (await soap(`${url}/Who.asmx`, `<WhoAmI xmlns="${NS}"/>`)).body,
      /<faultcode>soap:Client<\/faultcode><faultstring>Not you\./,
    );
  });

  it('interceptors run around the handler, the first outermost, and may set HTTP headers', async (test) => {
    const seen: string[] = [];
    const around =
      (name: string) =>
      async (
        call: { reply: { header(name: string, value: string): void } },
        _: unknown,
        next: () => Promise<unknown>,
      ) => {
        seen.push(`before ${name}`);
        const result = await next();
        seen.push(`after ${name}`);
        call.reply.header(`X-${name}`, 'yes');
        return `${result}${name}`;
      };
    const url = await serve(
      test,
      endpoint(() => 'you', { interceptors: [around('A'), around('B')] }),
    );
    const answer = await fetch(`${url}/Who.asmx/WhoAmI?greeting=Hi`);
    assert.match(await answer.text(), />Hi youBA</);
    assert.deepEqual(seen, ['before A', 'before B', 'after B', 'after A']);
    assert.equal(answer.headers.get('X-A'), 'yes');
  });

  it('bindings are switched off one by one; several services share a server', async (test) => {
    const other = service('Other', {
      namespace: 'urn:other',
      bindings: ['soap12', 'post'],
      operations: { Ping: operation({ result: string }) },
    });
    const url = await serve(
      test,
      endpoint(() => 'you'),
      createEndpoint(other, { path: '/Other.asmx', handlers: { Ping: () => 'pong' } }),
    );
    const ping = '<Ping xmlns="urn:other"/>';
    assert.match((await soap(`${url}/Other.asmx`, ping, { version: '1.2' })).body, /pong/);
    assert.match((await soap(`${url}/Other.asmx`, ping)).body, /VersionMismatch/);
    assert.equal((await fetch(`${url}/Other.asmx/Ping`)).status, 404);
    assert.equal(
      (
        await fetch(`${url}/Other.asmx/Ping`, {
          method: 'POST',
          headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
        })
      ).status,
      200,
    );
    assert.equal((await fetch(`${url}/Other.asmx/Ping`, jsonRequest({}))).status, 415);
    assert.match(
      (await soap(`${url}/Who.asmx`, `<WhoAmI xmlns="${NS}"><greeting>Hi</greeting></WhoAmI>`))
        .body,
      /Hi you/,
    );
  });
});
