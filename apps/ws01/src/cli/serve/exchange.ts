import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from 'pino';
import type { App } from '../../app/running.ts';
import type { Config } from '../../config/config.ts';
import { settleRestored } from '../../domain/backup/after-restore.ts';
import type { AskedRestore, Restores } from '../../domain/backup/restores.ts';
import { makeWorkFolder } from '../../domain/backup/work-folders.ts';
import { isFailureOf } from '../../failure/dependency-error.ts';
import { openStore } from '../../store/open.ts';
import { SQLITE_FILE } from '../../store/sqlite/file.ts';
import { holdDataDir } from '../../store/sqlite/service-lock.ts';
import type { BackupsTable } from '../../store/tables/tables.ts';
import { CommandFailure, describeError } from '../failure.ts';
import { startApp } from './start-app.ts';

interface ExchangeDeps {
  readonly config: Config;
  readonly log: Logger;
  readonly restores: Restores;
  /** The service is to stop. */
  readonly stop: AbortSignal;
}

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
   * @throws the error of a start with the database that it had.
   */
  async of(app: App, asked: AskedRestore): Promise<App> {
    const { config, log, restores, stop } = this.#deps;
    // For the database that is there, until the service runs with the other one.
    const folder = await makeWorkFolder(config.dataDir, 'exchange').catch((error) => {
      this.#fail(describeError(error).text);
    });
    if (folder === undefined) return app;
    try {
      log.warn({ backup: asked.name }, 'the service closes to restore a backup');
      restores.tell({ step: 'saving' });
      await app.suspend();
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
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
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
    const backups = await knownBackups(config.dataDir);
    restores.tell({ step: 'restoring', undo: backups.find(({ name }) => name === undo) });
    const { place } = await openLocation(undefined, config, async () => false);
    try {
      const { name } = asked;
      const source = await place.open(name);
      if (source === undefined) throw noBackup(place, name);
      if (source.database !== SQLITE_FILE)
        throw new CommandFailure('The backup is of PostgreSQL; this service has SQLite.');
      const from = `${place.shown}/${name}`;
      await replaceBy(source, {
        ...{ config, name, keptIn, keeps: false, files: true, details: { from } },
        async settle(tx) {
          const at = Date.now();
          const cancelled = await settleRestored(tx, { asked, from, undo, backups, at });
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
    await replaceDatabase(join(folder, SQLITE_FILE), file, join(folder, 'unusable'));
  }

  #fail(fault: string): void {
    const { log, restores } = this.#deps;
    log.error({ reason: fault }, 'the backup was not restored; the service goes on as before');
    restores.tell({ step: 'failed', fault });
  }
}

/** The backups that a database knows, which no service has open. */
async function knownBackups(dataDir: string): Promise<readonly BackupsTable[]> {
  const store = await openStore({ dataDir, guest: true, schema: 'require', readsOnly: true });
  try {
    return await store.read((db) => db.selectFrom('backups').selectAll().execute());
  } finally {
    await store.close();
  }
}
