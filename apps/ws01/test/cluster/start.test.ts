import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { pino } from 'pino';
import { listen } from '../../../../packages/asmx/test/kit/listen.ts';
import { startWorkers as superviseWorkers } from '../../src/cli/serve/workers.ts';
import { loadConfig } from '../../src/config/config.ts';
import { ws01 } from '../kit/command.ts';
import { emptyDatabase, freshDatabase } from '../kit/database.ts';
import { beginWorkers, startWorkers } from '../kit/workers.ts';

describe('a service of several workers', () => {
  it('prints its start once, with the one first token of the very first start, and gives connections to its workers in turn', async (t) => {
    const database = await emptyDatabase('postgres', t);
    const env = { BOOTSTRAP_TOKEN: '', RATE_LIMITS: 'off' };
    const service = await startWorkers(t, database, { env });
    const printed = (wanted: RegExp) => service.stdout.filter((line) => wanted.test(line)).length;
    assert.deepEqual(
      [printed(/^WS01 is listening on/), printed(/WSDL/), printed(/^ {2}\/.*\/first-token$/)],
      [1, 1, 1],
    );
    const token = await readFile(join(database.dataDir, 'first-token'), 'utf8');
    assert.match(token, /^ws1_\w{38}$/);
    for (let call = 0; call < 30; call++) {
      const { body } = await service.get('InsertArticle', { token, guid: 'a', caption: 'a' });
      assert.match(body, />a<\/string>$/);
    }
    await service.stop();
    assert.ok(!service.stderr.join('\n').includes(token), 'the log shows the token');
    assert.equal(service.workers.size, 3);
    // Each line of the log names the worker.
    const answered = service.log('answered');
    for (const [worker, { pid }] of service.workers) {
      const own = answered.filter((line) => line.worker === worker && line.pid === pid);
      assert.equal(own.length, 10);
    }
  });

  it('WORKERS=auto starts one for each core, and a later start shows no token', async (t) => {
    const workers = availableParallelism();
    const env = { WORKERS: 'auto', DATABASE_POOL_SIZE: '1', BOOTSTRAP_TOKEN: '' };
    const database = await freshDatabase('postgres', t);
    assert.equal((await ws01(database, ['token', 'create'])).code, 0);
    const service = await startWorkers(t, database, { workers, env });
    await service.stop();
    assert.equal(service.workers.size, workers);
    assert.doesNotMatch(service.stdout.join('\n'), /first-token/);
  });

  it('on an address in use ends with the same line as one process does', async (t) => {
    const port = await listen(t, createServer());
    const env = { PORT: String(port), LOG_LEVEL: 'silent' };
    const service = beginWorkers(t, await freshDatabase('postgres', t), { workers: 2, env });
    assert.equal(await service.exit(), 1);
    assert.deepEqual(
      [service.stdout, service.stderr],
      [
        [],
        [
          `ws01: HOST=127.0.0.1 PORT=${port}: the address is in use; stop the program that listens there, or set PORT to another one.`,
        ],
      ],
    );
  });

  it('on a database that refuses ends with one line', async (t) => {
    const { dataDir, databaseUrl = '' } = await freshDatabase('postgres', t);
    const wrong = databaseUrl.replace(/[^/]+$/, 'no_such_database');
    const service = beginWorkers(
      t,
      { dataDir, databaseUrl: wrong },
      { workers: 2, env: { LOG_LEVEL: 'silent' } },
    );
    assert.equal(await service.exit(), 1);
    assert.equal(service.stderr.length, 1, service.stderr.join('\n'));
    assert.match(
      service.stderr[0]!,
      /^ws01: PostgreSQL at .* refuses: .*no_such_database.*; correct DATABASE_URL\.$/,
    );
  });

  it('is refused on SQLite, with what to do', () => {
    const config = loadConfig({ WORKERS: '2' });
    assert.throws(() => superviseWorkers(config, pino({ level: 'silent' })), {
      name: 'ConfigError',
      message:
        'WORKERS must be 1 with the embedded SQLite database; set DATABASE_URL to a PostgreSQL database to serve from several processes.',
    });
  });
});
