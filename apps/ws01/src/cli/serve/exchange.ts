import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Logger } from 'pino';
import type { App } from '../../app/running.ts';
import type { Config } from '../../config/config.ts';
import { type KeptFromBefore, settleRestored } from '../../domain/backup/after-restore.ts';
import type { AskedRestore, Restores } from '../../domain/backup/restores.ts';
import { makeWorkFolder } from '../../domain/backup/work-folders.ts';
import { isFailureOf } from '../../failure/dependency-error.ts';
import { shellWord } from '../../failure/shell-word.ts';
import { openStore } from '../../store/open.ts';
import type { RowCounts } from '../../store/snapshot.ts';
import { SQLITE_FILE } from '../../store/sqlite/file.ts';
import { holdDataDir } from '../../store/sqlite/service-lock.ts';
import { CommandFailure, describeError } from '../failure.ts';
import { startApp } from './start-app.ts';

interface ExchangeDeps {
  readonly config: Config;
  readonly log: Logger;
  readonly restores: Restores;
  /** The service is to stop. */
  readonly stop: AbortSignal;
}

const CHANGED = 'A command of ws01 has changed the database meanwhile; try again.';
const OPEN_ELSEWHERE =
  'Another process has the database open, such as a command of ws01; end it, and try again.';

/** The exchange of the database of a service for that of a backup; see decision 35. */
export class DatabaseExchange {
  readonly #deps: ExchangeDeps;

  constructor(deps: ExchangeDeps) {
    this.#deps = deps;
  }

  /**
   * Closes a service, exchanges its database, and starts it again; with the database that it had,
   * if anything fails.
   * @returns the service that runs then; the closed one if it is to stop.
   * @throws the error of a start with the database that it had. If that could not be put back, the
   *   error says where it is.
   */
  async of(app: App, asked: AskedRestore): Promise<App> {
    const { config, log, restores } = this.#deps;
    // For the database that is there, until the service runs with the other one.
    const folder = await makeWorkFolder(config.dataDir, 'exchange').catch((error) => {
      this.#fail(describeError(error).text);
    });
    if (folder === undefined) return app;
    log.warn({ backup: asked.name }, 'the service closes to restore a backup');
    restores.tell({ step: 'saving' });
    await app.suspend();
    const running = await this.#exchange(app, asked, folder);
    // Not after an error: it may hold the only database that the service starts with.
    await rm(folder, { recursive: true, force: true });
    return running;
  }

  async #exchange(app: App, asked: AskedRestore, folder: string): Promise<App> {
    const { restores, stop } = this.#deps;
    let fault = await this.#replace(asked, folder);
    if (stop.aborted) return app;
    restores.tell({ step: 'opening' });
    const next = await this.#start(app).catch(async (error) => {
      if (fault !== undefined) throw error;
      fault = describeError(error).text;
      await this.#bringBack(folder);
      return this.#start(app);
    });
    // Until then old connections are answered by 503.
    await app.stop(false);
    if (fault !== undefined) this.#fail(fault);
    else restores.tell({ step: 'done' });
    return next;
  }

  /** @returns why the database is the one that was there; `undefined` when it is replaced. */
  async #replace(asked: AskedRestore, folder: string): Promise<string | undefined> {
    const { config, stop } = this.#deps;
    const lock = holdDataDir(config.dataDir);
    try {
      const { backUpClosed } = await import('../../app/backups.ts');
      const undo = await backUpClosed({ dataDir: config.dataDir, stop });
      await this.#restore(asked, undo, folder);
      return undefined;
    } catch (error) {
      return isFailureOf('database', error, 'busy') ? OPEN_ELSEWHERE : describeError(error).text;
    } finally {
      lock.release();
    }
  }

  async #restore(asked: AskedRestore, undo: string, keptIn: string): Promise<void> {
    const { config, restores, stop } = this.#deps;
    const [{ noBackup, openLocation }, { replaceBy }] = await Promise.all([
      import('../backup/location.ts'),
      import('../backup/replace-by.ts'),
    ]);
    const kept = await keptOf(config.dataDir);
    restores.tell({ step: 'restoring', undo: kept.backups.find(({ name }) => name === undo) });
    const { place } = await openLocation(undefined, config, async () => false);
    try {
      const { name } = asked;
      const source = await place.open(name);
      if (source === undefined) throw noBackup(place, name);
      if (source.database !== SQLITE_FILE)
        throw new CommandFailure('The backup is of PostgreSQL; this service has SQLite.');
      const from = `${place.shown}/${name}`;
      const saved = await place.open(undo);
      await replaceBy(source, {
        ...{ config, name, keptIn, keeps: false, files: true, details: { from } },
        async settle(tx) {
          const at = Date.now();
          const cancelled = await settleRestored(tx, { asked, from, undo, kept, at });
          // As late as possible.
          await assertUnchanged(config.dataDir, saved?.manifest?.rows);
          restores.tell({ step: 'restoring', cancelled });
        },
        onProgress: () => {},
        signal: stop,
      });
    } finally {
      place.close();
    }
  }

  #start(app: App): Promise<App> {
    const { config, log, restores } = this.#deps;
    return startApp(config, log, undefined, undefined, { restores, before: app });
  }

  /** Puts the database back that was there, since the service does not start with the other one. */
  async #bringBack(folder: string): Promise<void> {
    const { config } = this.#deps;
    const { replaceDatabase } = await import('../../store/sqlite/replace.ts');
    const file = join(config.dataDir, SQLITE_FILE);
    const earlier = join(folder, SQLITE_FILE);
    await replaceDatabase(earlier, file, join(folder, 'unusable')).catch((error) => {
      const reason = describeError(error).text;
      throw new CommandFailure(
        `The service does not start with the backup, and its database could not be put back: ${reason} It is ${earlier}; before the next start: ws01 restore ${shellWord(folder)} --yes --replace`,
      );
    });
  }

  #fail(fault: string): void {
    const { log, restores } = this.#deps;
    log.error({ reason: fault }, 'the backup was not restored; the service goes on as before');
    // The stack of an error that nobody expected is for the log.
    restores.tell({ step: 'failed', fault: fault.split('\n', 1)[0] });
  }
}

/** What a restored database gets from the one before, which no service has open. */
async function keptOf(dataDir: string): Promise<KeptFromBefore> {
  const store = await openStore({ dataDir, guest: true, schema: 'require', readsOnly: true });
  try {
    return await store.read(async (db) => ({
      backups: await db.selectFrom('backups').selectAll().execute(),
      sessions: await db.selectFrom('admin_sessions').select('hash').execute(),
    }));
  } finally {
    await store.close();
  }
}

/**
 * Whether a database has the rows that its backup has. Commands may write while the service is
 * closed; neither the backup nor the restored database would have that.
 * @throws {CommandFailure} if not.
 */
async function assertUnchanged(dataDir: string, saved: RowCounts | undefined): Promise<void> {
  const { SqliteSnapshot } = await import('../../store/sqlite/snapshot.ts');
  const snapshot = await SqliteSnapshot.open(dataDir);
  try {
    // The backup itself is recorded while it is made.
    const now = { ...snapshot.counts(), backups: saved?.backups };
    if (!isDeepStrictEqual(now, { ...saved })) throw new CommandFailure(CHANGED);
  } finally {
    snapshot.close();
  }
}
