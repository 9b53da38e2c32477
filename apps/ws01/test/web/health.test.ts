import assert from 'node:assert/strict';
import { chmod, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { HOUR_MS } from '@ws01/asmx/time';
import type { Insertable } from 'kysely';
import { until } from '../../../../packages/asmx/test/kit/until.ts';
import { lastSlot, parseSchedule } from '../../src/domain/values/schedule.ts';
import type { BackupsTable } from '../../src/store/tables/tables.ts';
import { HealthChecks } from '../../src/web/health.ts';
import { ws01 } from '../kit/command.ts';
import { freshDatabase } from '../kit/database.ts';
import { NO_DISK } from '../kit/fixed.ts';
import { keptLog } from '../kit/log.ts';
import { spawnService } from '../kit/process.ts';
import { startService, TOKEN } from '../kit/service.ts';

const verbose = async (url: string) => {
  const response = await fetch(`${url}/readyz?verbose`);
  const { status, parts } = (await response.json()) as {
    status: string;
    parts: Record<string, { state: string }>;
  };
  return {
    code: response.status,
    status,
    states: Object.fromEntries(Object.entries(parts).map(([name, { state }]) => [name, state])),
  };
};

const ALL_OK = {
  database: 'ok',
  libraries: 'ok',
  processes: 'ok',
  log: 'ok',
  disk: 'ok',
  purge: 'ok',
  commits: 'ok',
  sweep: 'ok',
  files: 'ok',
};

describe('/readyz?verbose', () => {
  it('names each part that the service needs, without reasons', async (t) => {
    const { url } = await startService(t, await freshDatabase('sqlite', t));
    assert.deepEqual(await verbose(url), {
      code: 200,
      status: 'ready',
      states: ALL_OK,
    });
    assert.equal(await (await fetch(`${url}/readyz`)).text(), 'ready\n');
  });

  it('says that scheduled backups are late when the first one failed, and for as long as none is good', async (t) => {
    const database = await freshDatabase('sqlite', t);
    const BACKUP_TO = join(database.dataDir, 'backups');
    const store = await database.open();
    const now = Date.now();
    const made = { target: BACKUP_TO, name: 'one', bytes: 1, images: 0 };
    const insert = (row: Insertable<BackupsTable>) =>
      store.write((tx) => tx.insertInto('backups').values(row).execute());
    // None is due by its time while this runs: the last one failed just now, and the next is 12 hours away.
    const time = new Date(now - 12 * HOUR_MS).toISOString().slice(11, 16);
    const slot = lastSlot(parseSchedule(time)!, now, 'UTC');
    const failed = { started_at: now, finished_at: now, verified_at: null };
    await insert({ id: 'failed', slot, ...made, ...failed, error: 'permission denied' });
    const service = await startService(t, database, { BACKUP_TO, BACKUP_SCHEDULE: time });
    assert.equal((await verbose(service.url)).states.backup, 'degraded');
    const at = now - 29 * HOUR_MS;
    const good = { started_at: at, finished_at: at, verified_at: at };
    await insert({ id: 'in time', slot: null, ...made, ...good, error: null });
    assert.equal((await verbose(service.url)).states.backup, 'ok');
    await store.write((tx) =>
      tx
        .updateTable('backups')
        .set({ verified_at: now - 31 * HOUR_MS })
        .where('id', '=', 'in time')
        .execute(),
    );
    const { code, status, states } = await verbose(service.url);
    assert.deepEqual([code, status, states.backup], [200, 'degraded', 'degraded']);
    const { parts } = (await (await fetch(`${service.url}/readyz?verbose`)).json()) as {
      parts: Record<string, { reason?: string }>;
    };
    assert.match(parts.backup!.reason!, /^The last good backup is older .*; ws01 status says why/);

    const doctor = await ws01({ ...database, databaseUrl: undefined }, ['doctor'], '', {
      BACKUP_TO: '/dev/null/backups',
    });
    assert.match(
      doctor.stdout,
      /^FAIL {2}backup +BACKUP_TO=\/dev\/null\/backups cannot be written: E\w+\n +→ .*ReadWritePaths=/m,
    );
    assert.match(
      doctor.stdout,
      /^FAIL {2}backup +the last good one is too old: permission denied/m,
    );
  });

  it('is 200 and says degraded where only images have no place; articles go on', async (t) => {
    const database = await freshDatabase('sqlite', t);
    const { log, lines } = keptLog();
    const folder = join(database.dataDir, 'pictures');
    await writeFile(folder, 'a file where the folder should be');
    const { url } = await startService(t, database, { FILES_URL: `file://${folder}` }, log);
    assert.deepEqual(await verbose(url), {
      code: 200,
      status: 'degraded',
      states: { ...ALL_OK, files: 'degraded' },
    });
    assert.equal(await (await fetch(`${url}/readyz`)).text(), 'degraded: files\n');
    assert.match(
      await (await fetch(`${url}/WS01.asmx/InsertArticle?token=${TOKEN}&guid=a&caption=b`)).text(),
      /<string/,
    );
    assert.equal(
      lines.filter(({ part, state }) => part === 'files' && state === 'degraded').length,
      1,
    );

    await rm(folder);
    await mkdir(folder);
    await chmod(folder, 0o700);
    assert.equal((await verbose(url)).status, 'ready');
    assert.ok(lines.some(({ msg, part }) => msg === 'ready again' && part === 'files'));
  });

  it('is degraded, and told once in the log, when a disk is filling up', async (t) => {
    const { log, lines } = keptLog();
    const { url } = await startService(t, undefined, { fixed: NO_DISK }, log);
    for (let look = 0; look < 3; look++)
      assert.deepEqual((await verbose(url)).states.disk, 'degraded');
    assert.equal((await fetch(`${url}/readyz`)).status, 200);
    const told = lines.filter(({ part }) => part === 'disk');
    assert.equal(told.length, 1);
    assert.match(JSON.stringify(told), /The disk of .* has \d+ MiB free of \d+ MiB; make room/);
  });

  it('is degraded while the mail server cannot be reached', async (t) => {
    const database = await freshDatabase('sqlite', t);
    const { url } = await startService(t, database, { SMTP_URL: 'smtp://127.0.0.1:1' });
    assert.equal((await verbose(url)).states.mail, 'ok');
    const mail = new URLSearchParams({
      authorizationUserId: TOKEN,
      receiverEmail: 'a@example.com',
      subject: 's',
      body: 'b',
    });
    await fetch(`${url}/WS01.asmx/SendEmail`, { method: 'POST', body: mail });
    await until(async () => (await verbose(url)).states.mail !== 'ok');
    assert.deepEqual([(await verbose(url)).code, (await verbose(url)).status], [200, 'degraded']);
  });
});

describe('health checks', () => {
  it('do not wait for one that hangs, and do not start it again meanwhile', async () => {
    const { log, lines } = keptLog();
    let started = 0;
    let release = () => {};
    const check = () => {
      started += 1;
      return new Promise<void>((resolve) => {
        release = resolve;
      });
    };
    const checks = new HealthChecks([{ name: 'slow', failing: 'down', check }], log);
    assert.equal((await checks.report()).state, 'down');
    assert.equal((await checks.report()).state, 'down');
    assert.equal(started, 1);
    assert.equal(lines.length, 1);
    release();
    await pause(0);
    const again = checks.report();
    release();
    assert.equal((await again).state, 'ok');
    assert.equal(lines.length, 2);
  });
});

it('a service that drains says 503 on /readyz, serves calls meanwhile, and then ends', async (t) => {
  const spawn = async (seconds: string) =>
    spawnService(t, await freshDatabase('sqlite', t), { DRAIN_SECONDS: seconds });
  const service = await spawn('300');
  service.child.kill('SIGTERM');
  let ready = await fetch(`${service.url}/readyz`);
  while (ready.status === 200) ready = await fetch(`${service.url}/readyz`);
  assert.deepEqual(
    [ready.status, await ready.text(), ready.headers.get('retry-after')],
    [503, 'draining\n', '5'],
  );
  const call = await fetch(`${service.url}/WS01.asmx/countIpPosted?tokenId=${TOKEN}&IP=192.0.2.1`);
  assert.equal(call.status, 200);
  assert.equal((await fetch(`${service.url}/healthz`)).status, 200);
  assert.equal(await (await spawn('1')).end('SIGTERM'), 0);
});
