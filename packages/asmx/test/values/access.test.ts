import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { attachFastPath } from '../../src/fast/index.ts';
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
import { type UsernameTokenOptions, usernameToken } from '../../src/security/index.ts';
import { serve, soap } from './kit.ts';

const NS = 'urn:access';
const WSSE = 'http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-secext-1.0.xsd';
const WSU = 'http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-utility-1.0.xsd';
const PROFILE = 'http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-username-token-profile-1.0';
const NOW = Date.UTC(2024, 1, 29, 12);

const Who = service('Who', {
  namespace: NS,
  operations: { WhoAmI: operation({ input: { greeting: string }, result: string }) },
});

function endpoint(authorize: (call: IncomingCall) => string | Promise<string>, more: object = {}) {
  return createEndpoint(Who, {
    path: '/Who.asmx',
    authorize,
    handlers: { WhoAmI: ({ greeting }, { caller }) => `${greeting} ${caller}` },
    ...more,
  });
}

interface Token {
  readonly user?: string;
  readonly password?: string;
  readonly nonce?: string;
  readonly created?: string;
  readonly digest?: boolean;
}

function securityHeader({
  user = 'eve',
  password = 'secret',
  nonce = '0123456789',
  created = '2024-02-29T12:00:00Z',
  digest = true,
}: Token): string {
  const value = digest ? createHash('sha1').update(nonce).update(created).update(password).digest('base64') : password;
  return (
    `<wsse:Security xmlns:wsse="${WSSE}" soap:mustUnderstand="1"><wsse:UsernameToken xmlns:wsu="${WSU}" wsu:Id="t">` +
    `<wsse:Username>${user}</wsse:Username><wsse:Password Type="${PROFILE}#Password${digest ? 'Digest' : 'Text'}">${value}</wsse:Password>` +
    (digest
      ? `<wsse:Nonce>${Buffer.from(nonce).toString('base64')}</wsse:Nonce><wsu:Created>${created}</wsu:Created>`
      : '') +
    '</wsse:UsernameToken></wsse:Security>'
  );
}

describe('WS-Security UsernameToken', () => {
  const start = (test: { after(close: () => unknown): void }, options: Partial<UsernameTokenOptions> = {}) => {
    const tokens = usernameToken({
      password: (user) => (user === 'eve' ? 'secret' : undefined),
      now: () => NOW,
      ...options,
    });
    return serve(
      test,
      endpoint((call) => tokens.verify(call), { understands: [tokens.header] }),
    );
  };
  const call = async (url: string, header: string | undefined) => {
    const { status, body, text } = await soap(
      `${url}/Who.asmx`,
      `<WhoAmI xmlns="${NS}"><greeting>Hi</greeting></WhoAmI>`,
      header === undefined ? {} : { header },
    );
    return status === 200
      ? /<WhoAmIResult>(.*)<\/WhoAmIResult>/.exec(text)?.[1]
      : /<code>(.*?)<\/code><message>(.*?)<\/message>/.exec(body)?.slice(1).join(' ');
  };

  it('lets in who has the password, as a digest or as a text', async (test) => {
    const url = await start(test);
    assert.equal(await call(url, securityHeader({})), 'Hi eve');
    assert.equal(await call(url, securityHeader({ digest: false })), 'Hi eve');
  });

  it('takes each nonce once', async (test) => {
    const url = await start(test);
    assert.equal(await call(url, securityHeader({})), 'Hi eve');
    assert.match((await call(url, securityHeader({})))!, /^Unauthorized .*its nonce was used before/);
    assert.equal(await call(url, securityHeader({ nonce: 'another nonce' })), 'Hi eve');
  });

  it('refuses what is wrong, old, from the future, short, or not there', async (test) => {
    const url = await start(test);
    assert.match(
      (await call(url, securityHeader({ password: 'wrong' })))!,
      /^Unauthorized .*the user or the password is wrong/,
    );
    assert.match((await call(url, securityHeader({ user: 'bob', password: '\u0000' })))!, /is wrong|MalformedRequest/);
    assert.match(
      (await call(url, securityHeader({ user: 'bob' })))!,
      /^Unauthorized .*the user or the password is wrong/,
    );
    assert.match(
      (await call(url, securityHeader({ created: '2024-02-29T11:54:59Z' })))!,
      /^Unauthorized .*wsu:Created is more than 300 s away/,
    );
    assert.match((await call(url, securityHeader({ created: '2024-02-29T12:05:01Z' })))!, /^Unauthorized .*300 s away/);
    assert.equal(await call(url, securityHeader({ created: '2024-02-29T11:55:00Z' })), 'Hi eve');
    assert.match((await call(url, securityHeader({ created: 'today' })))!, /^Unauthorized .*must be a time/);
    assert.match((await call(url, securityHeader({ nonce: 'short' })))!, /^Unauthorized .*8 to 256 bytes/);
    assert.match((await call(url, undefined))!, /^Unauthorized .*send a wsse:UsernameToken/);
  });

  it('takes the kinds that it is told, and keeps as many nonces', async (test) => {
    const digestOnly = await start(test, { kinds: ['digest'] });
    assert.match((await call(digestOnly, securityHeader({ digest: false })))!, /^Unauthorized .*as a digest/);
    const few = await start(test, { maxNonces: 3, password: (user) => `secret of ${user}` });
    const as = (user: string, nonce: string) =>
      call(few, securityHeader({ user, password: `secret of ${user}`, nonce }));
    assert.equal(await as('eve', 'nonce number 1'), 'Hi eve');
    assert.equal(await as('eve', 'nonce number 2'), 'Hi eve');
    assert.match((await as('eve', 'nonce number 3'))!, /^Busy/, 'one user does not fill the memory of all');
    assert.equal(await as('ann', 'nonce number 1'), 'Hi ann', 'a nonce belongs to a password');
    assert.match((await as('bob', 'nonce number 1'))!, /^Busy/);
    assert.match((await as('ann', 'n'.repeat(257)))!, /^Unauthorized .*8 to 256 bytes/);
  });

  it('a digest is taken once, also with the name written otherwise', async (test) => {
    const url = await start(test, { password: (user) => (user.toLowerCase() === 'eve' ? 'secret' : undefined) });
    assert.equal(await call(url, securityHeader({})), 'Hi eve');
    assert.match((await call(url, securityHeader({ user: 'EVE' })))!, /^Unauthorized .*nonce was used before/);
  });

  it('what is there twice is refused: who is meant depends on who looks', async (test) => {
    const url = await start(test);
    const token = /<wsse:UsernameToken.*<\/wsse:UsernameToken>/.exec(securityHeader({ digest: false }))![0];
    const twice = (name: string) =>
      securityHeader({}).replace(new RegExp(`<(${name})\\b.*</\\1>`), (element) => element + element);
    for (const name of ['wsse:UsernameToken', 'wsse:Username', 'wsse:Password', 'wsse:Nonce', 'wsu:Created']) {
      const reason = new RegExp(
        `^Unauthorized .*there are 2 elements ${name.slice(name.indexOf(':') + 1)} where one may be`,
      );
      assert.match((await call(url, twice(name)))!, reason);
    }
    const others = securityHeader({ user: 'bob', password: 'wrong' });
    assert.match(
      (await call(url, securityHeader({}) + others))!,
      /^MalformedRequest The SOAP header Security is there twice/,
    );
    assert.match((await call(url, others + securityHeader({})))!, /^MalformedRequest/);
    assert.equal(
      await call(url, securityHeader({}).replace(/<wsse:UsernameToken.*<\/wsse:UsernameToken>/, token)),
      'Hi eve',
    );
  });

  it('a header for another server on the way is not ours', async (test) => {
    const url = await start(test);
    const SOAP12 = 'http://www.w3.org/2003/05/soap-envelope';
    const to = (attribute: string, of: Token = {}) =>
      securityHeader(of).replace('<wsse:Security', `<wsse:Security xmlns:s12="${SOAP12}" ${attribute}`);
    for (const attribute of ['soap:actor="urn:gateway"', 's12:role="urn:gateway"', `s12:role="${SOAP12}/role/none"`]) {
      assert.match((await call(url, to(attribute)))!, /^Unauthorized .*send a wsse:UsernameToken/, attribute);
      const both = to(attribute, { user: 'bob', password: 'of the gateway' }) + securityHeader({ nonce: attribute });
      assert.equal(await call(url, both), 'Hi eve', attribute);
    }
    const ours = ['soap:actor=""', 'soap:actor="http://schemas.xmlsoap.org/soap/actor/next"'];
    for (const attribute of [...ours, `s12:role="${SOAP12}/role/ultimateReceiver"`]) {
      assert.equal(await call(url, to(attribute, { nonce: attribute })), 'Hi eve', attribute);
    }
  });

  it('nobody has an empty password, and a password has a kind', async (test) => {
    const url = await start(test, { password: () => '' });
    for (const digest of [true, false]) {
      assert.match((await call(url, securityHeader({ password: '', digest })))!, /^Unauthorized .*is wrong/);
    }
    const known = await start(test);
    const typed = (type: string) => securityHeader({ digest: false }).replace(/ Type="[^"]*"/, type);
    assert.equal(await call(known, typed('')), 'Hi eve');
    assert.equal(await call(known, typed(' Type="wsse:PasswordText"')), 'Hi eve');
    assert.match((await call(known, typed(' Type="urn:Other"')))!, /^Unauthorized .*the Type of the password must be/);
  });

  it('times of every zone count, and days that there are not do not', async (test) => {
    const url = await start(test);
    const at = (created: string) => call(url, securityHeader({ created, nonce: `nonce at ${created}` }));
    for (const created of [
      '2024-03-01T02:00:00+14:00',
      '2024-02-29T00:00:00-12:00',
      '2024-02-29T12:00:00.123456789Z',
    ]) {
      assert.equal(await at(created), 'Hi eve', created);
    }
    for (const created of [
      ...['2024-02-30T02:00:00+14:00', '2024-02-29T12:00:00', '2024-02-29T12:00:00+99:99', '2024-02-29T12:00:60Z'],
      ...['9999-12-31T23:59:59Z', '0000-01-01T00:00:00Z', '1709208000000', '2024-02-29T12:00:00Z'.repeat(10)],
    ]) {
      assert.match((await at(created))!, /^Unauthorized .*wsu:Created/, created);
    }
  });

  it('a nonce counts once in both versions of SOAP, and one that is no base64 is none', async (test) => {
    const url = await start(test);
    const header = securityHeader({ nonce: 'in both versions' });
    assert.equal(await call(url, header), 'Hi eve');
    const again = await soap(`${url}/Who.asmx`, `<WhoAmI xmlns="${NS}"/>`, {
      version: '1.2',
      header: header.replace('soap:mustUnderstand="1"', 'soap:mustUnderstand="true"'),
    });
    assert.match(again.text, /its nonce was used before/);
    for (const nonce of ['!!!!', '', ' ', 'AAAA', 'A'.repeat(4_000)]) {
      const bad = securityHeader({}).replace(/<wsse:Nonce>[^<]*/, `<wsse:Nonce>${nonce}`);
      assert.match((await call(url, bad))!, /^Unauthorized .*8 to 256 bytes/, nonce);
    }
    const long = securityHeader({ user: 'x'.repeat(70_000) });
    assert.match((await call(url, long))!, /^TooLarge The SOAP header is over the limit headerBytes/);
  });

  it('no answer and no log has a password or a digest', async (test) => {
    const secret = 'geheim-1';
    const digest = (created: string) =>
      createHash('sha1').update('0123456789').update(created).update(secret).digest('base64');
    const written: string[] = [];
    const log = test.mock.method(console, 'error', (...line: readonly unknown[]) =>
      written.push(line.map(String).join()),
    );
    const tokens = usernameToken({
      now: () => NOW,
      password: (user) => {
        if (user === 'broken') throw new Error('the store is gone');
        return 'secret';
      },
    });
    const url = await serve(
      test,
      endpoint((call) => tokens.verify(call), { understands: [tokens.header] }),
    );
    for (const user of ['eve', 'broken']) {
      for (const text of [false, true]) {
        const header = securityHeader({ user, password: secret, digest: !text });
        const answer = await soap(`${url}/Who.asmx`, `<WhoAmI xmlns="${NS}"/>`, { header });
        assert.equal(answer.status, 500);
        written.push(answer.text, JSON.stringify([...answer.headers]));
      }
    }
    assert.equal(log.mock.callCount(), 2, 'what failed is logged');
    for (const text of written) {
      assert.ok(!text.includes(secret) && !text.includes(digest('2024-02-29T12:00:00Z')), text);
    }
  });

  it('a digest is not taken again with the last byte of its nonce moved into the time', async (test) => {
    const url = await start(test, {});
    assert.equal(await call(url, securityHeader({ nonce: '0123456789 ' })), 'Hi eve');
    const moved = securityHeader({ nonce: '0123456789', created: ' 2024-02-29T12:00:00Z' });
    assert.match((await call(url, moved))!, /^Unauthorized/);
  });

  it('a nonce is remembered as long as its token could be valid, and no longer', async (test) => {
    let now = NOW;
    const url = await start(test, { now: () => now });
    const ahead = securityHeader({ created: '2024-02-29T12:05:00Z' });
    assert.equal(await call(url, ahead), 'Hi eve');
    now = NOW + 600_000;
    assert.match((await call(url, ahead))!, /^Unauthorized .*nonce was used before/);
    now++;
    assert.match((await call(url, ahead))!, /^Unauthorized .*300 s away/);
  });
});

describe('authorize and what stands around a call', () => {
  it('sees Basic, Bearer, cookies and other headers of HTTP', async (test) => {
    const url = await serve(
      test,
      endpoint(({ http }) => http.basic?.user ?? http.bearer ?? http.cookie('session') ?? http.header('X-Key') ?? ''),
    );
    const as = async (headers: Record<string, string>) =>
      (await (await fetch(`${url}/Who.asmx/WhoAmI?greeting=Hi`, { headers })).text()).match(/>([^<]*)<\/string>/)?.[1];
    assert.equal(await as({ Authorization: `Basic ${Buffer.from('ann:pw:x').toString('base64')}` }), 'Hi ann');
    assert.equal(await as({ Authorization: 'bearer abc.def' }), 'Hi abc.def');
    assert.equal(await as({ Cookie: 'a=b; session=s1' }), 'Hi s1');
    assert.equal(await as({ 'x-key': 'k' }), 'Hi k');
  });

  it('checks a credential once, however many files come while it is checked', async (test) => {
    const Keep = operation({ input: { token: string, one: base64Binary, two: base64Binary }, result: string });
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
    const answer = await soap(`${await serve(test, files)}/Files.asmx`, `<Keep xmlns="${NS}">${values}</Keep>`);
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
    assert.equal((await fetch(`${without}/Who.asmx/WhoAmI?greeting=Hi`)).headers.get('www-authenticate'), null);
    assert.equal((await soap(`${without}/Who.asmx`, `<WhoAmI xmlns="${NS}"/>`)).status, 500);
  });

  it('a handler sets several cookies, and of another header the last value', async (test) => {
    const contract = service('Cookies', { namespace: NS, operations: { Set: operation({ result: string }) } });
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
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    test.after(() => {
      server.close();
      attached.destroy();
    });
    const fast = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
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
    assert.equal(
      (
        await fetch(`${url}/Other.asmx/Ping`, {
          method: 'POST',
          headers: { 'Content-Type': 'application/json' },
          body: '{}',
        })
      ).status,
      415,
    );
    assert.match(
      (await soap(`${url}/Who.asmx`, `<WhoAmI xmlns="${NS}"><greeting>Hi</greeting></WhoAmI>`)).body,
      /Hi you/,
    );
  });
});
