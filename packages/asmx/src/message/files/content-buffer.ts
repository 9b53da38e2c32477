import { randomUUID } from 'node:crypto';
import { type FileHandle, open, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** As many bytes wait in memory. */
const MEMORY_BYTES = 64 * 1024;
const STEP_BYTES = 64 * 1024;

/**
 * Bytes that wait until it is known whether they are wanted. Few stay in memory; more go to a
 * temporary file whose name is removed at once, so that nothing is left when it is closed or the
 * process dies.
 */
export class ContentBuffer {
  #pieces: Uint8Array[] = [];
  #length = 0;
  #file: FileHandle | undefined;
  #abandoned = false;

  /** @param piece not changed afterwards. */
  write(piece: Uint8Array): Promise<void> {
    if (this.#abandoned) return Promise.resolve();
    this.#length += piece.length;
    this.#pieces.push(piece);
    return this.#length <= MEMORY_BYTES ? Promise.resolve() : this.#toDisk();
  }

  /** The bytes are for nobody: those that wait for the disk are dropped. */
  abandon(): void {
    this.#abandoned = true;
    this.#pieces = [];
  }

  async #toDisk(): Promise<void> {
    await inTurn(async () => {
      if (this.#abandoned) return;
      this.#file ??= await openNameless();
      for (const waiting of this.#pieces) await this.#file.appendFile(waiting);
    });
    this.#pieces = [];
  }

  /** What was written, in order; each piece holds until the next is asked for. */
  async *read(): AsyncGenerator<Uint8Array> {
    if (this.#file === undefined) {
      yield* this.#pieces;
      return;
    }
    const step = Buffer.allocUnsafe(STEP_BYTES);
    for (let at = 0; at < this.#length; ) {
      const file = this.#file;
      const { bytesRead } = await inTurn(() => file.read(step, 0, STEP_BYTES, at));
      if (bytesRead === 0) throw new Error('A spool file has lost its bytes.');
      yield step.subarray(0, bytesRead);
      at += bytesRead;
    }
  }

  /** Drops the bytes; harmless when repeated. */
  async release(): Promise<void> {
    this.#pieces = [];
    const file = this.#file;
    this.#file = undefined;
    if (file !== undefined) await inTurn(() => file.close());
  }
}

let lastTurn: Promise<unknown> = Promise.resolve();

/**
 * Of all buffers of the process one is with the disk at a time: a disk that never answers takes one
 * thread of Node's pool.
 */
function inTurn<T>(work: () => Promise<T>): Promise<T> {
  const turn = lastTurn.then(work);
  lastTurn = turn.catch(() => {});
  return turn;
}

async function openNameless(): Promise<FileHandle> {
  const path = join(tmpdir(), randomUUID());
  const file = await open(path, 'wx+', 0o600);
  await unlink(path);
  return file;
}
