import { CompiledQuery } from 'kysely';
import type { SqliteConnection } from './connection.ts';
import type { ThreadConnection } from './thread-connection.ts';

/** A checkpoint starts when this many pages of 4 KiB are only in the log: 16 MiB. */
const START_PAGES = 4_000;

/** Writes wait when the log has this many pages, or it would grow for ever under constant load: 64 MiB. */
const WAIT_PAGES = 16_000;

/** Returns the length of the log and how much of it has been moved; changes nothing. */
const LOOK = CompiledQuery.raw('pragma wal_checkpoint(noop)');

/** Moves what is possible without blocking anyone. */
const MOVE = CompiledQuery.raw('pragma wal_checkpoint(passive)');

/**
 * Moves the write-ahead log into the database file from time to time, on a thread of its own. SQLite would do it inside
 * a commit: in a large database the pages are far apart, and everything else would wait for the disk for a quarter of a
 * second and more.
 */
export class Checkpoints {
  readonly #writer: SqliteConnection;
  readonly #thread: ThreadConnection;
  #running: Promise<void> | undefined;
  /** Length of the log now, at the last checkpoint, and when writes last waited for one; pages. */
  #log = 0;
  #movedAt = 0;
  #waitedAt = 0;

  constructor(writer: SqliteConnection, thread: ThreadConnection) {
    this.#writer = writer;
    this.#thread = thread;
  }

  /** Called after each commit; starts a checkpoint if it is due. */
  async committed(): Promise<void> {
    try {
      const { rows } = await this.#writer.executeQuery<{ log: number; checkpointed: number }>(LOOK);
      const { log, checkpointed } = rows[0]!;
      if (log < this.#log) this.#movedAt = this.#waitedAt = 0;
      this.#log = log;
      if (this.#running !== undefined || log - Math.max(checkpointed, this.#movedAt) < START_PAGES) return;
      this.#running = this.#move();
    } catch {
      // The next write reports a database that cannot be used.
    }
  }

  /**
   * If the log is too long, waits until it has been moved completely while nothing is written, so that it starts again.
   * A reader may prevent that; then the log grows until as many more pages have come.
   */
  async room(): Promise<void> {
    if (this.#log - this.#waitedAt < WAIT_PAGES) return;
    this.#waitedAt = this.#log;
    await this.#running;
    await this.#move();
  }

  /** Waits for the checkpoint in progress. */
  async close(): Promise<void> {
    await this.#running;
    await this.#thread.close();
  }

  async #move(): Promise<void> {
    this.#movedAt = this.#log;
    try {
      await this.#thread.executeQuery(MOVE);
    } catch {
      // The next write or readiness check reports a failing disk; the log keeps everything.
    } finally {
      this.#running = undefined;
    }
  }
}
