import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { until } from '../../../../packages/asmx/test/kit/until.ts';
import { cellOf } from '../../src/console/csv.ts';
import type { Role } from '../../src/contract/roles.ts';
import { newKey } from '../../src/domain/values/keys.ts';
import { SEEDED_SETTINGS } from '../kit/api.ts';
import { keptLog } from '../kit/log.ts';
import { startService, TOKEN } from '../kit/service.ts';
import { sessionOf, visitor } from './kit/browser.ts';
import { call } from './kit/filled.ts';

suite('an export', () => {
  const suppressed = (from: number, rows: number) =>
    Array.from({ length: rows }, (_, row) => ({
      address: `row-${from + row}@example.com`,
      reason: 'manual' as const,
      detail: '',
      mail_id: null,
      created_at: from + row,
    }));

  const entry = (row: number) => ({
    id: `00000000-0000-7000-8000-${String(row).padStart(12, '0')}`,
    at: row,
    token_id: null,
    action: 'link.disable',
    target_kind: 'link',
    target_key: 'a',
    address: null,
    details: '{}',
    request_id: null,
  });

  test('has as many rows as may be, and says when there are more', async (t) => {
    const service = await startService(t, undefined, { fixed: { consoleExportRows: 150 } });
    const store = await service.database.open();
    const headers = { Cookie: await sessionOf(service, 'owner') };
    const linesOf = async () => {
      const answer = await fetch(`${service.url}/console/suppressions.csv`, { headers });
      return (await answer.text()).trimEnd().split('\r\n');
    };
    const add = (from: number, rows: number) =>
      store.write((tx) =>
        tx.insertInto('mail_suppressions').values(suppressed(from, rows)).execute(),
      );
    await add(0, 150);
    const whole = await linesOf();
    assert.equal(whole.length, 1 + 150);
    assert.match(whole.at(-1)!, /^row-\d+@example\.com,/);
    await add(150, 1);
    const part = await linesOf();
    assert.equal(part.length, 1 + 150 + 1);
    assert.equal(part.at(-1), 'The export ends here: the limit is 150 rows.');
  });

  test('of the inbox has mails and text messages, the newest first, and says when there are more', async (t) => {
    const service = await startService(t, undefined, {
      fixed: { consoleExportRows: 150 },
      ...SEEDED_SETTINGS,
    });
    await call(service, 'CreateVerifyCode', { userId: 'ada', cellphone: '+14155550123' });
    const send = (subject: string) =>
      call(service, 'SendEmail', {
        authorizationUserId: TOKEN,
        receiverEmail: 'bob@example.com',
        subject,
        body: 'b',
      });
    await send('one');
    const store = await service.database.open();
    const [mail] = await store.read((db) => db.selectFrom('mails').selectAll().execute());
    const [waiting] = await store.read((db) =>
      db.selectFrom('outbox').selectAll().where('kind', '=', 'mail').execute(),
    );
    const copies = (from: number, to: number) =>
      store.write(async (tx) => {
        const ids = Array.from({ length: to - from }, () => newKey());
        await tx
          .insertInto('mails')
          .values(
            ids.map((id, row) => ({
              ...mail!,
              id,
              message_id: id,
              created_at: mail!.created_at + from + row,
            })),
          )
          .execute();
        await tx
          .insertInto('outbox')
          .values(ids.map((id) => ({ ...waiting!, id })))
          .execute();
      });
    const headers = { Cookie: await sessionOf(service, 'owner') };
    const linesOf = async () =>
      (await (await fetch(`${service.url}/console/inbox.csv`, { headers })).text())
        .trimEnd()
        .split('\r\n');
    // The text message is the oldest of 150.
    await copies(1, 149);
    const whole = await linesOf();
    assert.equal(whole.length, 1 + 150);
    assert.match(whole[0]!, /^\uFEFF?list,id,.*subject.*phone/);
    assert.ok(whole.slice(1, -1).every((line) => line.startsWith('mails,')));
    assert.match(whole.at(-1)!, /^sms,.*14155550123/);
    const times = whole.slice(1, -1).map((line) => /\d{4}-\d\d-\d\dT[\d:.]+Z/g.exec(line)![0]);
    assert.deepEqual(times, times.toSorted().toReversed());
    await copies(149, 150);
    const part = await linesOf();
    assert.equal(part.length, 1 + 150 + 1);
    assert.equal(part.at(-1), 'The export ends here: the limit is 150 rows.');
  });

  test('of the trail tells of ninety changed records at once, as its page does', async (t) => {
    const service = await startService(t);
    const store = await service.database.open();
    const entries = Array.from({ length: 90 }, (_, row) => ({
      ...entry(row),
      ...{ action: 'article.replace', target_kind: 'article', target_key: `a-${row}` },
    }));
    await store.write((tx) => tx.insertInto('audit').values(entries).execute());
    const headers = { Cookie: await sessionOf(service, 'owner') };
    for (const path of ['audit.csv', 'audit?limit=100']) {
      const answer = await fetch(`${service.url}/console/${path}`, { headers });
      const text = await answer.text();
      assert.equal(answer.status, 200, text);
      for (const { target_key: key } of entries) assert.ok(text.includes(key), `${path}: ${key}`);
    }
  });

  test('breaks off when its admin may go on no more: signed out, expired, removed, or of a lower role', async (t) => {
    const { log, lines } = keptLog();
    const service = await startService(t, undefined, {}, log);
    const store = await service.database.open();
    // Far more than the buffers of a connection hold.
    const [rows, detail] = [4_000, 'x'.repeat(10_000)];
    for (let from = 0; from < rows; from += 500) {
      const some = suppressed(from, 500).map((row) => ({ ...row, detail }));
      await store.write((tx) => tx.insertInto('mail_suppressions').values(some).execute());
    }
    const filler = (row: number) => {
      const key = String(row).padStart(12, '0');
      return {
        id: `00000000-0000-7000-8000-${key}`,
        name: detail,
        name_key: key,
        role: 'reader' as const,
        created_at: 1,
      };
    };
    for (let from = 0; from < rows; from += 500) {
      const some = Array.from({ length: 500 }, (_, row) => filler(from + row));
      await store.write((tx) => tx.insertInto('admins').values(some).execute());
    }
    const boss = visitor(service, await sessionOf(service, 'owner', 'boss'));
    /** What an owner does to somebody by the API. */
    const done = async (method: string, name: string, body: object) => {
      const admin = await store.read((db) =>
        db.selectFrom('admins').select('id').where('name', '=', name).execute(),
      );
      const { status } = await boss.api(method, `/admins/${admin[0]!.id}`, body);
      assert.equal(status, 200, name);
    };
    const cases: readonly {
      readonly name: string;
      readonly role: Role;
      readonly list: string;
      readonly why: string;
      end(cookie: string): Promise<unknown>;
    }[] = [
      {
        ...{ name: 'leaver', role: 'owner', list: 'suppressions', why: 'Signed out.' },
        end: (cookie) => visitor(service, cookie).send('/console/account/sign-out-everywhere', ''),
      },
      {
        ...{ name: 'removed', role: 'owner', list: 'suppressions', why: 'Signed out.' },
        end: () => done('DELETE', 'removed', {}),
      },
      {
        ...{ name: 'lowered', role: 'owner', list: 'admins', why: 'GET /admins needs an owner' },
        end: () => done('PATCH', 'lowered', { role: 'moderator' }),
      },
      {
        ...{ name: 'sleeper', role: 'owner', list: 'suppressions', why: 'Signed out.' },
        end: () =>
          store.write((tx) =>
            tx.updateTable('admin_sessions').set({ created_at: 1, seen_at: 1 }).execute(),
          ),
      },
    ];
    const broken = () =>
      lines.filter(({ msg }) => msg === 'an export broke off') as {
        path: string;
        err: { message: string };
      }[];
    for (const [index, { name, role, list, why, end }] of cases.entries()) {
      const Cookie = await sessionOf(service, role, name);
      const answer = await fetch(`${service.url}/console/${list}.csv`, {
        headers: { Cookie, 'Accept-Encoding': 'identity' },
      });
      assert.equal(answer.status, 200, name);
      const pieces = answer.body!.getReader();
      let bytes = (await pieces.read()).value!.length;
      await end(Cookie);
      const rest = async () => {
        for (let piece = await pieces.read(); !piece.done; piece = await pieces.read())
          bytes += piece.value.length;
      };
      await assert.rejects(rest(), name);
      await until(() => broken().length === index + 1);
      assert.equal(broken()[index]?.path, `/console/${list}.csv`);
      assert.ok(broken()[index]?.err.message.startsWith(why), JSON.stringify(broken()[index]));
      assert.ok(bytes < rows * detail.length, `${bytes} bytes came`);
    }
  });

  test('breaks off when a later page fails, and the log says why; the first page that fails is an error page', async (t) => {
    const { log, lines } = keptLog();
    const service = await startService(t, undefined, {}, log);
    const store = await service.database.open();
    const headers = { Cookie: await sessionOf(service, 'reader') };
    const entries = Array.from({ length: 150 }, (_, row) => ({
      ...entry(row),
      details: row === 0 ? 'damaged' : '{}',
    }));
    await store.write((tx) => tx.insertInto('audit').values(entries).execute());
    const answer = await fetch(`${service.url}/console/audit.csv`, { headers });
    assert.equal(answer.status, 200);
    await assert.rejects(answer.text(), /terminated/);
    await until(() =>
      lines.some(({ msg, path }) => msg === 'an export broke off' && path === '/console/audit.csv'),
    );
    const first = await fetch(`${service.url}/console/audit.csv?sort=created`, { headers });
    assert.deepEqual([first.status, first.headers.get('content-disposition')], [500, null]);
  });
});

test('no cell of an export is a formula', () => {
  const beginnings = [
    '=1+1',
    '+1',
    '-1',
    '@SUM(A1)',
    '|1',
    '\t=1',
    '\r=1',
    '\tx',
    '  =1',
    '\u200b=1',
    '"=1',
    '＝1',
  ];
  for (const text of beginnings) assert.match(cellOf(text), /^"?'/, JSON.stringify(text));
  // Where the semicolon or the tab separates cells, one begins in the middle of a text.
  assert.equal(cellOf('x;=1+1;y'), `"x;'=1+1;y"`);
  assert.equal(cellOf('x; "=1"'), `"x;' ""=1"""`);
  assert.equal(cellOf('x\t@a\n-b\r\n+c'), `"x\t'@a\n'-b\r\n'+c"`);
  assert.equal(cellOf('a;b = c, d-e'), '"a;b = c, d-e"');
  assert.equal(cellOf(-1), '-1');
  assert.equal(cellOf('a "b", c'), '"a ""b"", c"');
  assert.equal(cellOf(null), '');
  assert.equal(cellOf({ a: 1 }), '"{""a"":1}"');
});
