// night: services with workers are stopped in every way; by day serve.test.ts stops one
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { RawConnection } from '../../../../packages/asmx/test/kit/http.ts';
import { freshDatabase } from '../kit/database.ts';
import { TOKEN } from '../kit/service.ts';
import { lives, type ServiceOfWorkers, startWorkers } from '../kit/workers.ts';

const WORKERS = 3;

async function start(t: TestContext, detached = false): Promise<ServiceOfWorkers> {
  return startWorkers(t, await freshDatabase('postgres', t), { workers: WORKERS, detached });
}

/** One call for each worker, whose bodies stay open: in flight for as long as the test likes. */
async function callsInFlight(t: TestContext, service: ServiceOfWorkers) {
  return Promise.all(
    Array.from({ length: WORKERS }, async (_, index) => {
      const body = `token=${TOKEN}&guid=late-${index}&caption=Late`;
      const connection = await RawConnection.open(t, service.port);
      connection.ask('POST /WS01.asmx/InsertArticle', [
        'Content-Type: application/x-www-form-urlencoded',
        `Content-Length: ${body.length}`,
        'Expect: 100-continue',
      ]);
      // The service asks for the body: it has the call.
      assert.equal((await connection.answer()).status, 100);
      return async () => {
        connection.send(body);
        return connection.answer();
      };
    }),
  );
}

/** Finishes the calls; asserts that they went well and that everything has ended. */
async function finish(
  service: ServiceOfWorkers,
  calls: Awaited<ReturnType<typeof callsInFlight>>,
): Promise<void> {
  await service.until(() => service.log('stopping').length === WORKERS + 1);
  assert.equal(service.child.exitCode, null);
  for (const [index, call] of calls.entries()) {
    const { status, body } = await call();
    assert.deepEqual([status, body.includes(`>late-${index}</string>`)], [200, true]);
  }
  assert.equal(await service.exit(), 0);
  const workers = [...service.workers.values()];
  assert.deepEqual([workers.length, workers.filter(({ pid }) => lives(pid)).length], [WORKERS, 0]);
  assert.equal(service.log('stopped').length, WORKERS + 1);
  assert.deepEqual(
    // On a machine with other work a check of readiness may be late, which is told with its part.
    service.log().filter(({ level, part }) => level !== 'info' && part === undefined),
    [],
  );
}

describe('a request to stop a service of several workers', () => {
  it('to the primary process lets the calls in flight of every worker finish, and ends with 0', async (t) => {
    const service = await start(t);
    const calls = await callsInFlight(t, service);
    service.child.kill('SIGTERM');
    await finish(service, calls);
  });

  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    it(`to all processes at once, as Ctrl-C at a terminal is, does the same (${signal})`, async (t) => {
      const service = await start(t, true);
      const calls = await callsInFlight(t, service);
      process.kill(-service.child.pid!, signal);
      await finish(service, calls);
    });
  }

  it('made twice ends all of them at once', async (t) => {
    const service = await start(t);
    await callsInFlight(t, service);
    service.child.kill('SIGINT');
    await service.until(() => service.log('stopping').length === WORKERS + 1);
    // What comes sooner counts as an echo of the first.
    await sleep(1_100);
    service.child.kill('SIGINT');
    assert.equal(await service.exit(), 130);
    await service.until(() => [...service.workers.values()].every(({ pid }) => !lives(pid)));
  });

  it('has every connection answered that was accepted and not yet given to a worker', async (t) => {
    const service = await start(t);
    const pids = [...service.workers.values()].map(({ pid }) => pid);
    // They take nothing now: one connection is on its way to each, and the others wait in the primary process.
    for (const pid of pids) process.kill(pid, 'SIGSTOP');
    const connections = await Promise.all(
      Array.from({ length: 9 }, () => RawConnection.open(t, service.port)),
    );
    for (const connection of connections)
      connection.send('GET /healthz HTTP/1.1', 'Host: x', '', '');
    const answers = connections.map((connection) => connection.answer());
    service.child.kill('SIGTERM');
    await service.until(() => service.log('stopping').length === 1);
    for (const pid of pids) process.kill(pid, 'SIGCONT');
    for (const answer of answers) assert.equal((await answer).status, 200);
    assert.equal(await service.exit(), 0);
  });

  it('to one worker lets it finish, and another one takes its place', async (t) => {
    const service = await start(t);
    const calls = await callsInFlight(t, service);
    const [first] = service.workers.values();
    process.kill(first!.pid, 'SIGTERM');
    await service.until(() => service.log('stopping').length === 1);
    for (const call of calls) assert.equal((await call()).status, 200);
    await service.until(() => service.workers.size === WORKERS + 1);
    const [end] = service.log('a worker ended and is replaced');
    assert.deepEqual([end?.workerPid, end?.code], [first!.pid, 0]);
  });
});
