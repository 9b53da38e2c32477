import { createHash, type Hash, randomUUID } from 'node:crypto';
import { type FileHandle, open, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DiskTurns } from './disk-turns.ts';
import { makeFolder } from './durable.ts';
import { guarded, ifMissing } from './errors.ts';
import { inParallel } from './in-parallel.ts';

/** A complete file in the spool, until it is stored or its call ends. */
export interface ReceivedFile {
  readonly path: string;
  readonly bytes: number;
  /** SHA-256, in lower-case hexadecimal digits. */
  readonly hash: string;
}

/**
 * Receives one file in pieces: `write`s, `finish`, then `release`. Memory is bounded, see
 * {@link STEP_BYTES}.
 */
export interface Upload {
  /**
   * Takes a piece. The caller may reuse it when the call returns, or its promise resolves.
   * @throws {DependencyError} when an earlier piece could not be written.
   */
  write(piece: Uint8Array): void | Promise<void>;
  finish(): Promise<ReceivedFile>;
  /** Cancels the upload: a write that waits for the disk fails. Call {@link release} afterwards. */
  abandon(): void;
  /** Removes the file if it is still in the spool. Never throws. */
  release(): Promise<void>;
}

/** Files that are removed at once. */
const REMOVED_AT_ONCE = 8;

/**
 * A folder for temporary files: uploads, copies, archives in progress. The sweep removes what a
 * crash leaves.
 */
export class Spool {
  readonly #folder: string;
  readonly #turns: DiskTurns;
  #made: Promise<void> | undefined;

  /** @param folder is made on first use. */
  constructor(folder: string, turns: DiskTurns) {
    this.#folder = folder;
    this.#turns = turns;
  }

  /** Starts to receive a file. The caller bounds its size. */
  receive(): Upload {
    return new SpooledUpload(() => this.#newPath(), this.#turns);
  }

  /** Runs work that makes a file at a path. The file is removed afterwards if it is still there. */
  async withTemporary<T>(work: (path: string) => Promise<T>): Promise<T> {
    const path = await this.#newPath();
    try {
      return await work(path);
    } finally {
      await this.#remove(path);
    }
  }

  /** As {@link withTemporary}, with several files. */
  async withTemporaries<T>(
    count: number,
    work: (paths: readonly string[]) => Promise<T>,
  ): Promise<T> {
    const paths: string[] = [];
    while (paths.length < count) paths.push(await this.#newPath());
    try {
      return await work(paths);
    } finally {
      await inParallel(paths, REMOVED_AT_ONCE, (path) => this.#remove(path));
    }
  }

  /** Returns the number and size of the files in the spool. */
  async usage(): Promise<{ readonly files: number; readonly bytes: number }> {
    const names = await this.#names();
    let bytes = 0;
    for (const name of names)
      bytes += await stat(join(this.#folder, name)).then(({ size }) => size, ifMissing(0));
    return { files: names.length, bytes };
  }

  /** Returns the time of the file system's clock, which may be another machine's. */
  now(): Promise<number> {
    return this.withTemporary((path) =>
      this.#turns.take('write', async () => {
        await writeFile(path, 'now', { flag: 'wx', mode: 0o600 });
        return (await stat(path)).mtimeMs;
      }),
    );
  }

  /**
   * Removes files that were last written before an instant.
   * @returns how many.
   */
  async sweep(before: number): Promise<number> {
    let removed = 0;
    for (const name of await this.#names()) {
      const path = join(this.#folder, name);
      const { mtimeMs } = await this.#turns.take('write', () =>
        stat(path).catch(ifMissing({ mtimeMs: Number.POSITIVE_INFINITY })),
      );
      if (mtimeMs >= before) continue;
      await this.#remove(path);
      removed++;
    }
    return removed;
  }

  #names(): Promise<readonly string[]> {
    return this.#turns.take('write', () =>
      readdir(this.#folder).catch(ifMissing<readonly string[]>([])),
    );
  }

  #remove(path: string): Promise<void> {
    return this.#turns.take('write', () => rm(path, { force: true }), { patient: true });
  }

  async #newPath(): Promise<string> {
    this.#made ??= guarded(() => this.#turns.take('write', () => makeFolder(this.#folder))).catch(
      (error: unknown) => {
        this.#made = undefined;
        throw error;
      },
    );
    await this.#made;
    return join(this.#folder, randomUUID());
  }
}

/**
 * A file is written in steps of this size. While one step is written the next one is filled, so
 * that two are in memory.
 */
const STEP_BYTES = 256 * 1024;
/**
 * The first step starts with this size and grows, because most uploads are small or no file at all.
 */
const FIRST_STEP_BYTES = 4 * 1024;

const NOTHING = Buffer.alloc(0);

class SpooledUpload implements Upload {
  readonly #newPath: () => Promise<string>;
  readonly #turns: DiskTurns;
  readonly #hash: Hash = createHash('sha256');
  #file: Promise<{ readonly path: string; readonly handle: FileHandle }> | undefined;
  #bytes = 0;
  /** The step being filled, and its used length. */
  #step: Buffer<ArrayBuffer> = NOTHING;
  #length = 0;
  readonly #released = new AbortController();
  /** The step being written. */
  #writing: Promise<Buffer<ArrayBuffer> | undefined> = Promise.resolve(undefined);

  constructor(newPath: () => Promise<string>, turns: DiskTurns) {
    this.#newPath = newPath;
    this.#turns = turns;
  }

  write(piece: Uint8Array): void | Promise<void> {
    this.#bytes += piece.length;
    const taken = this.#collect(piece);
    return taken < piece.length ? this.#writeOn(piece, taken) : undefined;
  }

  finish(): Promise<ReceivedFile> {
    return guarded(async () => {
      await this.#flush();
      await this.#writing;
      const { path, handle } = await this.#open();
      await this.#turns.take('write', () => handle.close(), { patient: true });
      return { path, bytes: this.#bytes, hash: this.#hash.digest('hex') };
    });
  }

  /** Fills and writes steps until the piece is used up. */
  async #writeOn(piece: Uint8Array, from: number): Promise<void> {
    for (let taken = from; taken < piece.length; taken += this.#collect(piece.subarray(taken))) {
      await guarded(() => this.#flush());
    }
  }

  /**
   * Copies a piece into the step.
   * @returns how many bytes fitted.
   */
  #collect(piece: Uint8Array): number {
    const taken = piece.subarray(0, STEP_BYTES - this.#length);
    this.#makeRoom(this.#length + taken.length);
    this.#step.set(taken, this.#length);
    this.#length += taken.length;
    return taken.length;
  }

  #makeRoom(bytes: number): void {
    if (bytes <= this.#step.length) return;
    let size = Math.max(FIRST_STEP_BYTES, this.#step.length);
    while (size < bytes) size *= 2;
    const larger = Buffer.allocUnsafeSlow(size);
    this.#step.copy(larger, 0, 0, this.#length);
    this.#step = larger;
  }

  /** Writes the step after the previous one; the previous step's memory becomes the next step. */
  async #flush(): Promise<void> {
    const free = await this.#writing;
    const full = this.#step;
    const bytes = full.subarray(0, this.#length);
    this.#step = free ?? NOTHING;
    this.#length = 0;
    this.#hash.update(bytes);
    this.#writing = this.#toDisk(bytes).then(() => full);
    // The next step, or the end, reports the error.
    this.#writing.catch(() => {});
  }

  async #toDisk(bytes: Buffer): Promise<void> {
    const { handle } = await this.#open();
    const write = async () => {
      for (let from = 0; from < bytes.length; ) {
        from += (await handle.write(bytes, from, bytes.length - from)).bytesWritten;
      }
    };
    await this.#turns.take('write', write, { signal: this.#released.signal });
  }

  /** Cancels operations that wait for their turn, because they hold memory. */
  abandon(): void {
    this.#released.abort();
    this.#step = NOTHING;
    this.#length = 0;
  }

  async release(): Promise<void> {
    this.abandon();
    try {
      await this.#writing.catch(() => {});
      const file = await this.#file;
      if (file === undefined) return;
      const discard = async () => {
        await file.handle.close();
        await rm(file.path, { force: true });
      };
      await this.#turns.take('write', discard, { patient: true });
    } catch {
      // The file could not be opened or removed; the sweep removes it later.
    }
  }

  #open() {
    this.#file ??= this.#newPath().then(async (path) => ({
      path,
      handle: await this.#turns.take('write', () => open(path, 'wx', 0o600), {
        signal: this.#released.signal,
      }),
    }));
    return this.#file;
  }
}
