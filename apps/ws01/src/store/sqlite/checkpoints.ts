import { CompiledQuery } from 'kysely';
import type { SqliteConnection } from './connection.ts';
import type { ThreadConnection } from './thread-connection.ts';

/** So many pages of 4 KiB that are in the log and not in the database file are moved there: 16 MiB. */
const START_PAGES = 4_000;

/** A log of so many pages lets writes wait: under a load without a pause it would grow for ever; 64 MiB. */
const WAIT_PAGES = 16_000;

/** Tells how many pages the log has and how many of them have been moved, and does nothing. */
const LOOK = CompiledQuery.raw('pragma wal_checkpoint(noop)');

/** Moves what it can without waiting for anybody or letting anybody wait. */
const MOVE = CompiledQuery.raw('pragma wal_checkpoint(passive)');

/**
 * Moves the write-ahead log into the database file from time to time, on its own thread. SQLite would do so inside
 * a commit: in a large database the pages lie far apart, and everything else would wait for the disk, a quarter of a
 * second and more.
 */
export class Checkpoints {
  readonly #writer: SqliteConnection;
  readonly #thread: ThreadConnection;
  #running: Promise<void> | undefined;
  /** How long the log is, and how long it was when it was last moved, and when writes last waited for that; pages. */
  #log = 0;
  #movedAt = 0;
  #waitedAt = 0;

  constructor(writer: SqliteConnection, thread: ThreadConnection) {
    this.#writer = writer;
    this.#thread = thread;
  }

  /** Looks, after a commit, whether it is time. */
  async committed(): Promise<void> {
    try {
      const { rows } = await this.#writer.executeQuery<{ log: number; checkpointed: number }>(LOOK);
      const { log, checkpointed } = rows[0]!;
      if (log < this.#log) this.#movedAt = this.#waitedAt = 0;
      this.#log = log;
      if (this.#running !== undefined || log - Math.max(checkpointed, this.#movedAt) < START_PAGES) return;
      this.#running = this.#move();
    } catch {
      // A database that cannot be used tells the next write.
    }
  }

  /**
   * Waits, when the log has become too long, until it has been moved while nothing is written: then it begins again. A
   * reader may keep some of it from being moved; then it goes on growing, until as many pages more have come.
   */
  async room(): Promise<void> {
    if (this.#log - this.#waitedAt < WAIT_PAGES) return;
    this.#waitedAt = this.#log;
    await this.#running;
    await this.#move();
  }

  /** Waits for the move in progress. */
  async close(): Promise<void> {
    await this.#running;
    await this.#thread.close();
  }

  async #move(): Promise<void> {
    this.#movedAt = this.#log;
    try {
      await this.#thread.executeQuery(MOVE);
    } catch {
      // A disk that fails tells the next write, or the check of readiness; the log keeps what it has.
    } finally {
      this.#running = undefined;
    }
  }
}
