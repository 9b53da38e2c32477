import assert from 'node:assert/strict';
import { readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { it, type TestContext } from 'node:test';
import { HOUR_MS } from '@ws01/asmx/time';
import { pino } from 'pino';
import { temporaryFolder } from '../../../../packages/asmx/test/kit/folder.ts';
import { bePatient, passLimits } from '../../../../packages/asmx/test/kit/steered-time.ts';
import { until } from '../../../../packages/asmx/test/kit/until.ts';
import { openFiles } from '../../src/adapters/files/open.ts';
import { createBackupsOnDemand } from '../../src/app/backups.ts';
import { loadConfig } from '../../src/config/config.ts';
import { machineCommands } from '../../src/config/environment.ts';
import { beginCheck, beginRecord, begunCheck } from '../../src/domain/backup/records.ts';
import { Restores } from '../../src/domain/backup/restores.ts';
import { issueToken } from '../../src/domain/credentials/tokens.ts';
import { lastSlot } from '../../src/domain/values/schedule.ts';
import { sessionOf } from '../console/kit/browser.ts';
import { started } from '../kit/backups.ts';
import { environmentOf, ws01 } from '../kit/command.ts';
import { emptyDatabase, freshDatabase } from '../kit/database.ts';
import { spawnService } from '../kit/process.ts';
import { startS3 } from '../kit/s3.ts';
import { startService } from '../kit/service.ts';

/** The longest interval between backups; ms. */
const MONTH_MS = 720 * HOUR_MS;

/** Sends a signal to the process with a word in its command line. @returns its id; `undefined` if there is none. */
async function signalTo(word: string, signal: NodeJS.Signals): Promise<number | undefined> {
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    const line = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    if (!line.split('\0').includes(word)) continue;
    process.kill(Number(pid), signal);
    return Number(pid);
  }
  return undefined;
}

/** Whether a process has been sent SIGTERM and has not taken it yet; `undefined` when it is gone. */
async function isAskedToEnd(pid: number): Promise<boolean | undefined> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  const [, pending] = /^ShdPnd:\s*([0-9a-f]+)$/m.exec(status) ?? [];
  if (pending === undefined || /^State:\s*Z/m.test(status)) return undefined;
  return (BigInt(`0x${pending}`) & (1n << 14n)) !== 0n;
}

async function isStopped(pid: number): Promise<boolean> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return /^State:\s*T/m.test(status);
}

/** A database with two images, a backup of it in a place, and the header of an owner's token. */
async function backedUp(t: TestContext, env: Record<string, string>) {
  const { database, store } = await started(t, 2);
  const { text } = await issueToken(store, { kind: 'service', scopes: ['manage'] }, Date.now);
  const { code, stderr } = await ws01(database, ['backup'], '', env);
  assert.equal(code, 0, stderr);
  const [made] = await store.read((db) => db.selectFrom('backups').selectAll().execute());
  await store.close();
  return { database, headers: { Authorization: `Bearer ${text}` }, ...made! };
}

interface Answer {
  readonly items: readonly {
    readonly id: string;
    readonly name: string;
    readonly state: string;
    readonly scheduledAt: string | null;
  }[];
  readonly detail: string;
}

it('a backup is begun in the console, listed, and verified in the end; without a place for it none is', async (t) => {
  const database = await freshDatabase('sqlite', t);
  const store = await database.open();
  // None is due by its time, which is a second or two after the start.
  const now = Date.now();
  for (const at of [now, now + MONTH_MS]) {
    const slot = lastSlot({ kind: 'every', ms: MONTH_MS }, at, 'UTC');
    const begun = await beginRecord(store, { slot, target: 'elsewhere', name: 'before', now });
    await store.write((tx) =>
      tx.updateTable('backups').set({ verified_at: now }).where('id', '=', begun!.id).execute(),
    );
  }
  const { text } = await issueToken(store, { kind: 'service', scopes: ['manage'] }, Date.now);
  const Cookie = await sessionOf({ database: { ...database, open: async () => store } }, 'owner');
  await store.close();
  const headers = { Authorization: `Bearer ${text}` };
  const place = { BACKUP_TO: join(database.dataDir, 'backups'), BACKUP_SCHEDULE: '720h' };
  const service = await spawnService(t, database, place);
  const ask = async (method: string) => {
    const response = await fetch(`${service.url}/api/v1/backups`, { method, headers });
    return { status: response.status, body: (await response.json()) as Answer };
  };
  const form = { method: 'POST', headers: { Cookie, 'Sec-Fetch-Site': 'same-origin' } };
  assert.match(
    await (await fetch(`${service.url}/console/backups/new`, form)).text(),
    /The backup has begun\./,
  );
  const states = async () => {
    const { items } = (await ask('GET')).body;
    return items.filter(({ scheduledAt }) => scheduledAt === null).map(({ state }) => state);
  };
  const again = await ask('POST');
  if (again.status === 202)
    assert.ok((await states()).includes('verified'), 'the first one was over');
  else assert.match(again.body.detail, /being made/);
  const begun = again.status === 202 ? 2 : 1;
  await until(async () => {
    const now = await states();
    return now.length === begun && now.includes('verified') && !now.includes('running');
  }, states);
  const made = (await ask('GET')).body.items.find(({ scheduledAt }) => scheduledAt === null)!;
  const plan = async () => {
    const answer = await fetch(`${service.url}/api/v1/backups/${made.id}/restore`, {
      headers: { Cookie },
    });
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
  };
  const [one, other] = await Promise.all([plan(), plan()]);
  assert.equal(one.status, 200, JSON.stringify(one.body));
  const { command, stop, start } = machineCommands();
  const restore = `${command} restore --name ${made.name} --yes --replace`;
  assert.deepEqual([one.body.command, one.body.commands], [restore, [stop, restore, start]]);
  for (const { body } of [one, other]) assert.match(String(body.present), /^[1-9]\d*$/);
  // The service goes on: it may have written a row between the two.
  const { present } = one.body;
  assert.deepEqual({ ...other.body, present }, one.body, 'asked for twice at once');
  assert.equal(
    (await ask('POST')).status,
    202,
    'at once, although the process of the one before may still be there',
  );
  const archive = (init: RequestInit = { headers: { Cookie } }) =>
    fetch(`${service.url}/api/v1/backups/${made.id}/archive`, init);
  const sizes = await Promise.all(
    [{ Cookie }, headers].map(async (one) => {
      const answer = await archive({ headers: one });
      assert.deepEqual(
        ['content-type', 'cache-control', 'content-disposition'].map((name) =>
          answer.headers.get(name),
        ),
        ['application/x-tar', 'no-store', `attachment; filename="${made.name}.tar"`],
      );
      return (await answer.arrayBuffer()).byteLength;
    }),
  );
  const inConsole = await fetch(`${service.url}/console/backups/${made.id}/archive`, {
    headers: { Cookie },
  });
  assert.equal(inConsole.headers.get('cache-control'), 'no-store');
  sizes.push((await inConsole.arrayBuffer()).byteLength);
  assert.equal(new Set(sizes).size, 1, `${sizes}`);
  assert.equal(sizes[0]! % 512, 0);
  // Whoever wants the head alone takes no place, and keeps the connection.
  for (const _ of [1, 2, 3])
    await until(async () => (await archive({ method: 'HEAD', headers: { Cookie } })).ok);
  // Whoever goes away makes room for others; two at once are the most.
  const leaving = new AbortController();
  const held = await Promise.all(
    [1, 2].map(() => archive({ headers: { Cookie }, signal: leaving.signal })),
  );
  assert.deepEqual(
    held.map(({ status }) => status),
    [200, 200],
  );
  leaving.abort();
  await until(async () => {
    const answer = await archive();
    await answer.arrayBuffer();
    return answer.status === 200;
  });
  // Who works on it is killed, and the service is not: it says so at once.
  const api = `${service.url}/api/v1/backups/${made.id}`;
  const verify = () =>
    fetch(`${api}/verify`, {
      ...{ method: 'POST', body: '{}' },
      headers: { ...headers, 'Content-Type': 'application/json' },
    });
  const asked = await Promise.all([verify(), verify()]);
  assert.deepEqual(asked.map(({ status }) => status).toSorted(), [200, 503], 'one at a time');
  const check = async () =>
    (await (await fetch(api, { headers })).json()) as Record<'check' | 'fault', unknown>;
  await until(async () => {
    await signalTo(made.id, 'SIGKILL');
    const { check: outcome } = await check();
    // It was over before it was killed.
    if (outcome === 'sound') await verify();
    return outcome === 'failed';
  }, check);
  assert.equal((await check()).fault, 'Its process was killed.');
  // What breaks off does not look whole.
  await truncate(join(place.BACKUP_TO, made.name, 'ws01.sqlite'), 100_000);
  for (const path of [`api/v1/backups/${made.id}/archive`, `console/backups/${made.id}/archive`]) {
    const answer = await fetch(`${service.url}/${path}`, { headers: { Cookie } });
    assert.equal(answer.status, 200);
    await assert.rejects(answer.arrayBuffer(), path);
  }
  await rm(join(place.BACKUP_TO, made.name), { recursive: true });
  const gone = await archive();
  assert.equal(gone.status, 503);
  assert.match(((await gone.json()) as Answer).detail, /There is no backup ws01-/);
  assert.equal(
    await service.end('SIGTERM'),
    0,
    'a stop cancels a backup, and is as good as any other',
  );
  const without = await startService(t, database, { FILES_URL: 's3://pictures' });
  const refused = await fetch(`${without.url}/api/v1/backups`, { method: 'POST', headers });
  assert.match(
    ((await refused.json()) as { detail: string }).detail,
    /backups need BACKUP_TO; set it/,
  );
});

it('a backup in S3 is downloaded as an archive that a restore takes; what breaks off does not look whole', async (t) => {
  const { endpoint, bucket } = await startS3(t);
  const env = {
    BACKUP_TO: `s3://${bucket}/copies?endpoint=${encodeURIComponent(endpoint)}`,
    ...{ AWS_ACCESS_KEY_ID: 'S3RVER', AWS_SECRET_ACCESS_KEY: 'S3RVER' },
  };
  const { database, headers, id, name } = await backedUp(t, env);
  const service = await spawnService(t, database, env);
  const download = () => fetch(`${service.url}/api/v1/backups/${id}/archive`, { headers });
  const answer = await download();
  assert.equal(answer.status, 200);
  const empty = await emptyDatabase('sqlite', t);
  const archive = `${empty.dataDir}.tar`;
  t.after(() => rm(archive, { force: true }));
  await writeFile(archive, Buffer.from(await answer.arrayBuffer()));
  const { code, stdout, stderr } = await ws01(empty, ['restore', archive, '--yes']);
  assert.equal(code, 0, stderr);
  assert.match(stdout, /Restored \d+ rows, and 2 image files/);
  const stored = async ({ dataDir }: { readonly dataDir: string }) => {
    const found = await readdir(join(dataDir, 'files/kept'), { recursive: true });
    // Renditions are made again.
    return found.filter((path) => path.includes('/') && !/\.(?:full|icon)$/.test(path)).toSorted();
  };
  assert.deepEqual(await stored(empty), await stored(database));

  const work = await temporaryFolder(t, 'ws01-cut-');
  const { store } = await openFiles(
    { kind: 's3', bucket, prefix: 'copies/backups', endpoint, region: undefined, nested: true },
    work,
  );
  t.after(() => store.close());
  await writeFile(join(work, 'cut'), 'SQLite format 3');
  await store.keep(join(work, 'cut'), `${name}/ws01.sqlite`);
  await assert.rejects((await download()).arrayBuffer());
  await store.remove(`${name}/backup.json`);
  const gone = await download();
  assert.equal(gone.status, 503);
  assert.match(((await gone.json()) as Answer).detail, /There is no backup ws01-/);
  assert.equal(await service.end('SIGTERM'), 0);
});

it('a service that stops does not wait for a check of a backup that nothing else ends', async (t) => {
  bePatient(t);
  const place = await temporaryFolder(t, 'ws01-stops-');
  const backupTo = { BACKUP_TO: join(place, 'backups') };
  const { database, id } = await backedUp(t, backupTo);
  const env = { ...environmentOf(database), ...backupTo };
  // The process that checks has the environment of this one.
  const own = { ...process.env };
  Object.assign(process.env, env);
  t.after(() => {
    for (const name of Object.keys(env)) delete process.env[name];
    Object.assign(process.env, own);
  });
  const store = await database.open();
  const log = pino({ level: 'silent' });
  const backups = createBackupsOnDemand({
    ...{ config: loadConfig(env), store, log },
    restores: new Restores(),
  });
  let pid: number | undefined;
  await until(async () => {
    // The first, or one that was over before it was deaf.
    if ((await begunCheck(store, id)) === undefined) {
      await store.write((tx) => beginCheck(tx, { id, by: 'ada', now: Date.now() }));
      backups.verify(id);
    }
    // It is as deaf as one whose thread is in a long query.
    pid = await signalTo(id, 'SIGSTOP');
    return pid !== undefined && (await isStopped(pid));
  });
  t.after(async () => (await isAskedToEnd(pid!)) !== undefined && process.kill(pid!, 'SIGKILL'));
  const stopped = backups.stop();
  await until(async () => (await isAskedToEnd(pid!)) === true);
  passLimits(5_000);
  await stopped;
  assert.equal(await isAskedToEnd(pid!), undefined, 'it is gone');
  await store.close();
});
