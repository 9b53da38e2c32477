import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { DAY_MS, HOUR_MS } from '@ws01/asmx/time';
import { words } from '../../../../packages/asmx/src/contract/words.ts';
import { temporaryFolder } from '../../../../packages/asmx/test/kit/folder.ts';
import { ws01 } from '../kit/command.ts';
import { spawnWs01 } from '../kit/command-process.ts';
import { forBothEngines, freshDatabase } from '../kit/database.ts';
import { earlierDatabase } from '../kit/earlier-database.ts';
import { NO_DISK, replaceFixed } from '../kit/fixed.ts';
import { startMailServer } from '../kit/mail-server.ts';
import { startNameServer } from '../kit/name-server.ts';
import { putMail } from '../kit/rows.ts';
import { startService } from '../kit/service.ts';

interface Finding {
  readonly part: string;
  readonly state: string;
  readonly what: string;
  readonly since: string | null;
  readonly affected: string;
  readonly next: string;
}

forBothEngines((engine, fresh) => {
  test('ws01 status tells what is wrong, since when, who is affected and what comes next', async (t) => {
    const database = await fresh(t);
    const place = `${database.dataDir}-backups`;
    t.after(() => rm(place, { recursive: true, force: true }));
    const service = await startService(t, database);
    const port = new URL(service.url).port;
    const ask = async (env: Record<string, string> = {}) => {
      const all = { PORT: port, BACKUP_TO: place, ...env };
      const { code, stdout } = await ws01(database, ['status', '--json'], '', all);
      const told = JSON.parse(stdout);
      const of = (part: string) =>
        told.findings.filter((one: Finding) => one.part === part) as Finding[];
      return { code, told, of };
    };
    const store = await database.open({ guest: true });
    await store.write(async (tx) => {
      const backup = {
        slot: null,
        target: place,
        name: 'ws01-x',
        bytes: 1,
        images: 0,
        error: null,
      };
      const now = Date.now();
      await tx
        .insertInto('backups')
        .values({ id: 'b', ...backup, started_at: now, finished_at: now, verified_at: now })
        .execute();
    });
    const well = await ask();
    assert.deepEqual([well.code, well.told.state, well.told.findings], [0, 'ok', []]);
    assert.equal(well.told.lastGoodBackup.name, 'ws01-x');

    const since = Date.now() - HOUR_MS;
    await store.write(async (tx) => {
      await tx
        .updateTable('backups')
        .set({ verified_at: since - 40 * HOUR_MS, error: 'the disk is full' })
        .execute();
      for (const [id, sender] of [
        ['m-1', 'ada'],
        ['m-2', 'bob'],
      ] as const) {
        const entry = {
          state: 'deferred' as const,
          created_at: since,
          due_at: since + 7_200_000,
          give_up_at: since + DAY_MS,
          attempts: 3,
          deferrals: 3,
          last_reply: '451 try later',
        };
        await putMail(tx, { id, ...entry }, sender);
      }
    });
    assert.equal((await ws01(database, ['sms', 'off'])).code, 0);
    replaceFixed(t, NO_DISK);
    const bad = await ask({ SMTP_URL: 'smtp://127.0.0.1:1' });
    assert.deepEqual([bad.code, bad.told.state], [1, 'degraded']);
    const [mail] = bad.of('mail');
    assert.deepEqual(
      [mail?.what, mail?.affected, mail?.since],
      [
        '2 mails wait for more than ten minutes: 451 try later',
        'the mails of 2 senders',
        new Date(since).toISOString(),
      ],
    );
    assert.match(bad.of('backup')[0]!.what, /the last backup failed: the disk is full/);
    assert.equal(bad.of('sms')[0]!.next, 'ws01 sms on');
    assert.match(bad.of('disk')[0]!.what, /make room/);

    await service.app.stop();
    const down = await ask();
    assert.deepEqual([down.code, down.told.state], [1, 'down']);
    assert.equal(down.of('service')[0]!.affected, 'everybody');
    const text = await ws01(database, ['status'], '', { PORT: port });
    assert.match(text.stdout, /\nmail: degraded\n {2}what {6}2 mails wait/);
    assert.equal(text.stderr.trim().split('\n').length, 1);
    const away =
      engine === 'sqlite'
        ? { DATA_DIR: '/nowhere' }
        : { DATABASE_URL: 'postgres://127.0.0.1:1/none' };
    const [lost] = (await ask(away)).of('database');
    assert.equal(lost!.state, 'down');
    assert.match(lost!.next, engine === 'sqlite' ? /^set DATA_DIR/ : /^start the server, or /);
  });

  test('ws01 status and ws01 doctor say of an older database what helps, not where it is said', async (t) => {
    const database = await earlierDatabase(engine, t);
    const remedy = 'start the service of this version, or run ws01 migrate';
    const status = await ws01(database, ['status']);
    assert.match(status.stdout, new RegExp(`\\n {2}next {6}${remedy}\\n`));
    const doctor = await ws01(database, ['doctor']);
    assert.match(doctor.stdout, new RegExp(`^FAIL {2}database .*\\n +→ ${remedy}\\n`, 'm'));
  });

  test('ws01 status names a place where there is none to back up to', async (t) => {
    const database = await fresh(t);
    const store = await database.open();
    const failed = { slot: null, target: '/x', name: 'x', bytes: null, images: null, error: 'no' };
    await store.write((tx) =>
      tx
        .insertInto('backups')
        .values({ id: 'b', ...failed, started_at: 1, finished_at: 2, verified_at: null })
        .execute(),
    );
    await store.close();
    const { stdout } = await ws01(database, ['status']);
    const next = /\nbackup: (?:.*\n {2})*?next {6}(.*)\n/.exec(stdout)?.[1];
    assert.equal(
      next,
      engine === 'sqlite' ? 'ws01 backup' : 'set BACKUP_TO, or ws01 backup <folder>',
      stdout,
    );
  });

  test('ws01 doctor is content with what is well, and writes nothing', async (t) => {
    const database = await fresh(t);
    await database.open();
    const { code, stdout, stderr } = await ws01(database, ['doctor', '--json']);
    assert.equal(code, 0, stderr);
    const checks = JSON.parse(stdout).checks as { check: string; state: string; what: string }[];
    assert.deepEqual(
      [...new Set(checks.map(({ check }) => check))],
      words('settings node libraries files disk database images backup mail sms proxy dns'),
    );
    assert.ok(
      checks.some(
        ({ check, what }) => check === 'database' && what.startsWith(`${engine} answers`),
      ),
    );
    assert.ok(
      checks.some(({ check, what }) => check === 'node' && /, 1 process on \d+ cores?$/.test(what)),
    );
    assert.equal(checks.filter(({ state }) => state === 'fail').length, 0);
  });
});

describe('ws01 doctor', () => {
  test('speaks with the mail server, looks at the records of the sender, and has a remedy for each', async (t) => {
    const database = await freshDatabase('sqlite', t);
    await (await database.open()).close();
    const mails = await startMailServer(t, { authOptional: true });
    const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const published = publicKey.export({ type: 'spki', format: 'der' }).toString('base64');
    const env = {
      SMTP_URL: mails.url,
      MAIL_FROM: 'news@example.com',
      MAIL_DKIM_KEY: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
      SMS_URL: 'smpp://user:hush@127.0.0.1:1',
      BASE_URL: 'http://127.0.0.1:1',
    };
    const good = await startNameServer(t, {
      'example.com': 'v=spf1 mx -all',
      'ws01._domainkey.example.com': `v=DKIM1; k=rsa; p=${published}`,
      '_dmarc.example.com': 'v=DMARC1; p=reject',
    });
    const well = await ws01(database, ['doctor', '--dns', good], '', env);
    assert.match(
      well.stdout,
      /\nok {4}mail {7}127\.0\.0\.1 answers and accepts TLS and the credentials: /,
    );
    assert.match(well.stdout, /\nok {4}dns {8}SPF of example\.com: v=spf1 mx -all\n/);
    assert.match(
      well.stdout,
      /\nok {4}dns {8}DKIM: the key at ws01\._domainkey\.example\.com is that of MAIL_DKIM_KEY\n/,
    );
    assert.match(well.stdout, /\nok {4}dns {8}DMARC: v=DMARC1; p=reject\n/);
    assert.match(well.stdout, /\nFAIL {2}sms {8}127\.0\.0\.1:1: /);
    assert.match(well.stdout, /\nWARN {2}proxy .*TRUSTED_PROXIES is empty/);
    assert.match(well.stdout, /\nFAIL {2}proxy {6}http:\/\/127\.0\.0\.1:1\/WS01\.asmx\?WSDL: /);
    assert.deepEqual([well.code, mails.received.length], [1, 0]);
    assert.doesNotMatch(well.stdout + well.stderr, /hush/);

    await mails.stop();
    const bad = await startNameServer(t, { 'ws01._domainkey.example.com': 'v=DKIM1; p=AAAA' });
    const ill = await ws01(database, ['doctor', '--dns', bad], '', env);
    assert.match(ill.stdout, /\nFAIL {2}mail .*\n +→ check SMTP_URL; ws01 mail test ADDRESS/);
    assert.match(ill.stdout, /example\.com has no SPF record\n +→ publish one TXT record/);
    assert.match(
      ill.stdout,
      /differs from MAIL_DKIM_KEY\n +→ publish a TXT record at ws01\._domainkey/,
    );
    assert.match(ill.stdout, /example\.com has no DMARC record\n/);
  });
});

test('ws01 doctor counts the connections of a PostgreSQL', async (t) => {
  const database = await freshDatabase('postgres', t);
  const said = async (env: Record<string, string>) => {
    const { stdout } = await ws01(database, ['doctor', '--json'], '', env);
    const { checks } = JSON.parse(stdout) as {
      checks: { what: string; state: string; remedy?: string }[];
    };
    return checks.find(({ what }) => what.startsWith('WORKERS'));
  };
  const well = await said({ DATABASE_POOL_SIZE: '2' });
  assert.equal(well?.state, 'ok');
  assert.match(
    well.what,
    /^WORKERS 1 × DATABASE_POOL_SIZE 2 = 2 of its \d+ connections; \d+ are used, \d+ such nodes fit$/,
  );
  const many = await said({ DATABASE_POOL_SIZE: '1000', WORKERS: '4' });
  assert.deepEqual(
    [many?.state, many?.remedy],
    ['fail', 'set DATABASE_POOL_SIZE lower, or max_connections higher'],
  );
});

describe('ws01 config', () => {
  test('shows each setting, where it comes from, and no secret', async (t) => {
    const folder = await temporaryFolder(t, 'ws01-config-');
    await writeFile(join(folder, 'env'), 'PORT=9000\nLOG_LEVEL=warn\n');
    await writeFile(join(folder, 'secret'), 'a secret of thirty-two characters\n');
    await writeFile(join(folder, 'CODE_SECRET'), 'b secret of thirty-two characters\n');
    const env = {
      LOG_LEVEL: 'error',
      SMTP_URL: 'smtp://ada:hush@mail.example.com:587',
      SMS_SECRET_FILE: join(folder, 'secret'),
      CREDENTIALS_DIRECTORY: folder,
      SMPT_URL: 'x',
    };
    const database = { dataDir: folder, databaseUrl: undefined };
    const args = ['--env-file', join(folder, 'env'), 'config'];
    const { code, stdout, stderr } = await spawnWs01(database, [...args, '--json'], '', env);
    assert.equal(code, 0, stderr);
    const { settings, warnings } = JSON.parse(stdout);
    const of = (name: string) => {
      const { value, from } = settings.find(
        ({ variable }: { variable: string }) => variable === name,
      );
      return [value, from];
    };
    assert.deepEqual(of('PORT'), ['9000', join(folder, 'env')]);
    assert.deepEqual(of('LOG_LEVEL'), ['error', 'environment']);
    assert.deepEqual(of('HOST'), ['127.0.0.1', 'default']);
    assert.deepEqual(of('SMTP_URL'), ['smtp://mail.example.com:587', 'environment']);
    assert.deepEqual(of('SMS_SECRET'), ['(secret)', join(folder, 'secret')]);
    assert.deepEqual(of('CODE_SECRET'), ['(secret)', join(folder, 'CODE_SECRET')]);
    const [misspelt, overruled, ...more] = warnings;
    assert.equal(misspelt, 'SMPT_URL is no setting and does nothing; did you mean SMTP_URL?');
    assert.match(overruled, /^LOG_LEVEL in .*\/env has no effect: the environment of the process /);
    assert.deepEqual(more, []);
    assert.doesNotMatch(stdout, /hush|thirty-two/);

    const wrong = await ws01(database, ['config', '--set'], '', { PORT: 'eighty', WORKERS: '0' });
    assert.equal(wrong.code, 78);
    assert.match(wrong.stderr, /PORT must be an integer .*\nWORKERS must be an integer/);
    assert.doesNotMatch(wrong.stdout, /HOST/);
  });
});

forBothEngines((_engine, fresh) => {
  test('ws01 mail test sends at once and shows the dialogue without credentials', async (t) => {
    const database = await fresh(t);
    await database.open();
    const mails = await startMailServer(t, {
      authOptional: false,
      allowInsecureAuth: true,
      onAuth: ({ username, password }, _session, done) =>
        username === 'ada' && password === 'hush-hush'
          ? done(null, { user: 'ada' })
          : done(new Error('no')),
    });
    const env = {
      SMTP_URL: mails.url.replace('://', '://ada:hush-hush@'),
      MAIL_FROM: 'news@example.com',
    };
    const { code, stdout, stderr } = await ws01(
      database,
      ['mail', 'test', 'bob@example.org'],
      '',
      env,
    );
    assert.equal(code, 0, stderr);
    assert.match(
      stdout,
      /^< 220 [\s\S]*> EHLO [\s\S]*> AUTH \w+ \(secret\)[\s\S]*> MAIL FROM:<news@example\.com>[\s\S]*> RCPT TO:<bob@example\.org>\n[\s\S]*< 250 /,
    );
    const encoded = Buffer.from('\0ada\0hush-hush').toString('base64');
    for (const secret of [
      'hush-hush',
      'AGFkYQ',
      encoded,
      Buffer.from('hush-hush').toString('base64'),
    ])
      assert.ok(!stdout.includes(secret));
    assert.deepEqual(
      mails.received.map(({ to, from }) => [to, from]),
      [['bob@example.org', 'news@example.com']],
    );
    mails.behave({ at: 'RCPT', code: 550, text: 'no such user' });
    const refused = await ws01(database, ['mail', 'test', 'bob@example.org', '--json'], '', env);
    assert.deepEqual([refused.code, JSON.parse(refused.stdout).sent], [1, false]);
    assert.match(
      JSON.parse(refused.stderr).error.message,
      /^The mail server refused the mail: 550 /,
    );
    const away = { ...env, SMTP_URL: 'smtp://127.0.0.1:1' };
    assert.match(
      (await ws01(database, ['mail', 'test', 'bob@example.org'], '', away)).stderr,
      /^ws01: No mail server answers at 127\.0\.0\.1:1: .*ECONNREFUSED.*; check SMTP_URL and the firewall\.\n$/,
    );
    assert.match(
      (await ws01(database, ['audit', 'list', '--action', 'mail'])).stdout,
      /mail\.test/,
    );
    assert.equal((await ws01(database, ['mail', 'test', 'nobody'], '', env)).code, 2);
  });
});

test('ws01 status counts calls by the TLS version and the scheme that a trusted proxy tells', async (t) => {
  const database = await freshDatabase('sqlite', t);
  const service = await startService(t, database, { TRUSTED_PROXIES: 'loopback' });
  const call = async (headers: Record<string, string>, times = 1) => {
    for (let time = 0; time < times; time++) {
      const url = `${service.url}/WS01.asmx/GetArticleCount`;
      await (
        await fetch(url, { headers: { 'X-Forwarded-For': '203.0.113.9', ...headers } })
      ).text();
    }
  };
  const https = { 'X-Forwarded-Proto': 'https' };
  await call({ ...https, 'X-Forwarded-Tls-Version': 'TLSv1.3' }, 3);
  await call({ ...https, 'X-Forwarded-Tls-Version': 'tls1.2' });
  await call({ ...https, 'X-Amzn-Tls-Version': 'TLSv1.2' });
  await call({ ...https, 'X-Forwarded-Tls-Version': 'TLSv1' });
  await call({ ...https, 'X-Forwarded-Tls-Version': 'x\u00e9' });
  await call({ 'X-Forwarded-Proto': 'http' }, 2);
  await call({ 'X-Forwarded-Proto': 'gopher' });
  await call({});
  const env = { PORT: new URL(service.url).port };
  const { transports } = JSON.parse(
    (await ws01(database, ['status', '--json'], '', env)).stdout,
  ) as { transports: { transport: string; calls: number; last: string }[] };
  const counted = Object.fromEntries(transports.map(({ transport, calls }) => [transport, calls]));
  assert.deepEqual(counted, { 'TLS 1.3': 3, 'TLS 1.2': 2, 'TLS 1.0': 1, https: 1, http: 2 });
  const { stdout } = await ws01(database, ['status'], '', env);
  assert.match(stdout, /^calls by {5}http {5}2 since the start, the last \d{4}-/m);
  // Whoever asks from elsewhere does not learn how many calls there are.
  const elsewhere = { 'X-Forwarded-For': '203.0.113.9' };
  const asked = await fetch(`${service.url}/readyz?verbose`, { headers: elsewhere });
  assert.equal('transports' in ((await asked.json()) as object), false);
});
