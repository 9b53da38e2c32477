import assert from 'node:assert/strict';
import { chown, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, type TestContext, test } from 'node:test';
import { temporaryFolder } from '../../../../packages/asmx/test/kit/folder.ts';
import { freePort } from '../../../../packages/asmx/test/kit/listen.ts';
import { passLimits } from '../../../../packages/asmx/test/kit/steered-time.ts';
import { SQLITE_FILE } from '../../src/store/sqlite/file.ts';
import type { Engine } from '../../src/store/store.ts';
import { type CommandResult, type Place, ws01 } from '../kit/command.ts';
import { emptyDatabase, forBothEngines, freshDatabase } from '../kit/database.ts';
import { earlierDatabase } from '../kit/earlier-database.ts';
import { runOnce } from '../kit/operator.ts';

/** Commands that open the database: of each group some that read and some that write. FOLDER is a new one. */
const COMMANDS = [
  ...['token list', 'token create', 'token revoke x', 'token rotate x'],
  ...['user list', 'user add ada', 'user show ada', 'link list'],
  ...['mail list', 'mail show x', 'mail cancel --state queued', 'mail suppress list'],
  ...['sms list', 'sms off', 'webhook list', 'admin list', 'admin reset ada'],
  ...['db check', 'db size', 'db optimize', 'files trash', 'files adopt', 'audit list'],
  ...['backup FOLDER/backup', 'purge', 'export FOLDER/export', 'import FOLDER'],
] as const;

/** What a database may be, and what every command then says in one line. */
interface Ground {
  /** Where there is no such ground on an engine, `undefined`. */
  readonly make: (engine: Engine, t: TestContext) => Promise<Place> | undefined;
  readonly says: RegExp;
  /** Commands that say another thing, or work. */
  readonly but?: readonly string[];
  readonly only?: readonly string[];
  /** Whether commands wait for it. */
  readonly isWaitedFor?: boolean;
}

/** Runs a command; has the time pass that it waits for. */
async function runWaiting(place: Place, args: readonly string[]): Promise<CommandResult> {
  const passing = setInterval(passLimits, 200, 300);
  try {
    return await ws01(place, args);
  } finally {
    clearInterval(passing);
  }
}

const onlyOf =
  (engine: Engine, make: (t: TestContext) => Promise<Place>): Ground['make'] =>
  (asked, t) =>
    asked === engine ? make(t) : undefined;

async function runSql({ dataDir, databaseUrl }: Place, statements: string): Promise<Place> {
  if (databaseUrl === undefined) {
    const database = new DatabaseSync(join(dataDir, SQLITE_FILE));
    database.exec(statements);
    database.close();
  } else {
    await runOnce(databaseUrl, statements);
  }
  return { dataDir, databaseUrl };
}

/** The URL of a database with something else in it. */
async function urlWith(t: TestContext, change: (url: URL) => unknown): Promise<Place> {
  const { dataDir, databaseUrl } = await emptyDatabase('postgres', t);
  const url = new URL(databaseUrl!);
  await change(url);
  return { dataDir, databaseUrl: url.href };
}

async function fileWith(t: TestContext, spoil: (file: string) => Promise<void>): Promise<Place> {
  const { dataDir } = await freshDatabase('sqlite', t);
  await spoil(join(dataDir, SQLITE_FILE));
  return { dataDir, databaseUrl: undefined };
}

const GROUNDS: Readonly<Record<string, Ground>> = {
  'without a table': {
    make: async (engine, t) => runSql(await emptyDatabase(engine, t), 'select 1'),
    says: /^The database has no tables yet; .*run ws01 migrate/,
  },
  'of version 0.2.0': {
    make: (engine, t) => earlierDatabase(engine, t),
    says: /^The database is older than this version, by \d+ changes of the schema; .*run ws01 migrate\.$/,
    but: ['backup FOLDER/backup'],
  },
  'of a later version': {
    make: async (engine, t) =>
      runSql(
        await freshDatabase(engine, t),
        "insert into schema_migrations (name, applied_at) values ('9999_contract_x', 1)",
      ),
    says: /^The database has the schema change 9999_contract_x, .*start the version that made it/,
    but: ['backup FOLDER/backup'],
  },
  'of another program': {
    make: async (engine, t) =>
      runSql(await emptyDatabase(engine, t), 'create table articles (headline integer)'),
    says: /^The database is of another program: it has a table articles.* set DATABASE_URL or /,
  },
  'that is not there': {
    make: (engine, t) =>
      engine === 'sqlite'
        ? emptyDatabase(engine, t)
        : urlWith(t, (url) => {
            url.pathname = '/nosuch';
          }),
    says: /^(There is no database .* set DATA_DIR|PostgreSQL at .*"nosuch" does not exist; correct)/,
    but: ['import FOLDER'],
  },
  'whose server is away': {
    make: onlyOf('postgres', (t) =>
      urlWith(t, async (url) => {
        url.port = String(await freePort());
      }),
    ),
    says: /^PostgreSQL (at .* )?cannot be reached.*ECONNREFUSED[^;]*; start the server, or correct DATABASE_URL\.$/,
    isWaitedFor: true,
    only: ['token list', 'sms off', 'backup FOLDER/backup', 'export FOLDER/export'],
  },
  'that does not know the user': {
    make: onlyOf('postgres', (t) =>
      urlWith(t, (url) => {
        url.username = 'nosuch';
        url.password = 'wrong-secret';
      }),
    ),
    says: /^PostgreSQL at .* refuses: .*"nosuch".*; correct DATABASE_URL\.$/,
  },
  'whose file is none of SQLite’s': {
    make: onlyOf('sqlite', (t) =>
      fileWith(t, (file) => writeFile(file, 'no database'.repeat(1_000))),
    ),
    says: /^The database file in DATA_DIR is none of SQLite, or its beginning is damaged; .*ws01 restore\.$/,
  },
  'whose file was cut': {
    make: onlyOf('sqlite', (t) => fileWith(t, (file) => truncate(file, 20_000))),
    says: /^The database file in DATA_DIR is damaged; .*ws01 restore\.$/,
  },
  'of another user': {
    make: onlyOf('sqlite', (t) => fileWith(t, (file) => chown(file, 12_345, 12_345))),
    says: /belongs to the user with the id 12345.*Run the command as that user/,
  },
};

forBothEngines((engine) => {
  describe('each command says in one line what to do with a database', () => {
    for (const [what, { make, says, but = [], only = COMMANDS, isWaitedFor }] of Object.entries(
      GROUNDS,
    )) {
      test(what, async (t) => {
        const place = await make(engine, t);
        if (place === undefined || (what === 'of another user' && process.geteuid?.() !== 0))
          return;
        const folder = await temporaryFolder(t, 'ws01-bad-');
        await writeFile(join(folder, 'users.csv'), 'id\nada\n');
        for (const command of only) {
          const args = command.replace('FOLDER', folder).split(' ');
          const { code, stderr } = await (isWaitedFor ? runWaiting : ws01)(place, args);
          const about = `${command}: ${stderr}`;
          assert.doesNotMatch(stderr, /^ {2,}at |wrong-secret/m, about);
          if (but.includes(command)) continue;
          const told = stderr.split('\n').filter((line) => /^ws01: /.test(line));
          assert.deepEqual([code === 0, told.length], [false, 1], about);
          assert.match(told[0]!.slice('ws01: '.length), says, about);
          const others = stderr
            .split('\n')
            .filter((line) => !/^ws01: |Trying again\.$|^$/.test(line));
          assert.deepEqual(others, [], about);
        }
      });
    }
  });
});
