import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { DAY_MS, MINUTE_MS } from '@ws01/asmx/time';
import { sql } from 'kysely';
import { HotFiles } from '../../src/adapters/files/hot-files.ts';
import { createMedia } from '../../src/domain/images/serving/media.ts';
import { remove, restore } from '../../src/domain/moderation/moderation.ts';
import { TABLE_NAMES } from '../../src/store/tables/tables.ts';
import { ws01 } from '../kit/command.ts';
import { forEachEngine } from '../kit/database.ts';
import { freshFiles, ImageDesk } from '../kit/images/desk.ts';
import { OperationDesk, SERVICE } from '../kit/operation-desk.ts';
import { putMail } from '../kit/rows.ts';
import { articleRow, insertCategory, revisionRow } from '../store/rows.ts';

const USER = { CreateUserId: 'ada' };

/** A UUIDv7 of an instant. */
const idAt = (at: number, number: number): string => {
  const time = at.toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-${String(number).padStart(12, '0')}`;
};

forEachEngine((_engine, fresh) => {
  test('what has been kept long enough goes, and every rule that looks back stays true', async (t) => {
    const database = await fresh(t);
    const store = await database.open();
    const images = new ImageDesk(store, await freshFiles(t));
    const desk = new OperationDesk(store);
    const now = Date.now();
    const at = (days: number) => {
      const moment = Math.round(now - days * DAY_MS);
      images.now = moment;
      desk.now = moment;
      return moment;
    };

    at(3_670);
    await desk.call('InsertArticle', { guid: 'ancient', caption: 'A', ...USER } as never);
    at(3_640);
    await desk.call('InsertArticle', { guid: 'a', caption: 'A', content: 'one', ...USER } as never);
    at(1_200);
    await desk.call('InsertArticle', { guid: 'a', caption: 'A', content: 'two', ...USER } as never);
    at(10);
    await desk.call('InsertArticle', {
      guid: 'a',
      caption: 'A',
      content: 'three',
      ...USER,
    } as never);
    at(31);
    await desk.call('InsertArticle', { guid: 'gone', caption: 'A', ...USER } as never);
    await desk.call('DeleteArticleByGuid', { guid: 'gone' });
    for (const [key, days] of [
      ['long', 400],
      ['lately', 20],
    ] as const) {
      const moment = at(days);
      await images.upload(key);
      const by = { tokenId: 't-moderator', address: '192.0.2.9' };
      await store.write((tx) => remove(tx, { kind: 'image', key, by, reason: 'spam', at: moment }));
    }
    const long = (await images.row('long'))!;
    const dayAgo = (days: number) => new Date(now - days * DAY_MS).toISOString().slice(0, 10);
    // The first of a month is where its days are added up.
    const singleDays = [900, 899, 898, 450].filter((days) => !dayAgo(days).endsWith('-01')).length;
    await store.write(async (tx) => {
      await tx
        .insertInto('phone_verifications')
        .values([
          { user_id: 'ada', phone: '+15550001', verified_at: now - 10 * MINUTE_MS },
          { user_id: 'ada', phone: '+15550002', verified_at: now - 31 * DAY_MS },
        ])
        .execute();
      await tx
        .insertInto('audit')
        .values(
          [1_200, 5].map((days, index) => ({
            id: idAt(now - days * DAY_MS, index),
            at: now - days * DAY_MS,
            token_id: null,
            action: 'test.mark',
            target_kind: 'test',
            target_key: String(days),
            address: null,
            details: '{}',
          })),
        )
        .execute();
      await tx
        .insertInto('events')
        .values(
          [40, 5].map((days, index) => ({
            id: idAt(now - days * DAY_MS, index),
            seq: -index,
            at: now - days * DAY_MS,
            type: 'test.mark',
            kind: 'test',
            key: null,
            data: '{}',
            request_id: null,
          })),
        )
        .execute();
      await tx
        .insertInto('links')
        .values({
          code: 'abc',
          target: 'https://example.com/',
          user_id: null,
          user_email: null,
          deadline: null,
          request_hash: new Uint8Array(32),
          created_at: now - 900 * DAY_MS,
          disabled_at: null,
        })
        .execute();
      const days = [900, 899, 898, 450, 3, 2].map(dayAgo);
      await tx
        .insertInto('link_visits')
        .values(
          days.map((day, index) => ({ code: 'abc', day, visits: index + 1, bots: 1, heads: 0 })),
        )
        .execute();
      await tx
        .insertInto('link_visit_sources')
        .values(
          days.map((day, index) => ({
            code: 'abc',
            day,
            kind: 'referrer',
            name: 'a.example',
            visits: index + 1,
          })),
        )
        .execute();
      for (const [id, days, state] of [
        ['kept-long', 366, 'kept'],
        ['kept-lately', 10, 'kept'],
        ['sent-long', 91, 'sent'],
      ] as const) {
        const created_at = now - days * DAY_MS;
        const finished_at = state === 'sent' ? created_at : null;
        const rest = {
          attempts: 0,
          deferrals: 0,
          due_at: null,
          give_up_at: 0,
          lease: null,
          last_reply: null,
        };
        await putMail(tx, { id, state, created_at, finished_at, ...rest });
      }
    });
    at(0);
    const counted = () =>
      Promise.all(
        ['3650', '15', ''].map((lastFewDays) =>
          desk.call('countUserPosted', { userId: 'ada', lastFewDays }),
        ),
      );
    const rowsOf = async () => {
      const rows: Record<string, number> = {};
      for (const name of TABLE_NAMES) {
        const found = await store.read((db) =>
          db
            .selectFrom(name)
            .select((eb) => eb.fn.countAll().as('rows'))
            .executeTakeFirstOrThrow(),
        );
        rows[name] = Number(found.rows);
      }
      return rows;
    };
    const visits = () =>
      store.read((db) =>
        db
          .selectFrom('link_visits')
          .select((eb) => eb.fn.sum('visits').as('all'))
          .executeTakeFirstOrThrow(),
      );
    const sources = () =>
      store.read((db) =>
        db.selectFrom('link_visit_sources').select(['day', 'visits']).orderBy('day').execute(),
      );
    const days = () =>
      store.read((db) =>
        db.selectFrom('link_visits').select(['day', 'visits']).orderBy('day').execute(),
      );
    assert.deepEqual(await sources(), await days());
    const before = { counted: await counted(), rows: await rowsOf(), visits: await visits() };
    assert.deepEqual(before.counted, ['2', '0', '0']);

    const dry = await ws01(database, ['purge', '--dry-run', '--json']);
    assert.equal(dry.code, 0, dry.stderr);
    const expected = {
      trash: 1,
      'removed-images': 1,
      revisions: 1,
      postings: 1,
      visits: singleDays,
      verifications: 1,
      'unsent-mails': 1,
      mails: 1,
      texts: 0,
      reports: 0,
      audit: 1,
      events: 1,
      'call-counts': 0,
      'failed-calls': 0,
      'backup-records': 0,
    };
    const rowsIn = (text: string) =>
      Object.fromEntries(
        JSON.parse(text).purged.map((one: { name: string; rows: number }) => [one.name, one.rows]),
      );
    assert.deepEqual(rowsIn(dry.stdout), expected);
    assert.deepEqual(await rowsOf(), before.rows);

    const purged = await ws01(database, ['purge', '--json']);
    assert.equal(purged.code, 0, purged.stderr);
    assert.deepEqual(rowsIn(purged.stdout), expected);
    assert.deepEqual(await counted(), before.counted);
    assert.deepEqual(await visits(), before.visits);
    assert.deepEqual(await sources(), await days(), 'sources are added up as visits are');
    const contents = await store.read((db) =>
      db.selectFrom('article_revisions').select(['article_guid', 'revision']).execute(),
    );
    assert.deepEqual(contents, [{ article_guid: 'a', revision: 2 }]);
    assert.deepEqual(
      (await desk.audit('article', 'a')).map(
        ({ details }) => (details as { revision: number }).revision,
      ),
      [1, 2, 3],
    );
    const marks = await store.read((db) =>
      db.selectFrom('audit').select('target_key').where('action', '=', 'test.mark').execute(),
    );
    assert.deepEqual(marks, [{ target_key: '5' }]);
    // A verification of the last half hour still lets the user set the number (5.14).
    await desk
      .call('updateUserCellphone', { userId: 'ada', cellPhone: '+15550001' } as never, SERVICE)
      .catch(() => {});
    const phones = await store.read((db) =>
      db.selectFrom('phone_verifications').select('phone').execute(),
    );
    assert.deepEqual(phones, [{ phone: '+15550001' }]);
    const mails = await store.read((db) =>
      db.selectFrom('outbox').select(['id', 'state']).orderBy('id').execute(),
    );
    assert.deepEqual(mails, [
      { id: 'kept-lately', state: 'kept' },
      { id: 'kept-long', state: 'cancelled' },
    ]);
    // The image is gone for good, its address says so; the other can still be restored.
    assert.equal(await images.row('long'), undefined);
    const media = createMedia({
      store,
      files: images.files,
      decoders: images.decoders,
      hotFiles: new HotFiles(images.files.store, 0),
    });
    assert.equal((await media.find(`${long.hash}.png`)).kind, 'gone');
    const by = { tokenId: 't-moderator', address: '192.0.2.9' };
    assert.equal(
      await store.write((tx) =>
        restore(tx, { kind: 'image', key: 'lately', by, reason: 'ham', at: now }),
      ),
      true,
    );

    const again = await ws01(database, ['purge', '--dry-run', '--json']);
    assert.deepEqual(
      Object.values(rowsIn(again.stdout)).reduce((sum: number, rows) => sum + Number(rows), 0),
      0,
    );
  });

  test('purge refuses by a clock that is not believed, which db check and status tell, until it is trusted', async (t) => {
    const database = await fresh(t);
    const store = await database.open();
    const row = { id: 1, at: 0, purge_at: Date.now() - 30 * DAY_MS } as const;
    await store.write((tx) => tx.insertInto('service_time').values(row).execute());
    assert.equal((await ws01(database, ['purge', '--dry-run'])).code, 0);
    const refused = await ws01(database, ['purge']);
    assert.deepEqual([refused.code, refused.stdout], [1, '']);
    assert.match(
      refused.stderr,
      /^ws01: Nothing was purged: the clock is not believed; [^\n]*--trust-clock[^\n]*\n$/,
    );
    const checked = await ws01(database, ['db', 'check']);
    assert.deepEqual(
      [checked.code, checked.stdout],
      [0, 'Sound: pages, indexes, references and schema.\n'],
    );
    assert.match(checked.stderr, /^Nothing is purged since \d[^\n]*--trust-clock[^\n]*\n$/);
    assert.match(
      (await ws01(database, ['db', 'check', '--json'])).stdout,
      /"purgeHeldSince":\s*"\d{4}-/,
    );
    assert.match((await ws01(database, ['status'])).stdout, /ws01 purge --trust-clock/);
    const trusted = await ws01(database, ['purge', '--trust-clock']);
    assert.deepEqual([trusted.code, trusted.stderr], [0, 'The clock is trusted again.\n']);
    assert.equal((await ws01(database, ['purge'])).code, 0);
    assert.match((await ws01(database, ['audit', 'list'])).stdout, /purge\.trust-clock/);
  });

  test('db check finds what is wrong, db size tells, optimize and vacuum go beside or without a service', async (t) => {
    const database = await fresh(t);
    const store = await database.open();
    const sound = await ws01(database, ['db', 'check', '--json']);
    const nothing = { sound: true, wrong: [], purgeHeldSince: null };
    assert.deepEqual([sound.code, JSON.parse(sound.stdout)], [0, nothing], sound.stderr);
    const size = JSON.parse((await ws01(database, ['db', 'size', '--json'])).stdout);
    assert.ok(
      size.tables.every(
        ({ bytes, rows }: { bytes: number; rows: number }) => bytes >= 0 && rows >= 0,
      ),
    );
    assert.ok(size.tables.some(({ name }: { name: string }) => name === 'articles'));
    await store.write((tx) => insertCategory(tx, 'in the log'));
    assert.equal((await ws01(database, ['db', 'optimize'])).code, 0);
    if (database.engine === 'sqlite') {
      const alone = join(await mkdtemp(join(database.dataDir, 'alone-')), 'copy.sqlite');
      // By another process: closing the file here would release the locks of this one.
      execFileSync('cp', [join(database.dataDir, 'ws01.sqlite'), alone]);
      const copy = new DatabaseSync(alone);
      const found = copy.prepare(`select key from categories where key = 'in the log'`).all();
      copy.close();
      assert.equal(found.length, 1, 'the file has what was in the log');
    }
    const beside = await ws01(database, ['db', 'vacuum']);
    if (database.engine === 'sqlite') {
      assert.match(beside.stderr, /A service has the database open; stop it first/);
      await store.close();
      assert.match((await ws01(database, ['db', 'vacuum'])).stdout, /^Vacuumed: /);
    } else {
      assert.equal(beside.code, 0, beside.stderr);
    }
    const open = await database.open();
    await open.write((tx) => tx.schema.dropIndex('audit_by_target').execute());
    await open.write((tx) => tx.schema.alterTable('users').addColumn('extra', 'text').execute());
    const wrong = await ws01(database, ['db', 'check']);
    assert.equal(wrong.code, 1);
    assert.match(wrong.stdout, /the index audit_by_target of audit is missing\n/);
    assert.match(wrong.stdout, /the column users\.extra is not ours\n/);
  });

  test('db check finds rows that refer to nothing', async (t) => {
    const database = await fresh(t);
    const store = await database.open();
    const revision = revisionRow('gone');
    // As damage or a restore by hand leaves it.
    await store.write(async (tx) => {
      await tx.insertInto('articles').values(articleRow('gone')).execute();
      await tx.insertInto('article_revisions').values(revision).execute();
    });
    if (database.engine === 'postgres') {
      await store.write(async (tx) => {
        await sql`set local session_replication_role = replica`.execute(tx);
        await tx.deleteFrom('articles').execute();
      });
    } else {
      await store.close();
      const file = new DatabaseSync(join(database.dataDir, 'ws01.sqlite'), {
        enableForeignKeyConstraints: false,
      });
      file.exec('delete from articles');
      file.close();
    }
    const { code, stdout } = await ws01(database, ['db', 'check']);
    assert.deepEqual(
      [code, /(.*) refer to nothing.*/.exec(stdout)?.[0]],
      [1, '1 rows of article_revisions refer to nothing in articles'],
    );
  });
});
