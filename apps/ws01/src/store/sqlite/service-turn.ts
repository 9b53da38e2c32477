import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { isFailureOf } from '../../failure/dependency-error.ts';
import { restAfter } from '../in-background.ts';
import { sqliteError } from './errors.ts';

/**
 * The lock's file in the data folder. A service makes it when it first waits, and it stays there,
 * empty.
 */
const LOCK_FILE = 'ws01.turn';

/** A command waits so long for a service that waits, which may have been stopped by SIGSTOP; ms. */
const LONGEST_COURTESY_MS = 250;

/**
 * Who goes first when a service and commands write the same file. SQLite has no queue: the process
 * that asks at the right moment gets the file. A command that commits and begins again at once
 * always wins against a service that tries now and then. So a service that waits holds a lock, and
 * a command begins no transaction meanwhile. The lock is one of the operating system, so nothing of
 * it is left after `kill -9`.
 */
export class ServiceTurn {
  readonly #role: 'service' | 'command';
  readonly #file: string;
  #lock: DatabaseSync | undefined;
  #asked = false;
  /** When the last transaction began; `undefined` before the first. */
  #beganAt: number | undefined;

  constructor(role: 'service' | 'command', dataDir: string) {
    this.#role = role;
    this.#file = join(dataDir, LOCK_FILE);
  }

  /** Called when the file was not free: a service asks for the next turn. */
  ask(): void {
    if (this.#role === 'command' || this.#asked) return;
    try {
      // Without a journal on the disk, which may be full.
      this.#open().exec('pragma journal_mode = memory; begin exclusive');
      this.#asked = true;
    } catch {
      // A command is just looking; or the disk fails, which the transaction itself will tell.
    }
  }

  /** Called when a transaction has begun, or nobody waits for it. */
  take(): void {
    this.#beganAt = performance.now();
    if (!this.#asked) return;
    this.#asked = false;
    this.#lock?.exec('rollback');
  }

  /**
   * For a command that wants to begin a transaction: resolves when it may. One for which a service
   * had to wait rests first. For a service at once.
   */
  async pass(): Promise<void> {
    if (this.#role === 'service' || !this.#serviceWaits()) return;
    const now = performance.now();
    const sinceLast = now - (this.#beganAt ?? now);
    await this.#served();
    await sleep(restAfter(sinceLast));
    await this.#served();
  }

  close(): void {
    this.#lock?.close();
    this.#lock = undefined;
  }

  /** Resolves when the service has what it waited for, or seems to hang. */
  async #served(): Promise<void> {
    const until = performance.now() + LONGEST_COURTESY_MS;
    while (this.#serviceWaits() && performance.now() < until) await sleep(1);
  }

  #serviceWaits(): boolean {
    if (this.#lock === undefined && !existsSync(this.#file)) return false;
    try {
      this.#open().exec('select 1 from sqlite_schema');
      return false;
    } catch (error) {
      return isBusy(sqliteError(error));
    }
  }

  #open(): DatabaseSync {
    this.#lock ??= new DatabaseSync(this.#file, { timeout: 0 });
    return this.#lock;
  }
}

/** Longest pause between two attempts; ms. */
const LONGEST_PAUSE = 10;

export function isBusy(error: unknown): boolean {
  return isFailureOf('database', error, 'busy');
}

/**
 * Retries work that another process's lock prevents, without blocking the event loop as SQLite's
 * own busy handler does.
 * @param giveUp called after a failed attempt; returns whether it was the last.
 * @returns whether an attempt succeeded.
 * @throws any other error of the attempt.
 */
export async function retryWhileBusy(
  attempt: () => void,
  giveUp: (error: unknown) => boolean,
): Promise<boolean> {
  for (let pause = 1; ; pause = Math.min(pause * 2, LONGEST_PAUSE)) {
    try {
      attempt();
      return true;
    } catch (error) {
      if (!isBusy(error)) {
        throw error;
      }
      if (giveUp(error)) {
        return false;
      }
    }
    await sleep(pause);
  }
}
