import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { it } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { DAY_MS, MINUTE_MS } from '@ws01/asmx/time';
import { words } from '../../../../packages/asmx/src/contract/words.ts';
import { until } from '../../../../packages/asmx/test/kit/until.ts';
import { erasePerson, type HeldRows } from '../../src/domain/persons/erase.ts';
import { HOLDINGS } from '../../src/domain/persons/holdings.ts';
import { indexRecords } from '../../src/domain/search/indexing.ts';
import { firstKeyAt } from '../../src/records/conditions.ts';
import { askAsOwner, callOperation } from '../kit/api.ts';
import { ws01 } from '../kit/command.ts';
import { forBothEngines, forEachEngine } from '../kit/database.ts';
import { blackPng } from '../kit/images/containers.ts';
import {
  EMAIL,
  filesBelow,
  leaveTraces,
  marksIn,
  openDesk,
  PERSON,
  PHONE,
  tableOf,
} from './person-traces.ts';

forEachEngine((engine, fresh) => {
  it('a person is shown, exported and erased: of no value that names them anything is left in any table', async (t) => {
    const desk = await openDesk(t, fresh);
    await leaveTraces(desk);
    await indexRecords(desk.store);
    const before = await marksIn(desk.store);
    const views = new Set(before.map(tableOf).filter((name) => name.startsWith('v1_')));
    const marked = new Set(before.map(tableOf).filter((name) => !views.has(name)));
    for (const table of words(
      'users tokens articles article_revisions adverts images reviews reports postings audit',
      'phone_codes links mails mail_suppressions sms budgets',
    )) {
      assert.ok(marked.has(table), `${table} has a mark: ${[...marked].join(' ')}`);
    }
    const shown = await desk.get(`/users/${PERSON}/data`);
    assert.equal(shown.status, 200);
    const counted = new Map<string, number>(
      shown.body.items.map(({ table, rows }: { table: string; rows: number }) => [table, rows]),
    );
    const budgets = before.filter((found) => found.startsWith('budgets.key'));
    for (const form of [
      / zaphod$/,
      / zaphod@heartofgold\.example$/,
      /: zaphod@heartofgold/,
      /: 14155550142$/,
    ]) {
      assert.ok(
        budgets.some((found) => form.test(found)),
        `${form} is in ${budgets.join('\n')}`,
      );
    }
    // The index of words follows the records that are counted.
    for (const table of [...marked].filter((name) => !/^(record_)?search(_|$)/.test(name)))
      assert.ok((counted.get(table) ?? 0) > 0, `${table} is counted`);
    assert.equal(counted.get('article_revisions'), 1);

    const exported = await desk.get(`/users/${PERSON}/export`);
    assert.equal(exported.status, 200);
    assert.equal(exported.body.person, PERSON);
    assert.equal(exported.body.users[0].lastName, 'Beeblebrox');
    assert.equal(exported.body.articles[0].content, 'Three arms');
    assert.equal(exported.body.articleRevisions[0].content, 'Two heads from Betelgeuse');
    assert.deepEqual(
      exported.body.mails.map(({ subject }: { subject: string }) => subject).toSorted(),
      ['Answer', 'Answer', 'Answer', 'From Beeblebrox'],
    );
    for (const table of ['phoneCodes', 'sms']) {
      const users = exported.body[table].map(
        ({ userId }: { userId: string | null }) => userId ?? '',
      );
      assert.deepEqual(
        users.toSorted(),
        ['', PERSON],
        `${table} of the number, asked for with a user and without`,
      );
    }
    assert.deepEqual(exported.body.tokens[0].hash, undefined, 'no secret');
    assert.equal(exported.body.reviews.length, 1, 'what another one wrote is not theirs');
    const { body: answered } = await desk.get(`/articles/${exported.body.articles[0].guid}`);
    assert.deepEqual(
      { ...answered, ...exported.body.articles[0] },
      answered,
      'by the names and values of the HTTP API',
    );
    assert.equal(exported.body.reviews[0].userId, PERSON);

    const rows = async () =>
      Number(
        (
          await desk.store.read((db) =>
            db
              .selectFrom('postings')
              .select((eb) => eb.fn.countAll().as('n'))
              .executeTakeFirstOrThrow(),
          )
        ).n,
      );
    const postings = await rows();
    const look = () => desk.post(`/users/${PERSON}/erase?preview=true`);
    let preview = await look();
    assert.deepEqual([preview.status, preview.body.preview, preview.body.item], [200, true, null]);
    // Networks of tokens, visits and states of mails are written a while after the calls.
    const isSame = async () => {
      preview = await look();
      return isDeepStrictEqual(
        preview.body.erased,
        (await desk.get(`/users/${PERSON}/data`)).body.items,
      );
    };
    await until(isSame, () => JSON.stringify(preview.body.erased));
    assert.equal((await desk.get(`/users/${PERSON}`)).status, 200, 'a preview does nothing');

    const erased = await desk.post(`/users/${PERSON}/erase`);
    assert.equal(erased.status, 200, JSON.stringify(erased.body));
    assert.deepEqual(await marksIn(desk.store), []);
    assert.equal((await desk.get(`/users/${PERSON}`)).status, 404);
    assert.equal((await desk.get(`/users/${PERSON}/data`)).status, 404);
    assert.equal((await desk.post(`/users/${PERSON}/erase`)).status, 404);
    assert.equal(await rows(), postings, 'what is counted stays');
    const trail = await desk.get('/audit?action=user.erase');
    assert.equal(trail.body.items.length, 1);
    assert.deepEqual([trail.body.items[0].targetKey, trail.body.items[0].details], [null, {}]);
    const picture = createHash('sha256').update(blackPng(6, 5)).digest('hex');
    assert.ok(
      !(await filesBelow(desk.service.database.dataDir)).includes(picture),
      'the picture is gone',
    );
    const tally = await desk.store.read((db) =>
      db
        .selectFrom('review_tallies')
        .selectAll()
        .where('subject', '=', 'others')
        .executeTakeFirst(),
    );
    assert.equal(Number(tally?.votes ?? 0), 0, 'a vote that is gone does not count');

    // The id is free: who comes with it is somebody else.
    await callOperation(desk, 'InsertArticle', {
      guid: 'new',
      caption: 'New',
      CreateUserId: PERSON,
    });
    assert.equal((await desk.get(`/users/${PERSON}`)).status, 200);
  });

  it('an erasure that is interrupted after each table is finished by doing it again', async (t) => {
    const desk = await openDesk(t, fresh);
    await leaveTraces(desk);
    await desk.store.write(async (tx) => {
      // Address and number are known by link and text message alone.
      await tx
        .updateTable('users')
        .set({ email: null, cell_phone: null })
        .where('id', '=', PERSON)
        .execute();
      await tx.deleteFrom('phone_verifications').where('user_id', '=', PERSON).execute();
      const budget = { used: 1, resets_at: Date.now() + MINUTE_MS };
      for (const key of [EMAIL, PHONE]) {
        const name = `someOf${key.length} 60000`;
        await tx
          .insertInto('budgets')
          .values({ name, key, ...budget })
          .execute();
      }
    });
    const interrupted: string[] = [];
    const files = { store: { remove: async () => {}, async *list() {} } };
    const stopped = new Error('stopped');
    const onProgress = ({ table }: { readonly table: string }) => {
      if (interrupted.includes(table) || table === 'users') return;
      interrupted.push(table);
      throw stopped;
    };
    for (let isDone = false; !isDone; ) {
      isDone = await erasePerson(
        { store: desk.store, files, clock: Date.now, onProgress },
        PERSON,
        undefined,
      ).then(
        () => true,
        (error) => {
          if (error !== stopped) throw error;
          return false;
        },
      );
    }
    assert.ok(interrupted.length > 12, interrupted.join(' '));
    assert.deepEqual(await marksIn(desk.store), []);
    assert.equal((await desk.get('/audit?action=user.erase')).body.items.length, 1);
  });

  it('under a legal hold a person is not erased, and who asks is told who set it, why and until when', async (t) => {
    const desk = await openDesk(t, fresh);
    await desk.post('/users', { id: 'ada', name: 'Ada' });
    const until = new Date(Date.now() + DAY_MS).toISOString();
    assert.equal((await desk.post('/users/ada/hold', {})).status, 400, 'a reason is needed');
    assert.equal(
      (await desk.post('/users/ada/hold', { reason: 'x', until: '2020-01-01T00:00:00Z' })).status,
      400,
    );
    assert.equal((await desk.post('/users/nobody/hold', { reason: 'Case 7' })).status, 404);
    const held = await desk.post('/users/ada/hold', { reason: 'Case 7', until });
    assert.deepEqual(
      [held.status, held.body.item.heldReason, held.body.item.heldUntil],
      [200, 'Case 7', until],
    );
    assert.deepEqual(
      (await desk.get('/users?held=true')).body.items.map(({ id }: { id: string }) => id),
      ['ada'],
    );
    for (const path of ['/users/ada/erase', '/users/ada/erase?preview=true']) {
      const refused = await desk.post(path);
      assert.equal(refused.status, 403);
      assert.match(
        refused.body.detail,
        /A legal hold keeps the data of ada until 20\S+, set by token \S+ on 20\S+: Case 7/,
      );
    }
    assert.equal((await desk.get('/users/ada')).body.name, 'Ada');
    const told = await ws01(desk.service.database, ['user', 'erase', 'ada', '--yes']);
    assert.deepEqual([told.code, /legal hold/.test(told.stderr)], [1, true], told.stderr);
    assert.equal((await desk.post('/users/ada/release')).body.changed, true);
    assert.equal((await desk.post('/users/ada/erase')).status, 200);

    // One that has ended by itself holds nothing.
    await desk.post('/users', { id: 'bob' });
    await desk.post('/users/bob/hold', { reason: 'Case 8', until });
    await desk.store.write((tx) => tx.updateTable('legal_holds').set({ until: 1 }).execute());
    assert.equal((await desk.get('/users/bob')).body.heldAt, null);
    assert.equal((await desk.post('/users/bob/erase')).status, 200);
    assert.deepEqual(
      await desk.store.read((db) => db.selectFrom('legal_holds').selectAll().execute()),
      [],
    );
  });

  if (engine === 'sqlite') {
    it('by the command: shown, exported with pictures, previewed, held and erased', async (t) => {
      const desk = await openDesk(t, fresh);
      const { database } = desk.service;
      await leaveTraces(desk);
      const shown = await ws01(database, ['user', 'show', PERSON, '--json']);
      const { stored, hold } = JSON.parse(shown.stdout);
      assert.equal(hold, null);
      assert.ok(
        stored.some(
          ({ table, rows }: { table: string; rows: number }) => table === 'mails' && rows === 4,
        ),
      );
      const folder = join(database.dataDir, 'out');
      const exported = await ws01(database, ['user', 'export', PERSON, '--to', folder]);
      assert.deepEqual(
        [exported.code, exported.stderr],
        [0, `Wrote ${folder}/person.json and 1 picture.\n`],
      );
      assert.equal(JSON.parse(await readFile(join(folder, 'person.json'), 'utf8')).person, PERSON);
      const held = await ws01(database, [
        'user',
        'hold',
        PERSON,
        '--reason',
        'Case 9',
        '--until',
        '30d',
      ]);
      assert.match(held.stdout, /^A legal hold by \S+ since .*, until .*: Case 9\n$/);
      assert.equal((await ws01(database, ['user', 'release', PERSON])).code, 0);
      // What moves the cursor, names the window or reverses the line is not printed, wherever a reason is.
      const hostile = 'Case\u001b]0;owned\u0007 \u202e\u009b2J10';
      const texts = await ws01(database, ['user', 'hold', PERSON, '--reason', hostile]);
      const seen = await ws01(database, ['user', 'show', PERSON]);
      const refused = await ws01(database, ['user', 'erase', PERSON, '--yes']);
      for (const { stdout, stderr } of [texts, seen, refused]) {
        assert.match(stdout + stderr, /Case.*owned.*10/);
        assert.doesNotMatch(stdout + stderr, /[^\P{Cc}\n]|\u202e/u);
      }
      assert.equal((await ws01(database, ['user', 'release', PERSON])).code, 0);
      const preview = await ws01(database, ['user', 'erase', PERSON]);
      assert.match(preview.stdout, /WOULD BE\n(?:.*\n)*articles +1 +deleted\n/);
      assert.match(preview.stderr, /Nothing was done/);
      const erased = await ws01(database, ['user', 'erase', PERSON, '--yes']);
      assert.equal(erased.code, 0, erased.stderr);
      assert.deepEqual(await marksIn(desk.store), []);
      const nobody = await ws01(database, ['user', 'erase', 'nobody']);
      assert.deepEqual(
        [nobody.code, nobody.stderr],
        [1, 'ws01: Nothing is stored about nobody.\n'],
      );
    });
  }
});

it('every table that holds something of persons is erased before what finds it', () => {
  assert.equal(HOLDINGS.at(-1)?.table, 'users');
  assert.deepEqual(
    HOLDINGS.slice(0, 2).map(({ table }) => table),
    ['failed_calls', 'audit'],
  );
});

forBothEngines((_engine, fresh) => {
  it('what is stored is counted to 1,000 rows a table, and of a table with more than 10,000 by indexes', async (t) => {
    const store = await (await fresh(t)).open();
    const ask = (path: string, post?: { readonly body: object }) =>
      askAsOwner<{
        readonly items: readonly HeldRows[];
        readonly erased: readonly HeldRows[];
        readonly more: boolean;
      }>(store, `/users/${path}`, post);
    const shown = (rows: readonly HeldRows[]) => rows.map((one) => [one.table, one.rows]);
    const look = async (id: string) => {
      const { items, more } = await ask(`${id}/data`);
      return [shown(items), more];
    };
    let articles = 0;
    const addArticles = (owner: string, count: number) =>
      store.write(async (tx) => {
        const rows = Array.from({ length: count }, () => ({
          ...{ guid: `art-${articles++}`, owner, caption: '', content: '', contact_phone: '' },
          ...{ status: 0, from_url: '', revision: 1, created_at: 1, updated_at: 1 },
        }));
        await tx.insertInto('articles').values(rows).execute();
      });
    await addArticles('ada', 1_000);
    assert.deepEqual(await look('ada'), [[['articles', 1_000]], false]);
    await addArticles('ada', 2);
    assert.deepEqual(await look('ada'), [[['articles', 1_001]], true]);
    assert.deepEqual(shown((await ask('ada/erase?preview=true', { body: {} })).erased), [
      ['articles', 1_002],
    ]);

    let entries = 0;
    const addEntries = (count: number) =>
      store.write(async (tx) => {
        const rows = Array.from({ length: count }, () => ({
          ...{ id: firstKeyAt(++entries), at: entries, action: 'user.create', target_kind: 'user' },
          details: entries === 1 ? '{"user":"bob"}' : '{}',
        }));
        await tx.insertInto('audit').values(rows).execute();
      });
    for (let batch = 0; batch < 10; batch++) await addEntries(1_000);
    assert.deepEqual(await look('bob'), [[['audit', 1]], false]);
    await addEntries(1);
    // Nothing else is known of this person, so all is read.
    assert.deepEqual(await look('bob'), [[['audit', 1]], false]);
    await addArticles('bob', 1);
    assert.deepEqual(await look('bob'), [[['articles', 1]], true]);
  });
});
