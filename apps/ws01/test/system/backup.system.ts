// needs: pg_dump=postgresql psql=postgresql-client
/** Backup and restore of PostgreSQL, with a server and tools of the system, of one version. */
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chown, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { before, describe, it, type TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import { temporaryFolder } from '../../../../packages/asmx/test/kit/folder.ts';
import { freePort } from '../../../../packages/asmx/test/kit/listen.ts';
import { restoreDump } from '../../src/store/postgres/snapshot.ts';
import { ws01 } from '../kit/command.ts';
import { blackPng, pngChunk } from '../kit/images/containers.ts';
import { TOKEN } from '../kit/names.ts';
import { spawnService } from '../kit/process.ts';

const run = promisify(execFile);

/** A server of Debian's own, as its own user. */
async function startServer(t: TestContext): Promise<number> {
  const [bin] = (await readdir('/usr/lib/postgresql')).map(
    (version) => `/usr/lib/postgresql/${version}/bin`,
  );
  const folder = await temporaryFolder(t, 'ws01-pg-');
  const [uid, gid] = await Promise.all(
    ['-u', '-g'].map(async (what) => Number((await run('id', [what, 'postgres'])).stdout)),
  );
  const root = process.getuid?.() === 0;
  if (root) await chown(folder, uid!, gid!);
  const as = root ? { uid: uid!, gid: gid! } : {};
  await run(
    `${bin}/initdb`,
    ['-D', folder, '-U', 'postgres', '--auth=trust', '--encoding=UTF8', '--locale=C'],
    as,
  );
  const port = await freePort();
  const child = spawn(
    `${bin}/postgres`,
    ['-D', folder, '-p', String(port), '-k', '', '-c', 'fsync=off'],
    {
      ...as,
      stdio: 'ignore',
    },
  );
  t.after(async () => {
    child.kill('SIGQUIT');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  });
  for (let attempt = 0; attempt < 600; attempt++) {
    const socket = connect(port, '127.0.0.1');
    const up = await once(socket, 'connect').then(
      () => true,
      () => false,
    );
    socket.destroy();
    if (
      up &&
      (await query(port, 'postgres', 'select 1').then(
        () => true,
        () => false,
      ))
    )
      return port;
    await pause(100);
  }
  throw new Error('PostgreSQL did not start.');
}

const urlOf = (port: number, database: string, user = 'postgres') =>
  `postgres://${user}:hush@127.0.0.1:${port}/${database}`;

async function query(port: number, database: string, text: string) {
  const client = new pg.Client({ connectionString: urlOf(port, database) });
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

describe('PostgreSQL', () => {
  before(() => assert.ok(process.platform === 'linux'));

  for (const role of ['postgres', 'plain']) {
    it(`is backed up, compared and restored by the role ${role}`, async (t) => {
      const port = await startServer(t);
      if (role === 'plain') await query(port, 'postgres', 'create role plain login');
      await query(port, 'postgres', `create database site owner ${role}`);
      const dataDir = await mkdtemp(join(tmpdir(), 'ws01-pg-data-'));
      const place = `${dataDir}-backups`;
      t.after(async () => {
        for (const folder of [dataDir, place]) await rm(folder, { recursive: true, force: true });
      });
      const database = { dataDir, databaseUrl: urlOf(port, 'site', role) };
      const env = { BACKUP_TO: place };
      const json = async (...args: string[]) => {
        const { code, stdout, stderr } = await ws01(database, [...args, '--json'], '', env);
        assert.equal(code, 0, stderr);
        return JSON.parse(stdout);
      };
      const service = await spawnService(t, { ...database, engine: 'postgres' } as never);
      const call = async (operation: string, params: Record<string, string>) => {
        const answer = await fetch(`${service.url}/WS01.asmx/${operation}`, {
          method: 'POST',
          body: new URLSearchParams(params),
        });
        assert.equal(answer.status, 200, await answer.text());
      };
      // A line separator of Unicode, tabs and backslashes are what a dump must not stumble over.
      for (let index = 0; index < 30; index++) {
        await call('InsertArticle', {
          token: TOKEN,
          guid: `a-${index}`,
          caption: 'A',
          content: `one\u2028two\t\\.\nCOPY x`,
        });
        const picture = blackPng(8, 8, pngChunk('tEXt', Buffer.from(`Key\0${index}`)));
        await call('InsertArticleImageFile', {
          verifyCode: TOKEN,
          FileGuid: `i-${index}`,
          FileImg: picture.toString('base64'),
        });
      }
      const made = await json('backup');
      assert.deepEqual(
        [made.engine, made.images, made.verifiedBy],
        ['postgres', 30, role === 'plain' ? 'read' : 'restored'],
      );
      assert.deepEqual((await readdir(made.backup)).sort(), ['backup.json', 'files', 'ws01.dump']);
      assert.equal((await json('backup', '--verify')).verdict, 'sound');
      const dump = join(made.backup, 'ws01.dump');
      await rename(dump, `${dump}-kept`);
      await writeFile(dump, (await readFile(`${dump}-kept`)).subarray(0, 1_000));
      const cut = await ws01(database, ['backup', '--verify'], '', env);
      assert.match(cut.stderr, /The backup is damaged: .*the database has other bytes/);
      await rename(`${dump}-kept`, dump);
      const left = await query(
        port,
        'postgres',
        "select datname from pg_database where datname like 'ws01_verify%'",
      );
      assert.deepEqual(left, []);

      const running = await ws01(database, ['restore', '--yes', '--replace'], '', env);
      assert.match(running.stderr, /A service has the database open/);
      await call('DeleteArticleByGuid', { token: TOKEN, guid: 'a-0' });
      await service.end('SIGTERM');
      await rm(join(dataDir, 'files'), { recursive: true });
      const refused = await ws01(database, ['restore', '--yes'], '', env);
      assert.match(refused.stderr, /The database holds \d+ rows\. .* --replace/);

      // Killed in the middle, also when psql has begun: nothing has changed.
      const count = () =>
        query(port, 'site', 'select count(*) as rows from articles where deleted_at is not null');
      for (const wait of [600, 900, 1_200]) {
        const child = spawn(process.execPath, ['bin/ws01.js', 'restore', '--yes', '--replace'], {
          env: {
            PATH: process.env.PATH,
            DATA_DIR: dataDir,
            DATABASE_URL: database.databaseUrl,
            ...env,
          },
          stdio: 'ignore',
        });
        const ended = once(child, 'exit');
        const timer = setTimeout(() => child.kill('SIGKILL'), wait);
        await ended;
        clearTimeout(timer);
        assert.ok(['0', '1'].includes((await count())[0].rows));
      }
      // psql ends well when its input breaks off; nothing was committed, and that is told.
      await assert.rejects(
        restoreDump(join(dataDir, 'none.dump'), database.databaseUrl!, process.env),
        /pg_restore failed: .*none\.dump/,
      );
      assert.ok(['0', '1'].includes((await count())[0].rows));
      const restored = await json('restore', '--yes', '--replace');
      assert.ok(restored.restoredRows >= 60, JSON.stringify(restored));
      assert.deepEqual(await count(), [{ rows: '0' }]);
      assert.deepEqual((await readdir(restored.keptIn)).includes('ws01.dump'), true);
      const [row] = await query(
        port,
        'site',
        "select details from audit where action = 'database.restore'",
      );
      assert.match(row.details, /ws01-/);
      const again = await spawnService(t, { ...database, engine: 'postgres' } as never);
      assert.equal((await fetch(`${again.url}/readyz`)).status, 200);
      await again.end('SIGTERM');
    });
  }
});
