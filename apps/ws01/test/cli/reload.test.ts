import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm, writeFile } from 'node:fs/promises';
import { Agent, get } from 'node:http';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { heard } from '../../../../packages/asmx/test/kit/heard.ts';
import { until } from '../../../../packages/asmx/test/kit/until.ts';
import { freshDatabase } from '../kit/database.ts';
import { TOKEN } from '../kit/service.ts';
import { lives, startWorkers } from '../kit/workers.ts';

type Line = Readonly<Record<string, unknown>>;

/** The service with its settings in a file. */
async function startWithFile(t: TestContext, settings: string) {
  const { dataDir } = await freshDatabase('sqlite', t);
  const file = join(dataDir, 'ws01.env');
  await writeFile(file, settings);
  const child = spawn(process.execPath, ['bin/ws01.js', '--env-file', file, 'serve'], {
    env: { PATH: process.env.PATH ?? '', PORT: '0', DATA_DIR: dataDir, BOOTSTRAP_TOKEN: TOKEN },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  t.after(() => child.kill('SIGKILL'));
  const lines: Line[] = [];
  createInterface(child.stderr).on('line', (line) => lines.push(JSON.parse(line)));
  const [started] = await heard(child, 'data', child.stdout);
  const url = /http:\/\/127\.0\.0\.1:\d+/.exec(String(started))![0];
  return {
    file,
    child,
    url,
    async said(msg: string, times = 1): Promise<Line> {
      const found = () => lines.filter((line) => line.msg === msg);
      await until(
        () => found().length >= times,
        () => `${msg} in ${JSON.stringify(lines)}`,
      );
      return found()[times - 1]!;
    },
    count: (msg: string) => lines.filter((line) => line.msg === msg).length,
  };
}

describe('SIGHUP', () => {
  it('has the file of the settings read again: the log level counts, of others it is said', async (t) => {
    const service = await startWithFile(t, 'LOG_LEVEL=info\nREVIEW_SCALE=5\n');
    const call = async () =>
      (await fetch(`${service.url}/WS01.asmx/countIpPosted?tokenId=${TOKEN}`)).status;
    assert.equal(await call(), 200);
    await service.said('answered');

    await writeFile(service.file, 'LOG_LEVEL=debug\nREVIEW_SCALE=10\nDRAIN_SECONDS=1\n');
    service.child.kill('SIGHUP');
    const told = await service.said('settings were reloaded');
    assert.deepEqual(
      [told.changed, told.needRestart],
      [['LOG_LEVEL'], ['REVIEW_SCALE', 'DRAIN_SECONDS']],
    );

    // The environment of the process, as a unit's, goes before the file.
    await writeFile(service.file, 'REVIEW_SCALE=5\nDATA_DIR=/srv/elsewhere\n');
    service.child.kill('SIGHUP');
    await service.said(
      `DATA_DIR in ${service.file} has no effect: the environment of the process has another value. ` +
        'Where a unit has it, ws01 install --yes gives it that of the file.',
    );

    await writeFile(service.file, 'REVIEW_SCALE=none\n');
    service.child.kill('SIGHUP');
    const refused = await service.said(
      'the settings are not valid; the previous ones stay in effect',
    );
    assert.match(String(refused.reason), /^REVIEW_SCALE must be /);
    await rm(service.file);
    service.child.kill('SIGHUP');
    const missing = await service.said(
      'the settings are not valid; the previous ones stay in effect',
      2,
    );
    assert.match(String(missing.reason), /ws01\.env cannot be read: ENOENT\.$/);

    // At this level nothing is said of a call; that the file is wrong again is said behind it.
    let wrong = 2;
    await until(async () => {
      await writeFile(service.file, 'LOG_LEVEL=warn\nREVIEW_SCALE=5\n');
      service.child.kill('SIGHUP');
      const before = service.count('answered');
      assert.equal(await call(), 200);
      await writeFile(service.file, 'REVIEW_SCALE=none\n');
      service.child.kill('SIGHUP');
      await service.said('the settings are not valid; the previous ones stay in effect', ++wrong);
      return service.count('answered') === before;
    });
    service.child.kill('SIGTERM');
    assert.deepEqual(await once(service.child, 'exit'), [0, null]);
  });

  it('replaces workers one by one under load, and no call is lost', async (t) => {
    const env = { RATE_LIMITS: 'off', DRAIN_SECONDS: '60', METRICS_PORT: '0' };
    const service = await startWorkers(t, await freshDatabase('postgres', t), { workers: 2, env });
    const old = [...service.workers.values()].map(({ pid }) => pid);
    const agent = new Agent({ keepAlive: true, maxSockets: 4 });
    t.after(() => agent.destroy());
    let answers = 0;
    let loading = true;
    const lost: unknown[] = [];
    const load = Promise.all(
      Array.from({ length: 4 }, async () => {
        while (loading) {
          try {
            const path = `${service.url}/WS01.asmx/countIpPosted?tokenId=${TOKEN}&IP=192.0.2.1&lastFewDays=0&level=all`;
            const [res] = await once(get(path, { agent }), 'response');
            await text(res);
            if (res.statusCode === 200) answers++;
            else lost.push(res.statusCode);
          } catch (error) {
            lost.push(error);
          }
          await pause(5);
        }
      }),
    );
    try {
      // logrotate may signal the main process, a terminal all of them.
      for (const pid of [service.child.pid!, ...old]) process.kill(pid, 'SIGHUP');
      await service.until(() => service.log('all workers are replaced').length === 1);
      assert.ok(old.every((pid) => !lives(pid)));
      // Each process writes its own lines: those of the new workers may come after that of the main process.
      await service.until(() => service.workers.size === 4);
      const before = answers;
      await service.until(() => answers > before + 20);
    } finally {
      loading = false;
      await load;
    }
    assert.deepEqual(lost, []);
    assert.deepEqual(service.log('a worker ended and is replaced'), []);
    assert.deepEqual(service.log('draining: calls are served, /readyz says 503'), []);
  });
});
