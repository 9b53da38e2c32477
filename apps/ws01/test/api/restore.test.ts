import assert from 'node:assert/strict';
import { readdir, readFile, readlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { it } from 'node:test';
import { until } from '../../../../packages/asmx/test/kit/until.ts';
import { beginRecord } from '../../src/domain/backup/records.ts';
import { openStore } from '../../src/store/open.ts';
import { sessionOf } from '../console/kit/browser.ts';
import { freshDatabase } from '../kit/database.ts';
import { TOKEN } from '../kit/names.ts';
import { type ServiceProcess, spawnService } from '../kit/process.ts';
import {
  articlesOf,
  ask,
  backedUpService,
  deskOf,
  found,
  insert,
  type RestoreDesk,
  verified,
  withoutTable,
} from '../kit/restored.ts';

type Desk = Awaited<ReturnType<typeof backedUpService>>;

const begin = ({ service, backup, ...desk }: Desk) =>
  ask(desk, service, 'POST', `/backups/${backup.id}/restore`, {
    name: backup.name,
    reason: 'a mistake',
  });

/** Waits until a restore has ended, and returns how. */
async function ended({ service, backup, ...desk }: Desk) {
  return found(async () => {
    const path = `/backups/${backup.id}/restore/progress`;
    const answer = await ask(desk, service, 'GET', path).catch(() => undefined);
    const progress = answer?.body.progress;
    return ['done', 'failed'].includes(progress?.step) ? progress : undefined;
  }, service.output);
}

/** The files that a process has open, and that have no name any more; Linux tells. */
async function deletedFilesOf({ child }: Pick<ServiceProcess, 'child'>) {
  const folder = `/proc/${child.pid}/fd`;
  const open = await readdir(folder).catch(() => []);
  const targets = open.map((name) => readlink(join(folder, name)).catch(() => ''));
  return (await Promise.all(targets)).filter((target) => /sqlite.* \(deleted\)$/.test(target));
}

/** The article that calls write until the service is closed. */
const MEANWHILE = 'meanwhile';

/** What the doors of a service answer: calls, the HTTP API, pages, and what watches it. */
async function answersOf({ url }: Pick<ServiceProcess, 'url'>, headers: RestoreDesk['headers']) {
  const body = new URLSearchParams({ token: TOKEN, guid: MEANWHILE, caption: 'x', content: 'x' });
  const answers = await Promise.all([
    fetch(`${url}/WS01.asmx/InsertArticle`, { method: 'POST', body }),
    fetch(`${url}/api/v1/articles`, { headers }),
    fetch(`${url}/console`, { headers: { Accept: 'text/html', 'Accept-Language': 'zh-CN' } }),
    fetch(`${url}/l/abcdefg`),
  ]);
  return Promise.all(
    answers.map(async (answer) => ({
      status: answer.status,
      retryAfter: answer.headers.get('retry-after'),
      reload: answer.headers.get('refresh'),
      text: await answer.text(),
    })),
  );
}

it('a backup is restored by the service: meanwhile all is 503, then it has the backup, and another one has what was there', async (t) => {
  // Nothing takes the mail, so that it waits.
  const desk = await backedUpService(t, { SMTP_URL: 'smtp://127.0.0.1:1', LOG_LEVEL: 'info' });
  const { service, backup, headers } = desk;
  const api = (method: string, path: string, body?: object) =>
    ask(desk, service, method, path, body);
  const wrong = await api('POST', `/backups/${backup.id}/restore`, { name: 'ws01' });
  assert.deepEqual([wrong.status, wrong.body.parameter], [400, 'name']);
  assert.equal((await begin(desk)).status, 202);
  assert.match((await begin(desk)).body.detail, /being restored; try|being restored; wait/);
  const written = new Set<string>();
  const closed = await found(async () => {
    const answers = await answersOf(service, headers).catch(() => undefined);
    if (answers?.[0]?.status === 200) written.add(MEANWHILE);
    return answers?.every(({ status }) => status === 503) ? answers : undefined;
  }, service.output);
  for (const { retryAfter, text } of closed) {
    assert.match(retryAfter ?? '', /^\d+$/, text);
    assert.match(text, /A backup is being restored|正在恢复备份/);
  }
  assert.equal(closed[2]!.reload, '2', 'a browser asks again by itself');
  assert.equal((await fetch(`${service.url}/healthz`)).status, 200);
  const progress = await ended(desk);
  assert.equal(progress.step, 'done', JSON.stringify(progress));
  assert.deepEqual(await articlesOf(desk, service), ['before']);
  assert.equal((await fetch(`${service.url}/readyz`)).status, 200);
  const { body: audit } = await api('GET', '/audit?action=database.restore');
  const [entry] = audit.items;
  assert.equal(entry.details.reason, 'a mistake');
  assert.match(entry.details.from, new RegExp(`/${backup.name}$`));
  assert.equal(entry.details.undo, progress.undo);
  const { body: backups } = await api('GET', '/backups');
  const [undo] = backups.items;
  assert.deepEqual([undo.id, undo.name, undo.state], [progress.undoId, progress.undo, 'verified']);
  const left = (await readdir(desk.database.dataDir)).filter((name) => /partial|before/.test(name));
  assert.deepEqual(left, [], 'nothing is left beside the data');
  assert.deepEqual(await deletedFilesOf(service), [], 'the database before takes no room');
  assert.doesNotMatch(service.output(), /"state":"down"/, 'nothing asks a closed database');

  // The undo is a restore, too, at the same address.
  await insert(service, 'later');
  const again = { ...desk, backup: undo };
  assert.equal((await begin(again)).status, 202);
  assert.equal((await ended(again)).step, 'done');
  await until(() =>
    /"msg":"(?:what ran before the restore has ended|stopped)"/.test(service.output()),
  );
  assert.doesNotMatch(service.output(), /"msg":"stopped"/, 'the service goes on');
  assert.deepEqual(
    await articlesOf(desk, service),
    ['after', 'before', ...written],
    'all that was acknowledged before the service was closed',
  );
});

/** A backup that the service makes now. */
async function backedUpNow(desk: Desk): Promise<Desk> {
  assert.equal((await ask(desk, desk.service, 'POST', '/backups')).status, 202);
  return { ...desk, backup: await verified(desk, desk.service, desk.backup) };
}

/** Sessions of two owners, as headers. */
async function sessionsOf({ database }: Desk) {
  const store = await database.open();
  const lent = { database: { ...database, open: async () => store } };
  const cookies = [await sessionOf(lent, 'owner', 'ada'), await sessionOf(lent, 'owner', 'eve')];
  await store.close();
  return cookies.map((Cookie) => ({ headers: { Cookie, 'Sec-Fetch-Site': 'same-origin' } }));
}

it('mails that waited when the backup was made are cancelled, and can be sent after all; who was signed out since stays so, and who is signed in goes on', async (t) => {
  const desk = await backedUpService(t, { SMTP_URL: 'smtp://127.0.0.1:1' });
  const { service, database } = desk;
  const fields = { authorizationUserId: TOKEN, subject: 'Lost', body: 'Hello' };
  const body = new URLSearchParams({ ...fields, receiverEmail: 'bob@example.com' });
  const sent = await fetch(`${service.url}/WS01.asmx/SendEmail`, { method: 'POST', body });
  assert.equal(sent.status, 200);
  const [left, stayed] = await sessionsOf(desk);
  const later = await backedUpNow(desk);
  const writer = await database.open();
  await writer.write((tx) =>
    tx
      .deleteFrom('admin_sessions')
      .where('admin_id', '=', tx.selectFrom('admins').select('id').where('name', '=', 'ada'))
      .execute(),
  );
  await writer.close();
  assert.equal((await begin(later)).status, 202);
  const progress = await ended(later);
  assert.deepEqual([progress.step, progress.cancelled], ['done', 1]);
  const { items } = (await ask(desk, service, 'GET', '/mails?status=cancelled')).body;
  assert.equal(items.length, 1);
  const back = await ask(desk, service, 'POST', `/mails/${items[0].id}/uncancel`, {});
  assert.equal(back.body.changed, true);
  const statusFor = async (who: typeof left) =>
    (await ask(who!, service, 'GET', '/articles')).status;
  assert.deepEqual([await statusFor(left), await statusFor(stayed)], [401, 200]);
});

it('a service that cannot restore a backup goes on with the database it had, and says why', async (t) => {
  const desk = await backedUpService(t, { METRICS_PORT: '0' });
  const { dataDir } = desk.database;
  const folder = join(dataDir, 'backups', desk.backup.name);
  const articles = ['after', 'before'];
  /** @param closings how often the service has closed by then; its log comes a moment later. */
  const fails = async (why: RegExp, closings: number, who: Pick<Desk, 'headers'> = desk) => {
    assert.equal((await begin({ ...desk, ...who })).status, 202);
    const { step, fault } = await ended({ ...desk, ...who });
    assert.equal(step, 'failed', why.source);
    assert.match(fault, why);
    assert.deepEqual(await articlesOf(desk, desk.service), articles);
    const next = `goes-on-${articles.length}`;
    await insert(desk.service, next);
    articles.push(next);
    const told = () => desk.service.output().match(/the service closes to restore/g)?.length ?? 0;
    await until(() => told() >= closings, desk.service.output);
    assert.equal(told(), closings);
  };

  const file = join(folder, 'ws01.sqlite');
  const bytes = await readFile(file);
  await writeFile(file, Buffer.from(bytes).fill(0xff, bytes.length - 5_000));
  // A damaged one closes nothing.
  await fails(/other bytes|damaged/, 0);
  await writeFile(file, bytes);

  const other = await openStore({ dataDir, guest: true, schema: 'require' });
  t.after(() => other.close());
  await other.read((db) => db.selectFrom('articles').selectAll().execute());
  await fails(/Another process has the database open/, 1);
  await other.close();

  // Who is an owner in the backup no more would be locked out.
  const [ada] = await sessionsOf(desk);
  await fails(/In the backup you are no owner/, 2, ada);

  await withoutTable(folder, 'settings');
  await fails(/settings/, 3);
});

it('on PostgreSQL the service says why it does not', async (t) => {
  const database = await freshDatabase('postgres', t);
  const store = await database.open();
  const begun = { slot: null, target: 'elsewhere', name: 'made', now: Date.now() };
  const backup = await beginRecord(store, begun);
  await store.close();
  const desk = await deskOf(database);
  const service = await spawnService(t, database, { BACKUP_TO: join(database.dataDir, 'backups') });
  const path = `/backups/${backup!.id}/restore`;
  const refused = await ask(desk, service, 'POST', path, { name: 'made' });
  assert.equal(refused.status, 503);
  assert.match(refused.body.detail, /^On PostgreSQL other processes and nodes use the same/);
  assert.equal((await ask(desk, service, 'GET', `${path}/progress`)).body.progress, null);
});
