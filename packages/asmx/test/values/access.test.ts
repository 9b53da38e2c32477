import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  type NonceAnswer,
  type NonceStore,
  type UsedNonce,
  type UsernameTokenOptions,
  usernameToken,
} from '../../src/security/index.ts';
import { whoEndpoint as endpoint, serve, soap } from './kit.ts';

const NS = 'urn:access';
const WSSE = 'http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-secext-1.0.xsd';
const WSU = 'http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-utility-1.0.xsd';
const PROFILE =
  'http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-username-token-profile-1.0';
const NOW = Date.UTC(2024, 1, 29, 12);

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
  const value = digest
    ? createHash('sha1').update(nonce).update(created).update(password).digest('base64')
    : password;
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
  const start = (
    test: { after(close: () => unknown): void },
    options: Partial<UsernameTokenOptions> = {},
  ) => {
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
  const call = async (url: string, token: Token | string | undefined) => {
    const header = typeof token === 'object' ? securityHeader(token) : token;
    const { status, body, text } = await soap(
      `${url}/Who.asmx`,
      `<WhoAmI xmlns="${NS}"><greeting>Hi</greeting></WhoAmI>`,
      header === undefined ? {} : { header },
    );
    return status === 200
      ? /<WhoAmIResult>(.*)<\/WhoAmIResult>/.exec(text)?.[1]
      : /<code>(.*?)<\/code><message>(.*?)<\/message>/.exec(body)?.slice(1).join(' ');
  };

  const says = async (
    url: string,
    token: Token | string | undefined,
    reason: RegExp,
    message = '',
  ) => {
    const said = String(await call(url, token));
    assert.match(said, reason, `${message} ${said}`);
  };
  const letsIn = (url: string, token: Token | string, message = '') =>
    says(url, token, /^Hi eve$/, message);

  it('lets in who has the password, as a digest or as a text', async (test) => {
    const url = await start(test);
    await letsIn(url, {});
    await letsIn(url, { digest: false });
  });

  it('takes each nonce once', async (test) => {
    const url = await start(test);
    await letsIn(url, {});
    await says(url, {}, /^Unauthorized .*its nonce was used before/);
    await letsIn(url, { nonce: 'another nonce' });
  });

  it('refuses what is wrong, old, from the future, short, or not there', async (test) => {
    const url = await start(test);
    await says(url, { password: 'wrong' }, /^Unauthorized .*the user or the password is wrong/);
    await says(url, { user: 'bob', password: '\u0000' }, /is wrong|MalformedRequest/);
    await says(url, { user: 'bob' }, /^Unauthorized .*the user or the password is wrong/);
    await says(
      url,
      { created: '2024-02-29T11:54:59Z' },
      /^Unauthorized .*wsu:Created is more than 300 s away/,
    );
    await says(url, { created: '2024-02-29T12:05:01Z' }, /^Unauthorized .*300 s away/);
    await letsIn(url, { created: '2024-02-29T11:55:00Z' });
    await says(url, { created: 'today' }, /^Unauthorized .*must be a time/);
    await says(url, { nonce: 'short' }, /^Unauthorized .*8 to 256 bytes/);
    await says(url, undefined, /^Unauthorized .*send a wsse:UsernameToken/);
  });

  it('takes the kinds that it is told, and keeps as many nonces', async (test) => {
    const digestOnly = await start(test, { kinds: ['digest'] });
    await says(digestOnly, { digest: false }, /^Unauthorized .*as a digest/);
    const few = await start(test, { maxNonces: 3, password: (user) => `secret of ${user}` });
    const as = (user: string, nonce: string) =>
      call(few, { user, password: `secret of ${user}`, nonce });
    assert.equal(await as('eve', 'nonce number 1'), 'Hi eve');
    assert.equal(await as('eve', 'nonce number 2'), 'Hi eve');
    assert.match(
      (await as('eve', 'nonce number 3'))!,
      /^Busy/,
      'one user does not fill the memory of all',
    );
    assert.equal(await as('ann', 'nonce number 1'), 'Hi ann', 'a nonce belongs to a password');
    assert.match((await as('bob', 'nonce number 1'))!, /^Busy/);
    assert.match((await as('ann', 'n'.repeat(257)))!, /^Unauthorized .*8 to 256 bytes/);
  });

  it('a digest is taken once, also with the name written otherwise', async (test) => {
    const url = await start(test, {
      password: (user) => (user.toLowerCase() === 'eve' ? 'secret' : undefined),
    });
    await letsIn(url, {});
    await says(url, { user: 'EVE' }, /^Unauthorized .*nonce was used before/);
  });

  it('what is there twice is refused: who is meant depends on who looks', async (test) => {
    const url = await start(test);
    const token = /<wsse:UsernameToken.*<\/wsse:UsernameToken>/.exec(
      securityHeader({ digest: false }),
    )![0];
    const twice = (name: string) =>
      securityHeader({}).replace(
        new RegExp(`<(${name})\\b.*</\\1>`),
        (element) => element + element,
      );
    for (const name of [
      'wsse:UsernameToken',
      'wsse:Username',
      'wsse:Password',
      'wsse:Nonce',
      'wsu:Created',
    ]) {
      const reason = new RegExp(
        `^Unauthorized .*there are 2 elements ${name.slice(name.indexOf(':') + 1)} where one may be`,
      );
      assert.match((await call(url, twice(name)))!, reason);
    }
    const others = securityHeader({ user: 'bob', password: 'wrong' });
    await says(
      url,
      securityHeader({}) + others,
      /^MalformedRequest The SOAP header Security is there twice/,
    );
    await says(url, others + securityHeader({}), /^MalformedRequest/);
    await letsIn(
      url,
      securityHeader({}).replace(/<wsse:UsernameToken.*<\/wsse:UsernameToken>/, token),
    );
  });

  it('a header for another server on the way is not ours', async (test) => {
    const url = await start(test);
    const SOAP12 = 'http://www.w3.org/2003/05/soap-envelope';
    const to = (attribute: string, of: Token = {}) =>
      securityHeader(of).replace(
        '<wsse:Security',
        `<wsse:Security xmlns:s12="${SOAP12}" ${attribute}`,
      );
    for (const attribute of [
      'soap:actor="urn:gateway"',
      's12:role="urn:gateway"',
      `s12:role="${SOAP12}/role/none"`,
    ]) {
      await says(url, to(attribute), /^Unauthorized .*send a wsse:UsernameToken/, attribute);
      const both =
        to(attribute, { user: 'bob', password: 'of the gateway' }) +
        securityHeader({ nonce: attribute });
      await letsIn(url, both, attribute);
    }
    const ours = ['soap:actor=""', 'soap:actor="http://schemas.xmlsoap.org/soap/actor/next"'];
    for (const attribute of [...ours, `s12:role="${SOAP12}/role/ultimateReceiver"`]) {
      await letsIn(url, to(attribute, { nonce: attribute }), attribute);
    }
  });

  it('nobody has an empty password, and a password has a kind', async (test) => {
    const url = await start(test, { password: () => '' });
    for (const digest of [true, false]) {
      await says(url, { password: '', digest }, /^Unauthorized .*is wrong/);
    }
    const known = await start(test);
    const typed = (type: string) =>
      securityHeader({ digest: false }).replace(/ Type="[^"]*"/, type);
    await letsIn(known, typed(''));
    await letsIn(known, typed(' Type="wsse:PasswordText"'));
    await says(
      known,
      typed(' Type="urn:Other"'),
      /^Unauthorized .*the Type of the password must be/,
    );
  });

  it('times of every zone count, and days that there are not do not', async (test) => {
    const url = await start(test);
    const at = (created: string) => call(url, { created, nonce: `nonce at ${created}` });
    for (const created of [
      '2024-03-01T02:00:00+14:00',
      '2024-02-29T00:00:00-12:00',
      '2024-02-29T12:00:00.123456789Z',
    ]) {
      assert.equal(await at(created), 'Hi eve', created);
    }
    for (const created of [
      ...[
        '2024-02-30T02:00:00+14:00',
        '2024-02-29T12:00:00',
        '2024-02-29T12:00:00+99:99',
        '2024-02-29T12:00:60Z',
      ],
      ...[
        '9999-12-31T23:59:59Z',
        '0000-01-01T00:00:00Z',
        '1709208000000',
        '2024-02-29T12:00:00Z'.repeat(10),
      ],
    ]) {
      assert.match((await at(created))!, /^Unauthorized .*wsu:Created/, created);
    }
  });

  it('a nonce counts once in both versions of SOAP, and one that is no base64 is none', async (test) => {
    const url = await start(test);
    const header = securityHeader({ nonce: 'in both versions' });
    await letsIn(url, header);
    const again = await soap(`${url}/Who.asmx`, `<WhoAmI xmlns="${NS}"/>`, {
      version: '1.2',
      header: header.replace('soap:mustUnderstand="1"', 'soap:mustUnderstand="true"'),
    });
    assert.match(again.text, /its nonce was used before/);
    for (const nonce of ['!!!!', '', ' ', 'AAAA', 'A'.repeat(4_000)]) {
      const bad = securityHeader({}).replace(/<wsse:Nonce>[^<]*/, `<wsse:Nonce>${nonce}`);
      await says(url, bad, /^Unauthorized .*8 to 256 bytes/, nonce);
    }
    const long = securityHeader({ user: 'x'.repeat(70_000) });
    await says(url, long, /^TooLarge The SOAP header is over the limit headerBytes/);
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
    await letsIn(url, { nonce: '0123456789 ' });
    const moved = securityHeader({ nonce: '0123456789', created: ' 2024-02-29T12:00:00Z' });
    await says(url, moved, /^Unauthorized/);
  });

  it('a nonce is remembered as long as its token could be valid, and no longer', async (test) => {
    let now = NOW;
    const url = await start(test, { now: () => now });
    const ahead = securityHeader({ created: '2024-02-29T12:05:00Z' });
    await letsIn(url, ahead);
    now = NOW + 600_000;
    await says(url, ahead, /^Unauthorized .*nonce was used before/);
    now++;
    await says(url, ahead, /^Unauthorized .*300 s away/);
  });

  describe('with nonces in a store of the service', () => {
    /** A store as of a database that several processes ask: it answers later, and forgets what has ended. */
    class SharedNonces implements NonceStore {
      readonly secret = Buffer.from('sixteen bytes ok');
      readonly kept = new Map<string, UsedNonce>();

      async use(nonce: UsedNonce): Promise<NonceAnswer> {
        await nextTurn();
        const known = this.kept.get(nonce.key);
        if (known !== undefined && known.until >= nonce.now) return 'used';
        this.kept.set(nonce.key, nonce);
        return 'new';
      }
    }

    it('two endpoints that share one take a nonce once between them; with their own, once each', async (test) => {
      const shared = { nonces: new SharedNonces() };
      const [first, second] = [await start(test, shared), await start(test, shared)];
      await letsIn(first, {});
      await says(second, {}, /^Unauthorized .*nonce was used before/);
      const race = await Promise.all(
        [first, second].map((url) => call(url, { nonce: 'both at once' })),
      );
      assert.equal(race.filter((answer) => answer === 'Hi eve').length, 1, race.join('; '));
      const apart = [await start(test), await start(test)];
      for (const url of apart) await letsIn(url, {});
    });

    it('it is given neither password nor nonce, and when to forget it', async (test) => {
      const nonces = new SharedNonces();
      const url = await start(test, {
        nonces,
        maxAgeMs: 1_000,
        password: (user) => `secret of ${user}`,
      });
      for (const [user, nonce] of [
        ['eve', 'nonce number 1'],
        ['eve', 'nonce number 2'],
        ['ann', 'nonce number 1'],
      ] as const) {
        assert.equal(await call(url, { user, nonce, password: `secret of ${user}` }), `Hi ${user}`);
      }
      const [one, two, other] = [...nonces.kept.values()];
      assert.deepEqual([one!.owner === two!.owner, one!.owner === other!.owner], [true, false]);
      assert.equal(nonces.kept.size, 3, 'a nonce belongs to a password');
      for (const { key, owner, now, until } of nonces.kept.values()) {
        assert.match(key, /^[\w+/]{43}=$/);
        assert.match(owner, /^[\w+/]{43}=$/);
        assert.deepEqual([now, until], [NOW, NOW + 2_000]);
      }
    });

    it('one that is full has the caller come again; one that fails lets nobody in', async (test) => {
      const log = test.mock.method(console, 'error', () => {});
      const answers: (() => unknown)[] = [
        () => 'full',
        () => true,
        () => undefined,
        () => {
          throw new Error('the store is away');
        },
      ];
      let answer = answers[0]!;
      const use = async () => answer() as NonceAnswer;
      const url = await start(test, { nonces: { secret: Buffer.alloc(16, 1), use } });
      await says(url, {}, /^Busy/);
      for (answer of answers.slice(1)) await says(url, {}, /^Internal/);
      assert.equal(log.mock.callCount(), 3);
    });

    it('its secret has 16 bytes or more', () => {
      const store = (secret: Uint8Array) => ({
        password: () => 'x',
        nonces: { secret, use: () => 'new' as const },
      });
      usernameToken(store(Buffer.alloc(16)));
      assert.throws(
        () => usernameToken(store(Buffer.alloc(15))),
        /^TypeError: nonces\.secret: it must have 16 bytes/,
      );
      assert.throws(() => usernameToken(store(undefined as never)), TypeError);
    });
  });
});
