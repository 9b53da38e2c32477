import { createHash, type Hash, randomUUID } from 'node:crypto';
import { type FileHandle, open, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DiskTurns } from './disk-turns.ts';
import { makeFolder } from './durable.ts';
import { guarded, isMissing } from './errors.ts';
import { inParallel } from './in-parallel.ts';

/** A file that has arrived whole and waits in the spool until it is kept, or the call that brought it ends. */
export interface ReceivedFile {
  readonly path: string;
  readonly bytes: number;
  /** SHA-256, lower-case hexadecimal digits. */
  readonly hash: string;
}

/** Receives one file piece by piece: `write`s, `finish`, then `release`. Little of it is held, see {@link STEP_BYTES}. */
export interface Upload {
  /**
   * Takes a piece; it may be reused as soon as the call, or its promise, is done.
   * @throws {DependencyError} when the disk did not take what came before.
   */
  write(piece: Uint8Array): void | Promise<void>;
  finish(): Promise<ReceivedFile>;
  /** Nobody wants it any more: a write that waits for the disk fails. {@link release} follows. */
  abandon(): void;
  /** Removes the file, unless somebody has moved it away. Never throws. */
  release(): Promise<void>;
}

/** Files removed at once. */
const REMOVED_AT_ONCE = 8;

/** A folder for files that are on their way: uploads, copies, what is being made. What a crash leaves in it is swept. */
export class Spool {
  readonly #folder: string;
  readonly #turns: DiskTurns;
  #made: Promise<void> | undefined;

  /** @param folder made when it is first needed. */
  constructor(folder: string, turns: DiskTurns) {
    this.#folder = folder;
    this.#turns = turns;
  }

  /** Begins to receive a file. The caller bounds its size. */
  receive(): Upload {
    return new SpooledUpload(() => this.#newPath(), this.#turns);
  }

  /** Runs work that makes a file at a path; the file is removed afterwards unless it was moved away. */
  async withTemporary<T>(work: (path: string) => Promise<T>): Promise<T> {
    const path = await this.#newPath();
    try {
      return await work(path);
    } finally {
      await this.#remove(path);
    }
  }

  /** The same with several files. */
  async withTemporaries<T>(count: number, work: (paths: readonly string[]) => Promise<T>): Promise<T> {
    const paths: string[] = [];
    while (paths.length < count) paths.push(await this.#newPath());
    try {
      return await work(paths);
    } finally {
      await inParallel(paths, REMOVED_AT_ONCE, (path) => this.#remove(path));
    }
  }

  /** What lies in it now. */
  async usage(): Promise<{ readonly files: number; readonly bytes: number }> {
    const names = await this.#names();
    let bytes = 0;
    for (const name of names) bytes += await stat(join(this.#folder, name)).then(({ size }) => size, ifMissing(0));
    return { files: names.length, bytes };
  }

  /** The time by the clock of the file system, which may be that of another machine. */
  now(): Promise<number> {
    return this.withTemporary((path) =>
      this.#turns.take('write', async () => {
        await writeFile(path, 'now', { flag: 'wx', mode: 0o600 });
        return (await stat(path)).mtimeMs;
      }),
    );
  }

  /** Removes files that nobody has written to since an instant; @returns how many. */
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
    return this.#turns.take('write', () => readdir(this.#folder).catch(ifMissing<readonly string[]>([])));
  }

  #remove(path: string): Promise<void> {
    return this.#turns.take('write', () => rm(path, { force: true }), { patient: true });
  }

  async #newPath(): Promise<string> {
    this.#made ??= guarded(() => this.#turns.take('write', () => makeFolder(this.#folder))).catch((error: unknown) => {
      this.#made = undefined;
      throw error;
    });
    await this.#made;
    return join(this.#folder, randomUUID());
  }
}

/**
 * A file goes to the disk in steps of so many bytes, since each is waited for: while one is written the next is
 * collected, so that two are held.
 */
const STEP_BYTES = 256 * 1024;
/** What is collected grows from so much: most that begins to be received is no file, or a small one. */
const FIRST_STEP_BYTES = 4 * 1024;

const NOTHING = Buffer.alloc(0);

class SpooledUpload implements Upload {
  readonly #newPath: () => Promise<string>;
  readonly #turns: DiskTurns;
  readonly #hash: Hash = createHash('sha256');
  #file: Promise<{ readonly path: string; readonly handle: FileHandle }> | undefined;
  #bytes = 0;
  /** The step being collected, and how far it has come. */
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

  /** Writes the step whenever it is full, until the piece has been taken. */
  async #writeOn(piece: Uint8Array, from: number): Promise<void> {
    for (let taken = from; taken < piece.length; taken += this.#collect(piece.subarray(taken))) {
      await guarded(() => this.#flush());
    }
  }

  /** @returns how many bytes of the piece the step has had room for. */
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

  /** Begins to write the step, once the one before it has been written, whose memory is the next step's. */
  async #flush(): Promise<void> {
    const free = await this.#writing;
    const full = this.#step;
    const bytes = full.subarray(0, this.#length);
    this.#step = free ?? NOTHING;
    this.#length = 0;
    this.#hash.update(bytes);
    this.#writing = this.#toDisk(bytes).then(() => full);
    // It is told by the next step, or at the end.
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

  /** What waits for its turn is not wanted any more, and holds memory. */
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
      // Could not be opened, or not be removed: the sweep finds what is left.
    }
  }

  #open() {
    this.#file ??= this.#newPath().then(async (path) => ({
      path,
      handle: await this.#turns.take('write', () => open(path, 'wx', 0o600), { signal: this.#released.signal }),
    }));
    return this.#file;
  }
}

function ifMissing<T>(instead: T): (error: unknown) => T {
  return (error) => {
    if (isMissing(error)) return instead;
    throw error;
  };
}
