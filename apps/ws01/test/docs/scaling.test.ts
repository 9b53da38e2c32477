import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { WS01 } from '../../src/contract/service.ts';
import { TEST_BINDINGS } from '../kit/bindings.ts';
import { freshDatabase } from '../kit/database.ts';
import { blackPng } from '../kit/images/containers.ts';
import { OPERATION_CALLS } from '../kit/operation-calls.ts';
import { recordStatements } from '../kit/recorded-statements.ts';
import { startS3 } from '../kit/s3.ts';
import { startS3Gate } from '../kit/s3-gate.ts';
import { startService, TOKEN } from '../kit/service.ts';
import { listenToPostgres, ofCalls } from '../kit/wire-statements.ts';

const page = readFileSync('docs/scaling.md', 'utf8');
const constructs = readFileSync('docs/decisions/distributed-databases.md', 'utf8');

/** The words of SQL that stand for each construct of the decision's table, by the beginning of its row. */
const CONSTRUCTS: readonly (readonly [row: string, words: string])[] = [
  [
    'plain SQL',
    'select insert update delete from into values set where and or not in is null as on by order asc desc',
  ],
  [
    'plain SQL',
    'nulls first last limit offset join inner left cross union all case when then else end cast exists group',
  ],
  ['plain SQL', 'having count coalesce distinct sum max min'],
  ['`lateral`', 'lateral'],
  ['`for update`', 'for skip locked'],
  ['`on conflict`', 'conflict do nothing excluded returning'],
  ['`with`', 'with over partition row_number'],
  ['advisory locks', 'pg_advisory_xact_lock'],
  ['arrays', 'any array text unnest'],
  [
    'partitions',
    'like including all alter attach to drop pg_inherits pg_class to_regclass inhrelid inhparent oid relname range of',
  ],
  ['`lock table', 'lock table access exclusive mode nowait'],
  ['`tsvector`', 'array_to_tsvector string_to_array tsquery'],
  ['`truncate`', 'truncate'],
  ['limits of the session', 'begin commit rollback local statement_timeout lock_timeout'],
  [
    'limits of the session',
    'idle_in_transaction_session_timeout isolation level repeatable read only',
  ],
  ['`pg_backend_pid`', 'pg_backend_pid'],
  ['`collate "C"`', 'create if primary key bigint smallint integer collate'],
  [
    '`current_setting`',
    'current_setting octet_length generate_series repeat strpos substr hashtextextended',
  ],
];

/** Names of tables, columns and results that stand in written-out SQL without quotes. */
const NAMES = [
  'durability due_at encoding entries event_id events found give_up_at held_at id is_icon key kind',
  'moved name outbox pid place placed placed_id read_only removed_at record_search rowid',
  'search_changes search_records search_slices slice seq state store_room terms total type visibility',
  'webhook_deliveries webhook_id day',
  'adverts articles images reports reviews tokens users',
  'blocked_at closed_at deleted_at registered revoked_at status',
].join(' ');

/** Of what these make, later operations use up some with every call. */
const MAKERS = new Set(['InsertArticle', 'InsertArticleImageFile', 'CreateVerifyCode']);

const known = new Set(
  [...CONSTRUCTS.map(([, words]) => words), NAMES].flatMap((words) => words.split(' ')),
);

describe('docs/scaling.md', () => {
  it('knows every word of SQL that the service sends', async (t) => {
    const statements = await recordStatements(t, await freshDatabase('postgres', t));
    assert.ok(statements.size > 120, `${statements.size} statements`);
    for (const statement of statements) {
      const bare = statement.replaceAll(/'[^']*'|"[^"]*"/g, ' ').toLowerCase();
      const strange = (bare.match(/[a-z_]{2,}/g) ?? []).filter((word) => !known.has(word));
      assert.deepEqual(strange, [], `give its construct a row of the table: ${statement}`);
    }
  });

  it('knows of each construct how other engines have it', () => {
    const rows = constructs.split('\n').filter((line) => line.startsWith('| '));
    for (const [row] of CONSTRUCTS) {
      const found = rows.filter((line) => line.slice(2).startsWith(row));
      assert.equal(found.length, 1, row);
      const cells = found[0]!.split(' | ').slice(1);
      assert.equal(cells.length, 3);
      for (const cell of cells)
        assert.match(cell, /\[[CPYLRSGH]\]|not found in the documentation/, row);
    }
  });

  it('says how often each operation waits for PostgreSQL', async (t) => {
    const database = await freshDatabase('postgres', t);
    const url = new URL(database.databaseUrl!);
    const wire = await listenToPostgres(t, Number(url.port));
    url.port = String(wire.port);
    const service = await startService(t, { ...database, databaseUrl: url.href });
    const [soap11] = TEST_BINDINGS;
    assert.deepEqual(
      Object.keys(OPERATION_CALLS).toSorted(),
      WS01.operations.map(({ name }) => name).toSorted(),
    );
    for (const [name, paramsOf] of Object.entries(OPERATION_CALLS)) {
      const trips: number[] = [];
      // The fewest of several: some calls find more to do, such as a connection to make; where calls are
      // seconds apart, each asks for its token anew.
      const isSaid = (count: number) =>
        new RegExp(`^\\| .*\\b${name}\\b.* \\| ${count} \\|`, 'm').test(page);
      const makes = MAKERS.has(name);
      const goesOn = (n: number) =>
        n <= 5 || (n <= 25 && makes) || (n <= 100 && !isSaid(Math.min(...trips)));
      for (let n = 1; goesOn(n); n++) {
        const before = wire.flights.length;
        const { code, body } = await soap11!.call(service.url, name, paramsOf(n));
        assert.equal(code, undefined, body);
        trips.push(ofCalls(wire.flights.slice(before)).length);
      }
      const fewest = Math.min(...trips);
      t.diagnostic(`${name}: ${fewest}`);
      assert.match(
        page,
        new RegExp(`^\\| .*\\b${name}\\b.* \\| ${fewest} \\|`, 'm'),
        `${name}: ${fewest} round trips`,
      );
    }
  });

  it('says how many requests a picture makes to the bucket', async (t) => {
    const { endpoint, bucket } = await startS3(t);
    const asked: string[] = [];
    const gate = await startS3Gate(t, endpoint, ({ method, url }) => {
      // Soon after its start the service looks whose the bucket is, whatever is asked for meanwhile.
      if (!/ready-probe|list-type|database-id/.test(url!)) asked.push(method!);
      return true;
    });
    const FILES_URL = `s3://${bucket}/p?endpoint=${encodeURIComponent(gate)}`;
    const service = await startService(t, await freshDatabase('sqlite', t), { FILES_URL });
    const [soap11, , get] = TEST_BINDINGS;
    const upload = {
      verifyCode: TOKEN,
      FileGuid: 'one',
      FileImg: blackPng(300, 200).toString('base64'),
    };
    /** Begins a row of the page. */
    const steps: readonly [row: string, step: () => Promise<unknown>][] = [
      [
        'upload of a new picture',
        () => soap11!.call(service.url, 'InsertArticleImageFile', upload),
      ],
      [
        'the same bytes again, or under another key',
        () => soap11!.call(service.url, 'InsertArticleImageFile', { ...upload, FileGuid: 'two' }),
      ],
      [
        'view of a picture or its icon',
        async () => {
          const [{ url }] = JSON.parse(
            (await get!.call(service.url, 'QueryImgData', {})).result!,
          ).items;
          asked.length = 0;
          const { status } = await fetch(url);
          assert.equal(status, 200);
        },
      ],
      [
        'first view of a width',
        async () => {
          const [{ url }] = JSON.parse(
            (await get!.call(service.url, 'QueryImgData', {})).result!,
          ).items;
          asked.length = 0;
          assert.equal((await fetch(`${url}?w=320`)).status, 200);
        },
      ],
      [
        'deletion of the last image with these bytes',
        async () => {
          for (const FileGuid of ['one', 'two']) {
            await soap11!.call(service.url, 'DeleImgById', { verifyCode: TOKEN, FileGuid });
          }
        },
      ],
    ];
    for (const [row, step] of steps) {
      asked.length = 0;
      await step();
      const made = [...Map.groupBy(asked, (method) => method)].map(
        ([method, { length }]) => `${length} ${method}`,
      );
      t.diagnostic(`${row}: ${made.join(', ')}`);
      assert.ok(
        page.includes(`| ${row} | ${made.toSorted().join(', ') || 'none'} |`),
        `${row}: ${made.toSorted().join(', ')}`,
      );
    }
  });
});
