import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, it, test } from 'node:test';
import { sql } from 'kysely';
import pg from 'pg';
import { changes, RELEASED } from '../../src/store/schema/changes.ts';
import { SQLITE_FILE } from '../../src/store/sqlite/file.ts';
import { ws01 } from '../kit/command.ts';
import { forBothEngines, type TestDatabase } from '../kit/database.ts';
import { earlierDatabase } from '../kit/earlier-database.ts';

/**
 * What a release asked its database, recorded from the wire while `drive` called every operation. Each release adds its
 * own: `node --conditions=ws01-source apps/ws01/scripts/record-statements.ts VERSION`.
 */
interface Release {
  readonly version: string;
  readonly migrations: readonly string[];
  readonly sqlite: readonly string[];
  readonly postgres: readonly string[];
}

const FOLDER = join(import.meta.dirname, 'earlier-releases');
const releases = globSync('*.json', { cwd: FOLDER }).map(
  (file) => JSON.parse(readFileSync(join(FOLDER, file), 'utf8')) as Release,
);

const CHANGES_ROWS = /^\s*(select|insert|update|delete|with)\b/i;

/** A way to try a statement without running it, and the columns of a table that a new row must have. */
interface Tried {
  try(statement: string): Promise<void>;
  required(table: string): Promise<readonly string[]>;
}

async function onPostgres(database: TestDatabase): Promise<Tried & { end(): Promise<void> }> {
  const client = new pg.Client({ connectionString: database.databaseUrl! });
  await client.connect();
  let prepared = 0;
  return {
    end: () => client.end(),
    try: async (statement) => void (await client.query(`prepare p${prepared++} as ${statement}`)),
    required: async (table) => {
      const { rows } = await client.query(
        `select column_name as name from information_schema.columns where table_schema = 'public' and table_name = $1
         and is_nullable = 'NO' and column_default is null and is_identity = 'NO' and is_generated = 'NEVER'`,
        [table],
      );
      return rows.map(({ name }) => name);
    },
  };
}

function onSqlite({ dataDir }: TestDatabase): Tried & { end(): Promise<void> } {
  const database = new DatabaseSync(join(dataDir, SQLITE_FILE));
  return {
    end: async () => database.close(),
    try: async (statement) => void database.prepare(statement),
    required: async (table) =>
      (
        database.prepare(`pragma table_info("${table}")`).all() as {
          name: string;
          type: string;
          notnull: number;
          dflt_value: unknown;
          pk: number;
        }[]
      )
        .filter(
          ({ notnull, dflt_value, pk, type }) =>
            notnull === 1 && dflt_value === null && !(pk === 1 && type === 'INTEGER'),
        )
        .map(({ name }) => name),
  };
}

for (const release of releases) {
  describe(`beside nodes of ${release.version}`, () => beside(release));
}

function beside(release: Release): void {
  forBothEngines((engine) => {
    it('the present schema understands every statement of that release, and takes its new rows', async (t) => {
      const database = await earlierDatabase(engine, t);
      await (await database.open()).check();
      const tried = engine === 'postgres' ? await onPostgres(database) : onSqlite(database);
      const statements = release[engine].filter((statement) => CHANGES_ROWS.test(statement));
      assert.ok(statements.length > 100, `${statements.length} statements`);
      let inserts = 0;
      try {
        for (const statement of statements) {
          await tried
            .try(statement)
            .catch((error) => assert.fail(`${error.message}: ${statement}`));
          const [, table, columns] =
            /insert(?: or \w+)? into "(\w+)" \(([^)]*)\)/.exec(statement) ?? [];
          if (table === undefined) continue;
          inserts++;
          const given = new Set(
            columns!.split(',').map((column) => column.trim().replaceAll('"', '')),
          );
          const missed = (await tried.required(table)).filter((column) => !given.has(column));
          // A trigger or the search index of SQLite may fill what the row leaves out.
          assert.deepEqual(missed, [], `${table} needs ${missed.join()} of: ${statement}`);
        }
      } finally {
        await tried.end();
      }
      assert.ok(inserts > 15, `${inserts} inserts`);
    });
  });

  it('its schema is the beginning of the present one, which takes nothing away from it', () => {
    const names = [...RELEASED, ...changes.map(({ name }) => name)];
    assert.deepEqual(names.slice(0, release.migrations.length), release.migrations);
    const later = names.slice(release.migrations.length);
    assert.deepEqual(
      later.filter((name) => /^\d{4}_contract_/.test(name)),
      [],
      `what ${release.version} uses goes one release later; its file is deleted then`,
    );
  });
}

forBothEngines((_, fresh) => {
  test('ws01 db check takes what a later release has added for no damage, and tells what somebody else has', async (t) => {
    const database = await fresh(t);
    const store = await database.open();
    await store.write((tx) => sql`create index later_one on articles (caption)`.execute(tx));
    const changed = await ws01(database, ['db', 'check']);
    assert.deepEqual(
      [changed.code, changed.stdout, changed.stderr],
      [
        1,
        'the index later_one of articles is not ours\n',
        'ws01: Nothing is damaged, but somebody has added to the schema; drop that before an upgrade that asks for it.\n',
      ],
    );
    await store.write((tx) =>
      sql`insert into schema_migrations (name, applied_at) values ('9999_later', 1)`.execute(tx),
    );
    const later = await ws01(database, ['db', 'check']);
    assert.deepEqual([later.code, later.stderr], [0, '']);
  });
});
