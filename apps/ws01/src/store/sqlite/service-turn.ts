import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { isBusy, retryWhileBusy } from './busy.ts';
import { sqliteError } from './errors.ts';

/** The lock's file in the data folder. It stays there, empty. */
const LOCK_FILE = 'ws01.turn';

/** A command waits so long for a service that waits, which may have been stopped by SIGSTOP; ms. */
const LONGEST_COURTESY_MS = 250;

/**
 * Who goes first when a service and commands write the same file. SQLite has no queue: who asks at the right moment
 * gets the file, and that is a command that commits and at once begins again, not a service that tries now and then.
 * So a service that waits holds a lock, and a command begins no transaction meanwhile. The lock is one of the operating
 * system, so nothing of it is left after `kill -9`.
 */
export class ServiceTurn {
  readonly #role: 'service' | 'command';
  readonly #file: string;
  #lock: DatabaseSync | undefined;
  #asked = false;

  constructor(role: 'service' | 'command', dataDir: string) {
    this.#role = role;
    this.#file = join(dataDir, LOCK_FILE);
  }

  /** Called when the file was not free: a service asks for the next turn. */
  ask(): void {
    if (this.#role === 'command' || this.#asked) return;
    try {
      this.#open().exec('begin exclusive');
      this.#asked = true;
    } catch {
      // A command is just looking; or the disk fails, which the transaction itself will tell.
    }
  }

  /** Called when the service has its turn, or waits no more. */
  take(): void {
    if (!this.#asked) return;
    this.#asked = false;
    this.#lock?.exec('rollback');
  }

  /** Resolves when no service waits, for a command that wants to begin a transaction; at once for a service. */
  async pass(): Promise<void> {
    if (this.#role === 'service') return;
    const until = performance.now() + LONGEST_COURTESY_MS;
    await retryWhileBusy(
      () => this.#look(),
      () => performance.now() > until,
    );
  }

  close(): void {
    this.#lock?.close();
    this.#lock = undefined;
  }

  /** @throws {DependencyError} `busy` while a service waits. */
  #look(): void {
    try {
      this.#open().exec('select 1 from sqlite_schema');
    } catch (error) {
      const cause = sqliteError(error);
      if (isBusy(cause)) throw cause;
    }
  }

  #open(): DatabaseSync {
    this.#lock ??= new DatabaseSync(this.#file, { timeout: 0 });
    return this.#lock;
  }
}
