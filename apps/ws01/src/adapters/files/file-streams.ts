import { type FileHandle, open } from 'node:fs/promises';
import { Readable, Writable } from 'node:stream';
import type { DiskTurns, DiskUse } from './disk-turns.ts';
import type { ByteRange, FilePieces } from './file-store.ts';

const STEP_BYTES = 64 * 1024;

interface ReadOptions {
  readonly range?: ByteRange | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Opens a file, to be read in pieces by turns. All have the same memory: new memory for each would
 * have V8 look through all of the heap, at several times the cost of reading.
 * @param signal ends the wait to open it.
 * @throws errors of the file system and of {@link DiskTurns.take}; also each piece.
 */
export async function openPieces(
  path: string,
  turns: DiskTurns,
  { range, signal }: ReadOptions = {},
): Promise<FilePieces> {
  const file = await TurnedFile.toRead(path, turns, signal);
  const end = range === undefined ? Number.POSITIVE_INFINITY : range.end + 1;
  let isOpen = true;
  const destroy = () => {
    if (isOpen) file.close(null, () => {});
    isOpen = false;
  };
  const read = async function* () {
    try {
      const memory = Buffer.allocUnsafeSlow(STEP_BYTES);
      for (let at = range?.start ?? 0; at < end; ) {
        const length = Math.min(STEP_BYTES, end - at);
        const { bytesRead } = await file.use((handle) => handle.read(memory, 0, length, at));
        if (bytesRead === 0) return;
        at += bytesRead;
        yield memory.subarray(0, bytesRead);
      }
    } finally {
      destroy();
    }
  };
  return { destroy, [Symbol.asyncIterator]: read };
}

/**
 * Opens a file as a readable stream. Each step takes a turn, so that a slow reader holds no thread.
 * @param signal ends the wait to open it.
 * @throws errors of the file system and of {@link DiskTurns.take}.
 */
export async function readFileStream(
  path: string,
  turns: DiskTurns,
  { range, signal }: ReadOptions = {},
): Promise<Readable> {
  const file = await TurnedFile.toRead(path, turns, signal);
  const end = range === undefined ? Number.POSITIVE_INFINITY : range.end + 1;
  let at = range?.start ?? 0;
  return new Readable({
    highWaterMark: STEP_BYTES,
    read() {
      const step = Buffer.allocUnsafeSlow(Math.min(STEP_BYTES, end - at));
      if (step.length === 0) {
        this.push(null);
        return;
      }
      file
        .use((handle) => handle.read(step, 0, step.length, at))
        .then(
          ({ bytesRead }) => {
            at += bytesRead;
            this.push(bytesRead === 0 ? null : step.subarray(0, bytesRead));
          },
          (error: Error) => this.destroy(error),
        );
    },
    destroy: (error, done) => file.close(error, done),
  });
}

/**
 * Creates a file as a writable stream, a turn for each step.
 * @throws as {@link readFileStream}, and if the file exists.
 */
export async function writeFileStream(path: string, turns: DiskTurns): Promise<Writable> {
  const file = new TurnedFile(
    await turns.take('write', () => open(path, 'wx', 0o600)),
    'write',
    turns,
  );
  return new Writable({
    write(piece: Buffer, _encoding, done) {
      file.use((handle) => handle.writeFile(piece)).then(() => done(), done);
    },
    destroy: (error, done) => file.close(error, done),
  });
}

/** An open file. Its operations wait for a turn without a timeout until the file is closed. */
class TurnedFile {
  readonly #handle: FileHandle;
  readonly #use: DiskUse;
  readonly #turns: DiskTurns;
  readonly #closing = new AbortController();

  constructor(handle: FileHandle, use: DiskUse, turns: DiskTurns) {
    this.#handle = handle;
    this.#use = use;
    this.#turns = turns;
  }

  static async toRead(
    path: string,
    turns: DiskTurns,
    signal: AbortSignal | undefined,
  ): Promise<TurnedFile> {
    return new TurnedFile(await turns.take('read', () => open(path), { signal }), 'read', turns);
  }

  use<T>(work: (handle: FileHandle) => Promise<T>): Promise<T> {
    const options = { signal: this.#closing.signal, patient: true };
    return this.#turns.take(this.#use, () => work(this.#handle), options);
  }

  /** Closes the file, as a stream's `destroy`; operations that still wait are dropped. */
  close(error: Error | null, done: (error: Error | null) => void): void {
    this.#closing.abort();
    this.#turns
      .take(this.#use, () => this.#handle.close(), { patient: true })
      .then(
        () => done(error),
        (failure: Error) => done(error ?? failure),
      );
  }
}
