// night: workers are killed again and again; by day still.test.ts and together.test.ts see one replaced
import assert from 'node:assert/strict';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { RawConnection } from '../../../../packages/asmx/test/kit/http.ts';
import { TEST_BINDINGS } from '../kit/bindings.ts';
import { freshDatabase } from '../kit/database.ts';
import { processEnv } from '../kit/fixed.ts';
import { TOKEN } from '../kit/service.ts';
import { beginWorkers, lives, type ServiceOfWorkers, startWorkers } from '../kit/workers.ts';

const ENDED = 'a worker ended and is replaced';
const DYING = new URL('./dying-worker.ts', import.meta.url).href;
const HEALTH = ['GET /healthz HTTP/1.1', 'Host: x', 'Connection: close', '', ''];

/** The living workers. */
function living(service: ServiceOfWorkers): readonly number[] {
  return [...service.workers.values()].map(({ pid }) => pid).filter(lives);
}

/** The first of some processes; a signal to a process 0 would reach this one and all its relatives. */
function oneOf(pids: readonly number[]): number {
  const [pid] = pids;
  assert.ok(pid);
  return pid;
}

describe('a worker that dies', () => {
  it('loses no acknowledged article, the others go on, and another one comes', async (t) => {
    const database = await freshDatabase('postgres', t);
    const service = await startWorkers(t, database, { env: { RATE_LIMITS: 'off' } });
    const acknowledged = new Set<string>();
    for (let round = 0; round < 3; round++) {
      const victim = oneOf(living(service));
      let answered = 0;
      const calls = Array.from({ length: 200 }, async (_, index) => {
        const guid = `round-${round}-${index}`;
        const binding = TEST_BINDINGS[index % TEST_BINDINGS.length]!;
        try {
          const answer = await binding.call(service.url, 'InsertArticle', {
            token: TOKEN,
            guid,
            caption: guid,
          });
          // On a machine with other work a call may be told, honestly, that it waited too long.
          if (answer.code !== 'Busy') {
            assert.deepEqual([answer.status, answer.code, answer.result], [200, undefined, guid]);
            acknowledged.add(guid);
          }
        } catch (error) {
          // The connection died with the worker: not acknowledged. Nothing else may go wrong.
          if (error instanceof assert.AssertionError) throw error;
        }
        answered++;
        if (answered === 20 + round * 60) process.kill(victim, 'SIGKILL');
      });
      await Promise.all(calls);
      const endOf = () => service.log(ENDED).find(({ workerPid }) => workerPid === victim);
      await service.until(() => endOf() !== undefined && living(service).length === 3);
      const end = endOf();
      assert.deepEqual([end?.signal, end?.code, end?.level], ['SIGKILL', null, 'error']);
    }
    assert.ok(acknowledged.size > 300, `${acknowledged.size} acknowledged`);
    const store = await database.open();
    const rows = await store.read((db) => db.selectFrom('articles').select('guid').execute());
    const kept = new Set(rows.map(({ guid }) => guid));
    assert.deepEqual(
      [...acknowledged].filter((guid) => !kept.has(guid)),
      [],
    );
  });

  it('of a defect is told with its exit code, and replaced', async (t) => {
    const env = processEnv({}, DYING);
    const service = await startWorkers(t, await freshDatabase('postgres', t), { workers: 2, env });
    const victim = oneOf(living(service));
    process.kill(victim, 'SIGUSR2');
    await service.until(() => service.workers.size === 3 && living(service).length === 2);
    const ends = service
      .log(ENDED)
      .map(({ workerPid, code, signal }) => ({ workerPid, code, signal }));
    assert.deepEqual(ends, [{ workerPid: victim, code: 1, signal: null }]);
    assert.ok(service.stderr.some((line) => line.includes('a defect')));
  });

  it('leaves the connection that was on its way to it to another one', async (t) => {
    const service = await startWorkers(t, await freshDatabase('postgres', t), { workers: 2 });
    const victim = oneOf(living(service));
    // It takes nothing any more, and nobody has noticed.
    process.kill(victim, 'SIGSTOP');
    const connections = await Promise.all(
      Array.from({ length: 6 }, () => RawConnection.open(t, service.port)),
    );
    for (const connection of connections) connection.send(...HEALTH);
    // All but the one that waits for the stopped worker.
    let answered = 0;
    const answers = connections.map((connection) => connection.answer().finally(() => answered++));
    await service.until(() => answered === 5);
    process.kill(victim, 'SIGKILL');
    assert.deepEqual(
      (await Promise.all(answers)).map(({ status }) => status),
      Array(6).fill(200),
    );
  });

  it('is replaced also when all die at once, on the same port', async (t) => {
    const service = await startWorkers(t, await freshDatabase('postgres', t), { workers: 2 });
    const { port } = service;
    for (let round = 1; round <= 2; round++) {
      const dying = living(service);
      assert.equal(dying.length, 2);
      for (const pid of dying) process.kill(pid, 'SIGKILL');
      await service.until(() => !dying.some(lives));
      // The primary process has the port: a connection that comes now, one of its own, waits for a new worker.
      const connection = await RawConnection.open(t, port);
      connection.send(...HEALTH);
      assert.equal((await connection.answer()).status, 200);
      await service.until(() => living(service).filter((pid) => !dying.includes(pid)).length === 2);
    }
    const ports = new Set(service.log('listening').map((line) => line.port));
    assert.deepEqual([...ports], [port]);
    service.child.kill('SIGTERM');
    assert.equal(await service.exit(), 0);
  });

  it('and cannot be replaced is tried again and again while others serve, with pauses that grow', async (t) => {
    const database = await freshDatabase('postgres', t);
    const flag = join(database.dataDir, 'die');
    const env = { ...processEnv({}, DYING), DIE_WHILE: flag };
    const service = await startWorkers(t, database, { workers: 2, env });
    await writeFile(flag, '');
    process.kill(oneOf(living(service)), 'SIGKILL');
    // More failures than end a service that has nobody left.
    await service.until(() => service.log(ENDED).length === 7);
    assert.deepEqual(
      service.log(ENDED).map(({ replacedIn }) => replacedIn),
      [100, 200, 400, 800, 1_600, 3_200, 5_000],
    );
    assert.equal((await fetch(`${service.url}/readyz`)).status, 200);
    await rm(flag);
    await service.until(() => living(service).length === 2);
  });

  it('and leaves nobody who could serve ends the service, after a few tries', async (t) => {
    const database = await freshDatabase('postgres', t);
    const flag = join(database.dataDir, 'die');
    const env = { ...processEnv({}, DYING), DIE_WHILE: flag };
    const service = await startWorkers(t, database, { workers: 2, env });
    await writeFile(flag, '');
    for (const pid of living(service)) process.kill(pid, 'SIGKILL');
    assert.equal(await service.exit(), 1);
    assert.equal(service.log(ENDED).length, 2 + 4);
    assert.equal(
      service.stderr.at(-1),
      'ws01: The workers end before they serve, the last one by exit code 3.',
    );

    const never = beginWorkers(t, database, { workers: 3, env });
    assert.equal(await never.exit(), 1);
    assert.equal(never.log(ENDED).length, 4);
    assert.deepEqual(never.stdout, []);
  });

  it('again and again amid the start ends it, and the first token is not lost', async (t) => {
    const database = await freshDatabase('postgres', t);
    const flag = join(database.dataDir, 'die');
    const env = { ...processEnv({}, DYING), DIE_BUT: '1', DIE_AFTER: flag, BOOTSTRAP_TOKEN: '' };
    const service = beginWorkers(t, database, { workers: 2, env });
    // However long it takes: the others must not end the start before there is a token.
    await service.until(() => service.workers.size === 1);
    await writeFile(flag, '');
    assert.equal(await service.exit(), 1);
    assert.deepEqual(service.stdout, []);
    const [, file = ''] = /it is in (\S+)$/.exec(service.stderr.at(-1)!) ?? [];
    assert.notEqual(file, '', service.stderr.join('\n'));
    const token = await readFile(file, 'utf8');
    const again = await startWorkers(t, database, { env: { BOOTSTRAP_TOKEN: '' } });
    assert.equal(
      (await again.get('InsertArticle', { token, guid: 'a', caption: 'a' })).status,
      200,
    );
  });
});

describe('a primary process that dies', () => {
  it('takes its workers with it, and the port is free', async (t) => {
    const service = await startWorkers(t, await freshDatabase('postgres', t));
    const { port } = service;
    const workers = living(service);
    assert.equal(workers.length, 3);
    service.child.kill('SIGKILL');
    await service.until(() => living(service).length === 0);
    const server = createServer();
    await new Promise<void>((resolve, reject) =>
      server.once('error', reject).listen(port, '127.0.0.1', resolve),
    );
    server.close();
  });
});
