import { write, writeSync } from 'node:fs';

/** Maximum size of all waiting lines; bytes. */
const WAITING_BYTES = 4 * 1024 * 1024;
/** Additional room for errors; bytes. */
const RESERVED_BYTES = 1024 * 1024;

/** Delay after a failed write, and after one that found a pipe full; ms. */
const RETRY_MS = 1_000;
const FULL_PIPE_MS = 10;

/** How long lines are collected before a write; ms. A write costs as much as forty lines. */
const COLLECT_MS = 20;

interface LogStreamOptions {
  /** Writes within the call, for a terminal. */
  readonly sync: boolean;
  /** Maximum size of a write, unless one line is longer: lines stay whole; bytes. */
  readonly maxWrite: number;
}

/**
 * Writes lines to a file descriptor, several in one write.
 *
 * The log never harms the service. If it cannot be written (the disk is full, nobody reads the
 * pipe), the newest lines are dropped when too many wait, errors last; writing is retried, and
 * afterwards a line says how many are missing.
 *
 * Not pino's SonicBoom (4.2): on a full disk its `flushSync` at the end of a process retries for
 * ever, so that a service never stops; and with `sync` a full pipe blocks the process in steps of
 * 100 ms.
 */
export class LogStream {
  readonly #fd: number;
  readonly #options: LogStreamOptions;
  /** In order; each within the size of one write, unless it is one long line. */
  readonly #chunks: string[] = [];
  /** Size of the last chunk, and of all; bytes. */
  #lastBytes = 0;
  #waiting = 0;
  /** The rest of a chunk after a partial write. */
  #rest: Buffer | undefined;
  #writing = false;
  #lost = 0;
  /**
   * Why the last write failed, and nothing was written since; a pipe that is full for a moment does
   * not count.
   */
  trouble: string | undefined;

  constructor(fd: number, options: LogStreamOptions) {
    this.#fd = fd;
    this.#options = options;
    process.once('exit', () => this.#flush());
  }

  /**
   * Queues a line, which includes its line feed. Never throws.
   * @param isError whether the line may use the reserved room.
   */
  write(line: string, isError = false): void {
    const bytes = Buffer.byteLength(line);
    if (this.#waiting + bytes > WAITING_BYTES + (isError ? RESERVED_BYTES : 0)) {
      this.#lost++;
      return;
    }
    this.#push(line, bytes);
    if (this.#options.sync) this.#flush();
    else if (!this.#writing) this.#collect();
  }

  /** Schedules a write. At the end of the process the rest is written at once. */
  #collect(): void {
    this.#writing = true;
    const begin = () => {
      this.#writing = false;
      this.#writeNext();
    };
    setTimeout(begin, COLLECT_MS).unref();
  }

  #push(line: string, bytes = Buffer.byteLength(line)): void {
    const last = this.#chunks.length - 1;
    if (last >= 0 && this.#lastBytes + bytes <= this.#options.maxWrite) {
      this.#chunks[last] += line;
      this.#lastBytes += bytes;
    } else {
      this.#chunks.push(line);
      this.#lastBytes = bytes;
    }
    this.#waiting += bytes;
  }

  #take(): Buffer | undefined {
    if (this.#rest !== undefined) return this.#rest;
    const chunk = this.#chunks.shift();
    if (chunk === undefined) return undefined;
    const bytes = Buffer.from(chunk);
    this.#waiting -= bytes.length;
    return bytes;
  }

  #writeNext(): void {
    const bytes = this.#take();
    if (bytes === undefined) return;
    this.#writing = true;
    write(this.#fd, bytes, (error, written) => {
      this.#settle(bytes, error === null ? written : 0);
      if (error === null) this.trouble = undefined;
      else if (error.code !== 'EAGAIN') this.trouble = error.code;
      if (error === null) {
        this.#writing = false;
        // A full chunk is written at once.
        if (this.#rest !== undefined || this.#chunks.length > 1) this.#writeNext();
        else if (this.#waiting > 0) this.#collect();
        return;
      }
      const again = () => {
        this.#writing = false;
        this.#writeNext();
      };
      // Does not keep the process alive.
      setTimeout(again, error.code === 'EAGAIN' ? FULL_PIPE_MS : RETRY_MS).unref();
    });
  }

  /** Notes the rest after a write; after a complete one, reports dropped lines. */
  #settle(bytes: Buffer, written: number): void {
    this.#rest = written < bytes.length ? bytes.subarray(written) : undefined;
    if (this.#rest !== undefined || this.#lost === 0) return;
    const lost = this.#lost;
    this.#lost = 0;
    const told = {
      level: 'warn',
      time: new Date().toISOString(),
      pid: process.pid,
      lost,
      msg: 'log lines were lost',
    };
    this.#push(`${JSON.stringify(told)}\n`);
  }

  /**
   * Writes the waiting lines synchronously; what cannot be written is left. A write in progress
   * ends by itself, before or after.
   */
  #flush(): void {
    for (let bytes = this.#take(); bytes !== undefined; bytes = this.#take()) {
      try {
        this.#settle(bytes, writeSync(this.#fd, bytes));
      } catch {
        // There is nowhere to report it; the next line tries again.
        this.#rest = bytes;
        return;
      }
    }
  }
}
