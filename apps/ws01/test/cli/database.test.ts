import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmod, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, test } from 'node:test';
import { temporaryFolder } from '../../../../packages/asmx/test/kit/folder.ts';
import { addEnvironmentFile } from '../../src/config/environment.ts';
import { changes, RELEASED } from '../../src/store/schema/changes.ts';
import { ws01 } from '../kit/command.ts';
import { spawnWs01 } from '../kit/command-process.ts';
import { forEachEngine, type TestDatabase } from '../kit/database.ts';
import { earlierDatabase } from '../kit/earlier-database.ts';
import { failedStart } from '../kit/failed-start.ts';

/** Commands that ask or change, none of which brings data. */
const GUESTS = [
  ['token', 'list'],
  ['token', 'create'],
  ['user', 'list'],
  ['mail', 'list'],
  ['audit', 'list'],
] as const;

/** The schema changes that a database has. */
async function changesOf(database: TestDatabase): Promise<string[]> {
  const { code, stdout, stderr } = await ws01(database, ['migrate', '--dry-run', '--json']);
  assert.equal(code, 0, stderr);
  return JSON.parse(stdout).applied;
}

/** Whom no permission is granted: to root everything is open. */
const NOBODY = process.geteuid?.() === 0 ? { uid: 12_345, gid: 12_345 } : {};

describe('a data folder that is not open to a user', () => {
  const checkout = spawnSync(process.execPath, ['-e', "fs.readFileSync('bin/ws01.js')"], NOBODY);
  test('is named, with who may not, by the service, its commands and the doctor', {
    skip: checkout.status === 0 ? false : 'this working copy itself is open to root alone',
  }, async (t) => {
    const dataDir = await temporaryFolder(t, 'ws01-database-');
    assert.equal((await ws01({ dataDir, databaseUrl: undefined }, ['migrate'])).code, 0);
    await chmod(dataDir, 0);
    const as = async (...args: string[]) => {
      const env = { PATH: process.env.PATH, DATA_DIR: dataDir, PORT: '0' };
      const child = spawn(process.execPath, ['bin/ws01.js', ...args], { ...NOBODY, env });
      t.after(() => child.kill('SIGKILL'));
      const [stdout, stderr, [code]] = await Promise.all([
        text(child.stdout),
        text(child.stderr),
        once(child, 'exit'),
      ]);
      return { stdout, stderr, code };
    };
    const refused = `ws01: The data folder ${dataDir} is not open to the user with the id ${NOBODY.uid ?? process.geteuid?.()}; run this as the user of the service, or give the folder to this one.\n`;
    try {
      for (const command of [['serve'], ['token', 'list'], ['migrate']]) {
        const { code, stderr } = await as(...command);
        assert.deepEqual([code, stderr], [78, refused], command.join(' '));
      }
      const { code, stdout } = await as('doctor');
      assert.equal(code, 1);
      assert.match(
        stdout,
        /\nFAIL {2}files .*EACCES\n[\s\S]*\nFAIL {2}database .*is not open to[\s\S]*\n- {5}dns /,
      );
    } finally {
      // Else it could not be removed.
      await chmod(dataDir, 0o700);
    }
  });
});

describe('in a folder without a database', () => {
  test('commands refuse, name the path and make nothing', async (t) => {
    const dataDir = join(await temporaryFolder(t, 'ws01-database-'), 'not', 'here');
    for (const args of [...GUESTS, ['migrate', '--dry-run']]) {
      const { code, stdout, stderr } = await ws01({ dataDir, databaseUrl: undefined }, args);
      assert.deepEqual([code === 0, stdout], [false, ''], args.join(' '));
      assert.ok(stderr.includes(`There is no database ${dataDir}/ws01.sqlite`), stderr);
    }
    await assert.rejects(readdir(dataDir), { code: 'ENOENT' });
  });

  test('migrate and import make one', async (t) => {
    const folder = await temporaryFolder(t, 'ws01-database-');
    const migrated = { dataDir: join(folder, 'a'), databaseUrl: undefined };
    assert.equal((await ws01(migrated, ['migrate'])).code, 0);
    assert.equal((await ws01(migrated, ['token', 'create'])).code, 0);
    const imported = { dataDir: join(folder, 'b'), databaseUrl: undefined };
    assert.equal((await ws01(imported, ['user', 'import', '-'], 'id\nada\n')).code, 0);
    assert.match((await ws01(imported, ['user', 'list'])).stdout, /ada/);
  });

  test('a folder that the system will not make is refused, and not tried for ever', async (t) => {
    const { code, told } = await failedStart(t, { dataDir: '/proc/ws01/data' } as TestDatabase);
    assert.equal(code, 78);
    assert.match(
      told,
      /^The data folder \/proc\/ws01\/data cannot be made; set DATA_DIR to [^\n]+$/,
    );
  });
});

forEachEngine((engine, fresh) => {
  test('only migrate and serve change the schema; the others refuse one that is not theirs', async (t) => {
    const database = await earlierDatabase(engine, t);
    for (const args of GUESTS) {
      const { code, stdout, stderr } = await ws01(database, args);
      assert.deepEqual([code, stdout], [1, ''], args.join(' '));
      assert.match(
        stderr,
        /is older than this version, by \d+ changes of the schema; .*run ws01 migrate/,
      );
    }
    assert.equal((await ws01(database, ['user', 'import', '-'], 'id\nada\n')).code, 1);
    assert.deepEqual(await changesOf(database), RELEASED);

    const dry = await ws01(database, ['migrate', '--dry-run']);
    const pending = changes.map(({ name }) => `${name}\n`).join('');
    assert.deepEqual([dry.code, dry.stdout], [0, pending]);
    assert.deepEqual(await changesOf(database), RELEASED);
    assert.equal((await ws01(database, ['migrate'])).code, 0);
    assert.match((await ws01(database, ['migrate'])).stderr, /up to date/);
    assert.equal((await ws01(database, ['token', 'list'])).code, 0);
  });

  test('a mistyped user is not made', async (t) => {
    const database = await fresh(t);
    await database.open();
    const refused = await ws01(database, ['token', 'create', '--user', 'ghost']);
    assert.deepEqual([refused.code, refused.stdout], [1, '']);
    assert.match(
      refused.stderr,
      /There is no user ghost\. Register it first \(ws01 user add ghost\), or give --new-user\./,
    );
    assert.doesNotMatch((await ws01(database, ['user', 'list', '--json'])).stdout, /ghost/);
    assert.equal(
      (await ws01(database, ['token', 'create', '--user', 'ghost', '--new-user'])).code,
      0,
    );
  });
});

describe('settings', () => {
  test('come from --env-file where the environment does not have them', async (t) => {
    const folder = await temporaryFolder(t, 'ws01-database-');
    await writeFile(
      join(folder, 'env'),
      `# the service\nDATA_DIR=${folder}/none\nLOG_LEVEL="loud"\n`,
    );
    const args = ['--env-file', join(folder, 'env'), 'token', 'list'];
    const { code, stderr } = await spawnWs01({ dataDir: '', databaseUrl: undefined }, args, '', {
      LOG_LEVEL: '',
    });
    assert.equal(code, 78);
    assert.match(stderr, /^ws01: LOG_LEVEL must be one of/);
    // What would be passed over is told; a key in quotes goes over several lines.
    const key = 'SOME_KEY="-----BEGIN\nMIIE==\n-----END"\nexport A = b\n\n';
    for (const [text, line] of [
      [`${key}LOG_LEVEL debug\n`, 6],
      ['PORT=1\n\0', 2],
      // Half-written: Node would take the quote for a part of the value.
      ['PORT=1\nDATA_DIR="/srv/da', 2],
      ['# a\nSERVICE_NAME="one\nPORT=1\nMAIL_FROM="two"\n', 4],
    ] as const) {
      await writeFile(join(folder, 'env'), text);
      assert.throws(() => addEnvironmentFile(join(folder, 'env')), {
        name: 'ConfigError',
        message: new RegExp(`^--env-file .*env line ${line} is not NAME=value[^\n]*$`),
      });
    }
    await writeFile(join(folder, 'env'), `${key}DATA_DIR=${folder}/none\n`);
    assert.match(
      (await spawnWs01({ dataDir: '', databaseUrl: undefined }, args)).stderr,
      /There is no database .*\/none\//,
    );
    // Node reads the option, too, wherever it stands, and is the first to find no file.
    const missing = await spawnWs01({ dataDir: folder, databaseUrl: undefined }, [
      '--env-file',
      '/no/file',
      'token',
      'list',
    ]);
    assert.notEqual(missing.code, 0);
    assert.match(missing.stderr, /^[^\n]*\/no\/file[^\n]*\n$/);
  });
});
