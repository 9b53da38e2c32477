import { write, writeSync } from 'node:fs';

/** Lines that wait to be written at most, together; bytes. */
const WAITING_BYTES = 4 * 1024 * 1024;
/** What errors may take beyond that; bytes. */
const RESERVED_BYTES = 1024 * 1024;

/** How long to wait after a write that failed, and after one that found a pipe full; ms. */
const RETRY_MS = 1_000;
const FULL_PIPE_MS = 10;

/** How long lines are collected before they are written; ms. A write costs as much as forty lines. */
const COLLECT_MS = 20;

interface LogStreamOptions {
  /** Written within the call: for a terminal. */
  readonly sync: boolean;
  /** Bytes given to the system in one write at most, unless one line has more: lines stay whole. */
  readonly maxWrite: number;
}

/**
 * Lines on their way to a file descriptor. Those of a moment go together in one write.
 *
 * The log never harms the service: when it cannot be written (the disk is full, nobody reads the pipe) the newest lines
 * are dropped as soon as too many wait, errors last, the writing is tried again, and a line says how many are missing
 * once it works.
 *
 * Not pino's SonicBoom (4.2): on a full disk what it does at the end of a process, `flushSync`, tries for ever, so that
 * a service that is asked to stop never ends; and in `sync` a full pipe halts the process by steps of 100 ms.
 */
export class LogStream {
  readonly #fd: number;
  readonly #options: LogStreamOptions;
  /** In order; each within the bound of one write, unless it is one long line. */
  readonly #chunks: string[] = [];
  /** Of the last chunk, and of all; bytes. */
  #lastBytes = 0;
  #waiting = 0;
  /** What of a chunk the last write left over. */
  #rest: Buffer | undefined;
  #writing = false;
  #lost = 0;

  constructor(fd: number, options: LogStreamOptions) {
    this.#fd = fd;
    this.#options = options;
    process.once('exit', () => this.#flush());
  }

  /**
   * Takes a line, with its line feed. Never throws.
   * @param isError whether there is room kept for it.
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

  /** Begins to write in a moment. What is left when the process ends is written then. */
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
      if (error === null) {
        this.#writing = false;
        // What fills a write is not kept waiting.
        if (this.#rest !== undefined || this.#chunks.length > 1) this.#writeNext();
        else if (this.#waiting > 0) this.#collect();
        return;
      }
      const again = () => {
        this.#writing = false;
        this.#writeNext();
      };
      // Does not keep a process alive that has nothing else to do.
      setTimeout(again, error.code === 'EAGAIN' ? FULL_PIPE_MS : RETRY_MS).unref();
    });
  }

  /** Notes what a write has left; after one that went to its end there may be losses to tell. */
  #settle(bytes: Buffer, written: number): void {
    this.#rest = written < bytes.length ? bytes.subarray(written) : undefined;
    if (this.#rest !== undefined || this.#lost === 0) return;
    const lost = this.#lost;
    this.#lost = 0;
    const told = { level: 'warn', time: new Date().toISOString(), pid: process.pid, lost, msg: 'log lines were lost' };
    this.#push(`${JSON.stringify(told)}\n`);
  }

  /** Writes what waits, now; what cannot be written now is left. A write in progress ends by itself, before or after it. */
  #flush(): void {
    for (let bytes = this.#take(); bytes !== undefined; bytes = this.#take()) {
      try {
        this.#settle(bytes, writeSync(this.#fd, bytes));
      } catch {
        // There is nowhere to say it; the next line tries again.
        this.#rest = bytes;
        return;
      }
    }
  }
}
