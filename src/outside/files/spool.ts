import { createHash, type Hash, randomUUID } from 'node:crypto';
import { type FileHandle, open, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Ws01Error } from '../../contract/errors.ts';
import { makeFolder } from './durable.ts';
import { guarded, isMissing } from './errors.ts';

/** A file that has arrived whole and waits in the spool until it is kept, or the call that brought it ends. */
export interface ReceivedFile {
  readonly path: string;
  readonly bytes: number;
  /** SHA-256, lower-case hexadecimal digits. */
  readonly hash: string;
}

/** Receives one file piece by piece: `write`s, `finish`, then `release`. Nothing is held but the piece being written. */
export interface Upload {
  /** @throws {Ws01Error} `TooLarge` over the limit; `StorageUnavailable` when the disk does not take it. */
  write(piece: Uint8Array): Promise<void>;
  finish(): Promise<ReceivedFile>;
  /** Removes the file, unless somebody has moved it away. Never throws. */
  release(): Promise<void>;
}

/** A folder for files that are on their way: uploads, copies, what is being made. What a crash leaves in it is swept. */
export class Spool {
  readonly #folder: string;
  #made: Promise<void> | undefined;

  /** @param folder made when it is first needed. */
  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Begins to receive a file of at most `limit` bytes. */
  receive(limit: number): Upload {
    return new SpooledUpload(() => this.#newPath(), limit);
  }

  /** Runs work that makes a file at a path; the file is removed afterwards unless it was moved away. */
  async withTemporary<T>(work: (path: string) => Promise<T>): Promise<T> {
    const path = await this.#newPath();
    try {
      return await work(path);
    } finally {
      await rm(path, { force: true });
    }
  }

  /** Removes files that nobody has written to since an instant; @returns how many. */
  async sweep(before: number): Promise<number> {
    let removed = 0;
    for (const name of await this.#names()) {
      const path = join(this.#folder, name);
      const writtenAt = await stat(path).then(({ mtimeMs }) => mtimeMs, ifMissing(Number.POSITIVE_INFINITY));
      if (writtenAt >= before) continue;
      await rm(path, { force: true });
      removed++;
    }
    return removed;
  }

  #names(): Promise<readonly string[]> {
    return readdir(this.#folder).catch(ifMissing<readonly string[]>([]));
  }

  async #newPath(): Promise<string> {
    this.#made ??= guarded(() => makeFolder(this.#folder)).catch((error: unknown) => {
      this.#made = undefined;
      throw error;
    });
    await this.#made;
    return join(this.#folder, randomUUID());
  }
}

class SpooledUpload implements Upload {
  readonly #newPath: () => Promise<string>;
  readonly #limit: number;
  readonly #hash: Hash = createHash('sha256');
  #file: Promise<{ readonly path: string; readonly handle: FileHandle }> | undefined;
  #bytes = 0;

  constructor(newPath: () => Promise<string>, limit: number) {
    this.#newPath = newPath;
    this.#limit = limit;
  }

  async write(piece: Uint8Array): Promise<void> {
    if (this.#bytes + piece.length > this.#limit) {
      throw new Ws01Error('TooLarge', `The file is over the limit of ${this.#limit} bytes.`, { parameter: 'FileImg' });
    }
    this.#hash.update(piece);
    await guarded(async () => {
      const { handle } = await this.#open();
      for (let from = 0; from < piece.length; ) {
        from += (await handle.write(piece, from, piece.length - from)).bytesWritten;
      }
    });
    this.#bytes += piece.length;
  }

  finish(): Promise<ReceivedFile> {
    return guarded(async () => {
      const { path, handle } = await this.#open();
      await handle.close();
      return { path, bytes: this.#bytes, hash: this.#hash.digest('hex') };
    });
  }

  async release(): Promise<void> {
    try {
      const file = await this.#file;
      if (file === undefined) return;
      await file.handle.close();
      await rm(file.path, { force: true });
    } catch {
      // Could not be opened, or not be removed: the sweep finds what is left.
    }
  }

  #open() {
    this.#file ??= this.#newPath().then(async (path) => ({ path, handle: await open(path, 'wx', 0o600) }));
    return this.#file;
  }
}

function ifMissing<T>(instead: T): (error: unknown) => T {
  return (error) => {
    if (isMissing(error)) return instead;
    throw error;
  };
}
