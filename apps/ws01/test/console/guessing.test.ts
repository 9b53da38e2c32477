import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { words } from '../../../../packages/asmx/src/contract/words.ts';
import { RawConnection } from '../../../../packages/asmx/test/kit/http.ts';
import { startService, TOKEN } from '../kit/service.ts';
import { form, PASSWORD, sessionOf } from './kit/browser.ts';

suite('who guesses a password', () => {
  test('who guesses passwords is slowed down, and then told to wait', async (t) => {
    const service = await startService(t);
    await sessionOf(service, 'owner');
    const guess = () =>
      fetch(`${service.url}/console/sign-in`, form({ name: 'owner', password: 'guess' }));
    const statuses: number[] = [];
    // Those of a minute count together: on a busy machine it may take more of them.
    do statuses.push((await guess()).status);
    while (!statuses.includes(429) && statuses.length < 200);
    assert.deepEqual(new Set(statuses.slice(0, 20)), new Set([403]));
    assert.equal(statuses.at(-1), 429);
  });

  test('beside forty who guess for another name, the right password gets in', async (t) => {
    const service = await startService(t);
    await sessionOf(service, 'owner');
    // A name that nobody has costs as much as a real hash.
    await sessionOf(service, 'reader', 'nobody');
    const signIn = async (name: string, password: string) =>
      (await fetch(`${service.url}/console/sign-in`, form({ name, password }))).status;
    for (let round = 0; round < 22; round++) await signIn('nobody', 'guess');
    const guesses = Promise.all(Array.from({ length: 40 }, () => signIn('nobody', 'guess')));
    assert.equal(await signIn('owner', PASSWORD), 303);
    // On a busy machine one may be heard again meanwhile.
    const told = await guesses;
    assert.ok(told.includes(429) && told.every((one) => one === 403 || one === 429), `${told}`);
  });

  test('who guesses a password from one network keeps nobody out elsewhere', async (t) => {
    const service = await startService(t, undefined, { TRUSTED_PROXIES: '127.0.0.1' });
    await sessionOf(service, 'owner');
    const signIn = async (password: string, address: string) => {
      const forwarded = { 'X-Forwarded-For': address, 'X-Forwarded-Proto': 'https' };
      const fields = form({ name: 'owner', password }, forwarded);
      return (await fetch(`${service.url}/console/sign-in`, fields)).status;
    };
    const guesses = Promise.all(
      Array.from({ length: 80 }, (_, index) => signIn('guess', `198.51.100.${index}`)),
    );
    assert.equal(await signIn(PASSWORD, '203.0.113.9'), 303);
    assert.ok((await guesses).includes(429));
  });

  test('who guesses the password of a session that is not theirs waits, too, right or wrong', async (t) => {
    const service = await startService(t);
    const Cookie = await sessionOf(service, 'owner');
    const guess = (current: string) =>
      fetch(
        `${service.url}/console/account/password`,
        form({ current, password: 'short' }, { Cookie }),
      );
    await Promise.all(Array.from({ length: 25 }, () => guess('wrong')));
    // All of them wait, of which there may be 20: a right one is refused as well, for no other reason.
    const answers = await Promise.all(Array.from({ length: 60 }, () => guess(PASSWORD)));
    const told = await Promise.all(answers.map((answer) => answer.text()));
    assert.ok(told.some((text) => text.includes('Too many unusable credentials')));
  });
});

suite('a stranger', () => {
  test('a stranger may send 16 KiB, and has nothing written by asking for challenges', async (t) => {
    const service = await startService(t, undefined, { impatient: true });
    const cookie = await sessionOf(service, 'owner');
    const refuses = async (path: string, bytes: number, ...headers: string[]) => {
      const client = await RawConnection.open(t, service.app.port);
      const common = ['Host: localhost', 'Connection: close', 'Sec-Fetch-Site: same-origin'];
      const head = [
        `POST /console${path} HTTP/1.1`,
        ...common,
        `Content-Length: ${bytes}`,
        ...headers,
      ];
      // One that is too long is refused by its length alone.
      client.socket.write(`${head.join('\r\n')}\r\n\r\n`);
      if (bytes <= 262_144 && (headers.length > 0 || bytes <= 16_384))
        client.socket.write('a'.repeat(bytes));
      return (await client.answer()).status === 413;
    };
    for (const path of words(
      '/sign-in /passkey /set-up/none /set-up/none/passkey /choice /sign-out',
    )) {
      assert.deepEqual(
        [await refuses(path, 16_384), await refuses(path, 16_385)],
        [false, true],
        path,
      );
    }
    const signedIn = [`Cookie: ${cookie}`];
    const path = '/account/passkey/remove';
    assert.deepEqual(
      [await refuses(path, 262_144, ...signedIn), await refuses(path, 262_145, ...signedIn)],
      [false, true],
    );
    const store = await service.database.open();
    const challenges = () =>
      store.read((db) => db.selectFrom('admin_challenges').selectAll().execute());
    const asked = async () =>
      (await (await fetch(`${service.url}/console/passkey/options`, form({}))).json()) as {
        challenge: string;
      };
    const [first, second] = [await asked(), await asked()];
    assert.match(first.challenge, /^[\w-]{75}$/);
    assert.notEqual(first.challenge, second.challenge);
    assert.deepEqual(await challenges(), []);
  });

  test('a stranger has nothing written by answering challenges, with no link or somebody’s', async (t) => {
    const service = await startService(t);
    const store = await service.database.open();
    const { link } = (await (
      await fetch(`${service.url}/api/v1/admins`, {
        method: 'POST',
        headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
        body: JSON.stringify({ name: 'olga', role: 'owner' }),
      })
    ).json()) as { link: string };
    const secrets = ['A'.repeat(43), link.split('/').at(-1)!];
    for (const path of [...secrets.map((secret) => `set-up/${secret}/passkey`), 'passkey']) {
      const asked = await fetch(`${service.url}/console/passkey/options`, form({}));
      const { challenge } = (await asked.json()) as { challenge: string };
      const type = path === 'passkey' ? 'webauthn.get' : 'webauthn.create';
      const client = JSON.stringify({ type, challenge, origin: service.url });
      const response = {
        ...{ id: 'AAAA', rawId: 'AAAA', type: 'public-key', clientExtensionResults: {} },
        response: {
          clientDataJSON: Buffer.from(client).toString('base64url'),
          attestationObject: 'AAAA',
        },
      };
      const answer = await fetch(`${service.url}/console/${path}`, {
        ...form({}),
        headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
        body: JSON.stringify({ response }),
      });
      assert.equal(answer.status, 403, path);
    }
    assert.deepEqual(
      await store.read((db) => db.selectFrom('admin_challenges').selectAll().execute()),
      [],
    );
  });
});
