import assert from 'node:assert/strict';
import { it } from 'node:test';
import { type CompiledQuery, sql } from 'kysely';
import { BY_NIGHT } from '../../../../packages/asmx/test/kit/lane.ts';
import { writeCursor } from '../../src/api/cursor.ts';
import { indexRecords } from '../../src/domain/search/indexing.ts';
import { firstKeyAt } from '../../src/records/conditions.ts';
import type { Store } from '../../src/store/store.ts';
import { COUNT_STEPS, LATENCY_BOUNDS } from '../../src/store/tables/tables.ts';
import { apiOf, askAsOwner, OWNER } from '../kit/api.ts';
import { stopWall } from '../kit/clock.ts';
import { forBothEngines } from '../kit/database.ts';
import { type ListsDocument, pairsOf, queriesOf } from '../kit/list-queries.ts';
import { explain, recordQueries } from '../kit/recorded-queries.ts';

/**
 * Legal holds are set by hand, and few: users are found by them, and sorted then. What an index of
 * words finds is counted before it is sorted, and sorted only up to a number.
 */
const FEW = ['legal_holds', 'record_search'];

/** Cursors of every form that the order of a path can have, of which it takes a few. */
function cursorsOf(path: string): readonly string[] {
  const sort = /[?&]sort=([^&]+)/.exec(path)?.[1];
  const sorts = sort === undefined ? ['created', '-created', 'address', 'name'] : [sort];
  const places = [['x'], [1], [1, 'x'], ['x', 'x'], ['x', 1, 'x'], []];
  return sorts
    .flatMap((one) => [one, `~${one}`, `${one}?`])
    .flatMap((order) => places.map((place) => writeCursor(order, place)));
}

/**
 * Whether an engine does what costs more the longer the list is: it sorts, sifts, joins whole tables, or goes through one, or
 * through an index of all of it where there is a condition to find its rows by.
 * @param partial the indexes that have a condition themselves.
 */
function isCostly(
  engine: Store['engine'],
  plan: readonly string[],
  query: string,
  partial: ReadonlySet<string>,
) {
  const isNarrowed = / where (?!coalesce)/.test(withoutParentheses(query));
  const scans = engine === 'sqlite' ? scansOfSqlite(plan) : scansOfPostgres(plan);
  const sorts = plan.some((line) =>
    engine === 'sqlite'
      ? line.includes('TEMP B-TREE')
      : /^\s*(->\s*)?(Sort(?! Key)|(Merge|Hash) (\w+ )?Join)/.test(line),
  );
  // What no index applies stands in a `coalesce`, and is looked for among a bounded number of rows. Subqueries find one row.
  const subqueries = plan.findIndex((line) => line.includes('SubPlan'));
  const ofRows = subqueries === -1 ? plan : plan.slice(0, subqueries);
  const sifts = ofRows.some((line) => /^\s*Filter: (?!\(*COALESCE\()/.test(line));
  return (
    sorts ||
    sifts ||
    (isNarrowed && scans.some((index) => index === undefined || !partial.has(index)))
  );
}

/** A query without its subqueries and the values of functions. */
function withoutParentheses(query: string): string {
  const outer = query.replaceAll(/\([^()]*\)/g, '');
  return outer === query ? query : withoutParentheses(outer);
}

/**
 * The indexes that a plan goes through from end to end; `undefined` for a table. What a subquery has
 * read is gone through as well.
 */
function scansOfSqlite(plan: readonly string[]): (string | undefined)[] {
  const inner = new Set(plan.map((line) => /^(?:CO-ROUTINE|MATERIALIZE) (\w+)$/.exec(line)?.[1]));
  const scans = plan
    .filter((line) => !inner.has(/^SCAN (\w+)$/.exec(line)?.[1] ?? ''))
    .map((line) => /^SCAN \w+( USING (?:COVERING )?INDEX (\w+))?$/.exec(line));
  return scans.filter((scan) => scan !== null).map((scan) => scan[2]);
}

function scansOfPostgres(plan: readonly string[]): (string | undefined)[] {
  const nodes = plan.join('\n').split('->');
  return nodes
    .filter(
      (node) =>
        / Scan /.test(node) && !/Index Cond|Function Scan|CTE Scan|Subquery Scan/.test(node),
    )
    .map((node) => /Scan (?:Backward )?using (\w+)/.exec(node)?.[1]);
}

async function partialIndexes(store: Store): Promise<ReadonlySet<string>> {
  const query =
    store.engine === 'sqlite'
      ? sql<{
          name: string;
        }>`select name from sqlite_master where type = 'index' and sql like '% where %'`
      : sql<{
          name: string;
        }>`select indexname as name from pg_indexes where indexdef like '% WHERE %'`;
  const { rows } = await store.read((db) => query.execute(db));
  return new Set(rows.map(({ name }) => name));
}

interface PageOfImages {
  readonly items: readonly { readonly fileGuid: string }[];
  readonly next: string | null;
  readonly total: number;
}

forBothEngines((engine, fresh) => {
  it('no list sorts or goes through a table, whatever it is asked by', async (t) => {
    const store = await (await fresh(t)).open();
    const { store: recording, queries } = recordQueries(store);
    const api = apiOf(recording);
    const ask = async (path: string) =>
      api.fetch(new Request(`http://localhost/api/v1${path}`), { principal: OWNER });
    const document = (await (await ask('/openapi.json')).json()) as ListsDocument;
    const paths = queriesOf(document);
    assert.ok(paths.length > 100);
    // By dates or in an order and by anything else: which index applies depends on both.
    const both = pairsOf(document).filter(
      (path) => /createdTo|sort/.test(path) && !/limit|createdFrom/.test(path),
    );
    assert.ok(both.length > 150);
    // By day half of them at each engine.
    const half = both.filter((_, at) => BY_NIGHT || at % 2 === Number(engine === 'postgres'));
    const partial = await partialIndexes(store);
    const costly = new Map<string, unknown>();
    const judged = new Set<string>();
    for (const [index, path] of [...paths, ...half].entries()) {
      // By day a third of them, the next path others.
      const some = cursorsOf(path).filter((_, form) => BY_NIGHT || (form + index) % 3 === 0);
      for (const cursor of ['', ...(half.includes(path) ? [] : some)]) {
        queries.clear();
        const { status } = await ask(cursor === '' ? path : `${path}&cursor=${cursor}`);
        if (cursor === '') assert.ok(status === 200 || status === 404, `${path}: ${status}`);
        if (status !== 200) continue;
        for (const query of queries.values()) {
          if (judged.has(query.sql) || FEW.some((name) => query.sql.includes(name))) continue;
          judged.add(query.sql);
          const plan = await planOf(store, query);
          if (isCostly(engine, plan, query.sql, partial)) costly.set(`${path} ${query.sql}`, plan);
        }
      }
    }
    assert.deepEqual([...costly], []);
  });
});

/** On PostgreSQL without rows: what it does where reading all and sorting is dear, as it is when there are many. */
async function planOf(store: Store, query: Parameters<typeof explain>[2]): Promise<string[]> {
  if (store.engine === 'sqlite') return store.read((db) => explain(db, 'sqlite', query));
  return store.write(async (tx) => {
    await sql`set local enable_seqscan = off`.execute(tx);
    await sql`set local enable_sort = off`.execute(tx);
    await sql`set local enable_bitmapscan = off`.execute(tx);
    return explain(tx, 'postgres', query);
  });
}

/** The rows that PostgreSQL read for a query: those that a scan gave, and those that it threw away. */
async function rowsReadBy(store: Store, { sql: text, parameters }: CompiledQuery): Promise<number> {
  const lines = await store.read(async (db) => {
    const explained = {
      ...sql`select 1`.compile(db),
      sql: `explain (analyze) ${text}`,
      parameters,
    };
    const { rows } = await db.getExecutor().executeQuery<Record<string, string>>(explained);
    return rows.map((row) => Object.values(row)[0]!);
  });
  let read = 0;
  let isScan = false;
  for (const line of lines) {
    const [, rows, loops] = /actual .*rows=([\d.]+) loops=(\d+)/.exec(line) ?? [];
    if (rows !== undefined) isScan = / Scan /.test(line) && !/Subquery|Bitmap Index/.test(line);
    if (rows !== undefined && isScan) read += Number(rows) * Number(loops);
    if (isScan) read += Number(/Rows Removed by Filter: (\d+)/.exec(line)?.[1] ?? 0);
  }
  return read;
}

forBothEngines((engine, fresh) => {
  it('the steps of the codes of a number are found without going through all steps', async (t) => {
    const store = await (await fresh(t)).open();
    // What SQLite plans does not depend on the rows.
    const length = engine === 'postgres' ? 8_000 : 200;
    const numbers = Array.from({ length }, (_, at) => at);
    const rows = numbers.map((at) => ({
      ...{ id: firstKeyAt(Date.UTC(2026, 0, 1) + at * 1_000), at, action: 'code.create' },
      ...{ target_kind: 'user', target_key: `user-${at % 20}`, details: '{}' },
      request_id: `request-${at % 20}`,
    }));
    const texts = numbers.slice(0, 200).map((at) => ({
      ...{ id: `text-${at}`, user_id: `user-${at}`, phone: '+12125550100', key_id: 1 },
      ...{ expires_at: at, created_at: at, request_id: `request-${at}` },
    }));
    for (let first = 0; first < rows.length; first += 1_000)
      await store.write(async (tx) => {
        await tx
          .insertInto('audit')
          .values(rows.slice(first, first + 1_000))
          .execute();
      });
    await store.write(async (tx) => {
      await tx.insertInto('sms').values(texts).execute();
      if (engine === 'postgres') await sql`analyze`.execute(tx);
    });
    const { store: recording, queries } = recordQueries(store);
    for (const number of ['500000', '%2B12125550100']) {
      queries.clear();
      await askAsOwner(recording, `/search?q=${number}`);
      const ofCodes = [...queries.values()].filter(({ sql }) => sql.includes(`'code.'`));
      assert.ok(ofCodes.length >= 3);
      for (const query of ofCodes) {
        if (engine === 'sqlite') {
          const plan = await planOf(store, query);
          assert.ok(!plan.some((line) => line.includes('audit_codes')), plan.join('\n'));
        } else {
          const read = await rowsReadBy(store, query);
          assert.ok(read < 2_000, `${read} rows of ${number}: ${query.sql}`);
        }
      }
    }
  });
});

/** Adds images with one file past the service. */
async function addImages(
  store: Store,
  images: readonly (Readonly<{ guid: string; created_at: number }> & object)[],
): Promise<void> {
  const file = { hash: 'h', stored_as: 'h', width: 1, height: 1, frames: 1 };
  const same = {
    ...{ hash: 'h', bytes: 1, category: 'Flat', category_order: '' },
    ...{ is_icon: 0 as const, search_text: '', updated_at: 1 },
  };
  await store.write(async (tx) => {
    await tx
      .insertInto('image_files')
      .values({ ...file, format: 'jpeg', bytes: 1, stored_at: 1 })
      .execute();
    for (let first = 0; first < images.length; first += 500)
      await tx
        .insertInto('images')
        .values(images.slice(first, first + 500).map((image) => ({ ...same, ...image })))
        .execute();
    if (store.engine === 'postgres') await sql`analyze`.execute(tx);
  });
}

forBothEngines((_engine, fresh) => {
  it('images of some days are found by an index of their times, and counted', async (t) => {
    const store = await (await fresh(t)).open();
    // As an import may add them: the newest first.
    await addImages(
      store,
      Array.from({ length: 30 }, (_, at) => ({
        guid: `i-${String(at).padStart(2, '0')}`,
        created_at: Date.UTC(2026, 0, 30 - at),
      })),
    );
    const { store: recording, queries } = recordQueries(store);
    const days = 'createdFrom=2026-01-11T00:00:00Z&createdTo=2026-01-16T00:00:00Z';
    for (const sort of ['created', '-created']) {
      const keys: string[] = [];
      for (let next: string | null = ''; next !== null; ) {
        const query = `${days}&sort=${sort}&limit=2&total=true${next && `&cursor=${next}`}`;
        const page: PageOfImages = await askAsOwner(recording, `/images?${query}`);
        assert.equal(page.total, 5);
        keys.push(...page.items.map(({ fileGuid }) => fileGuid));
        next = page.next;
      }
      const inTime = ['i-19', 'i-18', 'i-17', 'i-16', 'i-15'];
      assert.deepEqual(keys, sort === 'created' ? inTime : inTime.toReversed());
    }
    const asked = [...queries.values()].filter(({ sql }) => /from images\b/.test(sql));
    assert.ok(asked.length > 0);
    for (const query of asked) {
      const plan = (await planOf(store, query)).join('\n');
      assert.match(plan, /images_by_time/, plan);
      // Of two conditions at one end SQLite takes any, and reads what the other excludes.
      const ends = [...query.sql.matchAll(/images\.created_at(?:, images\.guid\))? ([<>])/g)];
      assert.ok(ends.length > 0);
      assert.equal(new Set(ends.map(([, end]) => end)).size, ends.length, query.sql);
    }
  });
});

forBothEngines((_engine, fresh) => {
  it('no file is looked up for each image that words find, only for those of the page', async (t) => {
    const store = await (await fresh(t)).open();
    const images = Array.from({ length: 300 }, (_, at) => ({
      guid: `i-${at}`,
      created_at: at,
      category: at % 50 === 0 ? 'Attic' : 'Flat',
    }));
    await addImages(store, images);
    await indexRecords(store);
    const { store: recording, queries } = recordQueries(store);
    const principal = { kind: 'admin', name: 'test', role: 'owner', id: '1' } as const;
    const query = 'q=attic&state=published&createdTo=1970-01-01T00:00:00.200Z&sort=created&limit=2';
    const request = new Request(`http://localhost/api/v1/images?${query}`);
    const answer = await apiOf(recording).fetch(request, { principal });
    const { items } = (await answer.json()) as { items: { fileGuid: string }[] };
    assert.deepEqual(
      items.map(({ fileGuid }) => fileGuid),
      ['i-0', 'i-50'],
    );
    const asked = [...queries.values()].filter(({ sql }) => sql.includes(' as found_key'));
    assert.ok(asked.length > 0);
    for (const { sql: text } of asked) assert.doesNotMatch(text, /image_files/);
  });
});

forBothEngines((_engine, fresh) => {
  it('of two filters that one leads which leaves few rows, and pages are those of a plain scan', async (t) => {
    const store = await (await fresh(t)).open();
    const images = Array.from({ length: 1_000 }, (_, at) => ({
      guid: `i-${at}`,
      created_at: at % 300,
      owner: at % 3 === 0 ? 'ada' : 'heavy',
      link_guid: at % 100 === 0 ? 'flat' : 'house',
      removed_at: at % 125 === 0 ? 1 : null,
    }));
    await addImages(store, images);
    const { store: recording, queries } = recordQueries(store);
    const api = apiOf(recording);
    const principal = { kind: 'admin', name: 'test', role: 'owner', id: '1' } as const;
    const pagesOf = async (query: string) => {
      const keys: string[] = [];
      for (let next: string | null = ''; next !== null; ) {
        const url = `http://localhost/api/v1/images?limit=25&${query}${next && `&cursor=${next}`}`;
        const answer = await api.fetch(new Request(url), { principal });
        const page = (await answer.json()) as {
          items: { fileGuid: string }[];
          next: string | null;
        };
        keys.push(...page.items.map(({ fileGuid }) => fileGuid));
        next = page.next;
      }
      return keys;
    };
    const byTime = images.toSorted(
      (one, other) => one.created_at - other.created_at || (one.guid < other.guid ? -1 : 1),
    );
    for (const owner of ['ada', 'heavy', 'nobody'])
      for (const link of ['flat', 'house', 'none', undefined])
        for (const isRemoved of [true, false]) {
          queries.clear();
          const query = [
            `sort=created&owner=${owner}`,
            link === undefined ? '' : `&linkGuid=${link}`,
            isRemoved ? '&state=removed' : '',
          ].join('');
          const met = byTime.filter(
            (image) =>
              image.owner === owner &&
              (link === undefined || image.link_guid === link) &&
              (!isRemoved || image.removed_at !== null),
          );
          assert.deepEqual(
            await pagesOf(query),
            met.map(({ guid }) => guid),
            query,
          );
          const isLed = link === 'flat' || link === 'none';
          if (owner !== 'heavy' || isLed || !isRemoved) continue;
          const pages = [...queries.values()].filter(({ sql }) => sql.includes('cross join'));
          assert.ok(pages.length > 0);
          for (const page of pages) assert.match(page.sql, /where images\.removed_at is not null/);
        }
  });
});

forBothEngines((engine, fresh) => {
  it('an act on everything of a user goes on where its last transaction ended', async (t) => {
    const store = await (await fresh(t)).open();
    const reviews = Array.from({ length: 250 }, (_, at) => ({
      ...{ id: `r-${at}`, subject: `s-${at}`, voter: 'user:mallory', ip: '' },
      ...{ created_at: at, updated_at: at },
    }));
    await store.write(async (tx) => {
      await tx
        .insertInto('users')
        .values({ id: 'mallory', registered: 0, created_at: 1, updated_at: 1 })
        .execute();
      await tx.insertInto('reviews').values(reviews).execute();
    });
    const { store: recording, queries } = recordQueries(store);
    for (const [verb, table] of [
      ['takedown', 'reviews'],
      ['putback', 'audit'],
    ] as const) {
      queries.clear();
      const told = await askAsOwner<object>(recording, `/users/mallory/${verb}`, { body: {} });
      assert.partialDeepStrictEqual(told, { changed: true, records: { review: 250 } });
      const asked = [...queries.values()].filter(({ sql }) => / as key, .* limit /s.test(sql));
      // One of each kind, and that which goes on.
      assert.ok(asked.length > 4, String(asked.length));
      for (const query of asked) {
        const plan = (await planOf(store, query)).join('\n');
        assert.doesNotMatch(plan, /TEMP B-TREE|Sort/, plan);
        // Not the same rows again, of which none is left.
        const goesOn = engine === 'sqlite' ? /=\? AND id>\?/ : /Index Cond: .*\bid > /;
        if (query.sql.includes(') > (')) assert.match(plan, goesOn, `${table}\n${plan}`);
      }
      assert.ok(asked.some(({ sql }) => sql.includes(') > (') && sql.includes(table)));
    }
  });
});

forBothEngines((engine, fresh) => {
  it('a report of the history reads the rows of its times, not all of longer and shorter steps', async (t) => {
    stopWall(t);
    const store = await (await fresh(t)).open();
    if (engine === 'postgres')
      await store.write(async (tx) => {
        for (const [step, count] of [
          ['minute', 4_320],
          ['hour', 2_160],
        ] as const) {
          const length = COUNT_STEPS[step];
          const last = Date.now() - (Date.now() % length);
          const at = sql`${last}::bigint - time::bigint * ${length}`;
          await sql`insert into call_counts select ${step}, ${at}, 'A', 'json', 'E' || error,
            1, 1, ${sql.join(LATENCY_BOUNDS.map(() => sql`1`))}, 1
            from generate_series(0, ${count}::int - 1) as time, generate_series(1, 10) as error`.execute(
            tx,
          );
        }
        await sql`analyze`.execute(tx);
      });
    const { store: recording, queries } = recordQueries(store);
    const { errors } = await askAsOwner<{ errors: { calls: number }[] }>(
      recording,
      '/history?range=7d',
    );
    assert.deepEqual(
      errors.map(({ calls }) => calls),
      engine === 'postgres' ? Array<number>(10).fill(168) : [],
    );
    const asked = [...queries.values()].filter(({ sql }) => sql.includes('call_counts'));
    assert.equal(asked.length, 2);
    for (const query of asked)
      if (engine === 'postgres') assert.equal(await rowsReadBy(store, query), 1_680);
      else assert.match((await planOf(store, query))[0]!, /^SEARCH .*step=\? AND at=\?/);
  });
});
