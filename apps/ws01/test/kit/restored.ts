import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { TestContext } from 'node:test';
import { until } from '../../../../packages/asmx/test/kit/until.ts';
import { issueToken } from '../../src/domain/credentials/tokens.ts';
import type { ApiAnswer } from './api.ts';
import { freshDatabase, type TestDatabase } from './database.ts';
import { TOKEN } from './names.ts';
import { type ServiceProcess, spawnService } from './process.ts';

/** A service that is a process, with an article, a backup of that, and an article that came after it. */
export async function backedUpService(t: TestContext, env: Record<string, string> = {}) {
  const database = await freshDatabase('sqlite', t);
  const desk = await deskOf(database);
  const service = await spawnService(t, database, { RATE_LIMITS: 'off', ...env });
  await insert(service, 'before');
  const { status } = await ask(desk, service, 'POST', '/backups');
  assert.equal(status, 202);
  const backup = await verified(desk, service);
  await insert(service, 'after');
  return { ...desk, service, backup };
}

export interface MadeBackup {
  readonly id: string;
  readonly name: string;
  readonly state: string;
}

/** Waits for a verified backup. @param known those that do not count. */
export async function verified(
  desk: Pick<RestoreDesk, 'headers'>,
  service: ServiceProcess,
  ...known: readonly MadeBackup[]
): Promise<MadeBackup> {
  return found(async () => {
    const { body } = await ask(desk, service, 'GET', '/backups');
    return (body.items as readonly MadeBackup[]).find(
      ({ id, state }) => state === 'verified' && known.every((one) => one.id !== id),
    );
  }, service.output);
}

/** Waits until something is there. @param told what is said where it never is. */
export async function found<T>(look: () => Promise<T | undefined>, told: () => string): Promise<T> {
  let seen: T | undefined;
  await until(async () => {
    seen = await look();
    return seen !== undefined;
  }, told);
  return seen!;
}

/** An owner's token for a database. */
export async function deskOf(database: TestDatabase): Promise<RestoreDesk> {
  const store = await database.open();
  const { text } = await issueToken(store, { kind: 'service', scopes: ['manage'] }, Date.now);
  await store.close();
  return { database, headers: { Authorization: `Bearer ${text}` } };
}

export interface RestoreDesk {
  readonly database: TestDatabase;
  readonly headers: Readonly<Record<string, string>>;
}

/** Asks the HTTP API of a service. */
export async function ask(
  { headers }: Pick<RestoreDesk, 'headers'>,
  { url }: Pick<ServiceProcess, 'url'>,
  method: string,
  path: string,
  body?: object,
): Promise<Pick<ApiAnswer, 'status' | 'body'>> {
  const answer = await fetch(`${url}/api/v1${path}`, {
    method,
    headers: { ...headers, 'Content-Type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: answer.status, body: await answer.json() };
}

/** Inserts an article. */
export async function insert({ url }: Pick<ServiceProcess, 'url'>, guid: string): Promise<void> {
  const body = new URLSearchParams({ token: TOKEN, guid, caption: guid, content: 'Text.' });
  const { status } = await fetch(`${url}/WS01.asmx/InsertArticle`, { method: 'POST', body });
  assert.equal(status, 200);
}

/**
 * The articles of a service, by their keys. A connection from before a restore may be answered by
 * 503 once more.
 */
export async function articlesOf(
  desk: Pick<RestoreDesk, 'headers'>,
  service: Pick<ServiceProcess, 'url' | 'output'>,
): Promise<readonly string[]> {
  const { status, body } = await found(async () => {
    const answer = await ask(desk, service, 'GET', '/articles').catch(() => undefined);
    return answer?.status === 503 ? undefined : answer;
  }, service.output);
  assert.equal(status, 200, JSON.stringify(body));
  return body.items.map(({ guid }: { guid: string }) => guid).toSorted();
}

/** Takes a table out of a backup, so that its manifest does not tell. */
export async function withoutTable(folder: string, table: string): Promise<void> {
  const file = join(folder, 'ws01.sqlite');
  const database = new DatabaseSync(file);
  database.exec(`drop table ${table}`);
  database.close();
  const path = join(folder, 'backup.json');
  const manifest = JSON.parse(await readFile(path, 'utf8'));
  const sha256 = createHash('sha256')
    .update(await readFile(file))
    .digest('hex');
  manifest.database = { ...manifest.database, sha256, bytes: (await stat(file)).size };
  delete manifest.rows[table];
  await writeFile(path, JSON.stringify(manifest));
}
