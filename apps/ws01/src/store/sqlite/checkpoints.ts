import { fdatasync } from 'node:fs';
import { promisify } from 'node:util';
import { CompiledQuery } from 'kysely';
import type { SqliteConnection } from './connection.ts';
import type { ThreadConnection } from './thread-connection.ts';

/** A checkpoint starts when this many pages of 4 KiB are only in the log: 16 MiB. */
const START_PAGES = 4_000;

/**
 * From here on writes wait for the rest of the log, or it would grow for ever under constant load:
 * 64 MiB.
 */
const WAIT_PAGES = 16_000;

/** The rest is so short that writes may wait for it; 2 MiB. */
const REST_PAGES = 500;

/** How often a longer rest is moved before writes wait for it. */
const ATTEMPTS = 3;

/** Where writes outrun the disk, they wait for whatever is left: 96 MiB. */
const MOST_PAGES = 24_000;

/** Returns the length of the log and how much of it has been moved; changes nothing. */
const LOOK = CompiledQuery.raw('pragma wal_checkpoint(noop)');

/** Moves what is possible without blocking anyone. */
const MOVE = CompiledQuery.raw('pragma wal_checkpoint(passive)');

const syncFile = promisify(fdatasync);

/**
 * Moves the write-ahead log into the database file from time to time, on a thread of its own.
 * SQLite would do it inside a commit: in a large database the pages are far apart, and everything
 * else would wait for the disk for a quarter of a second and more.
 */
export class Checkpoints {
  readonly #file: number | undefined;
  readonly #writer: SqliteConnection;
  readonly #thread: ThreadConnection;
  #running: Promise<void> | undefined;
  /** Length of the log now, at the last checkpoint, and when writes last waited for one; pages. */
  #log = 0;
  #movedAt = 0;
  #waitedAt = 0;
  /** Whether a long log has been moved but for its rest, and the database file is on the disk. */
  #nearlyMoved = false;

  /**
   * @param file file descriptor of the database file, to sync it before writes wait; without it
   *   they wait longer.
   */
  constructor(writer: SqliteConnection, thread: ThreadConnection, file?: number) {
    this.#file = file;
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
      if (this.#running !== undefined || log - Math.max(checkpointed, this.#movedAt) < START_PAGES)
        return;
      this.#running = this.#approach();
    } catch {
      // The next write reports a database that cannot be used.
    }
  }

  /**
   * If the log is too long, waits until its rest has been moved while nothing is written, so that
   * it starts again. A reader may prevent that; then it grows until as many more pages have come.
   */
  async room(): Promise<void> {
    if (!this.#nearlyMoved && this.#grown < MOST_PAGES) return;
    await this.#running;
    this.#nearlyMoved = false;
    this.#waitedAt = this.#log;
    await this.#move();
  }

  /** Waits for the checkpoint in progress. */
  async close(): Promise<void> {
    await this.#running;
    await this.#thread.close();
  }

  /** Pages that have come since writes last waited. */
  get #grown(): number {
    return this.#log - this.#waitedAt;
  }

  /**
   * A checkpoint while writes go on. In a long log it is repeated until the rest is short. SQLite
   * syncs the database file only when it has moved the whole log, which is when writes wait; so
   * this does most of that before.
   */
  async #approach(): Promise<void> {
    await this.#move();
    for (let attempt = 1; this.#grown >= WAIT_PAGES && !this.#nearlyMoved; attempt++) {
      // A failure is reported to SQLite's own descriptor as well.
      if (this.#file !== undefined) await syncFile(this.#file).catch(() => {});
      this.#nearlyMoved = attempt === ATTEMPTS || this.#log - this.#movedAt < REST_PAGES;
      if (!this.#nearlyMoved) await this.#move();
    }
    this.#running = undefined;
  }

  async #move(): Promise<void> {
    this.#movedAt = this.#log;
    try {
      await this.#thread.executeQuery(MOVE);
    } catch {
      // The next write or readiness check reports a failing disk; the log keeps everything.
    }
  }
}
