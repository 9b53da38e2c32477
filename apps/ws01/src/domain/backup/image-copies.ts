import { isMissing } from '../../adapters/files/errors.ts';
import type { FileStore } from '../../adapters/files/file-store.ts';
import { DependencyError } from '../../failure/dependency-error.ts';
import type { NamedFile } from '../../store/snapshot.ts';
import { sha256Of } from './digest.ts';
import type { Draft } from './location.ts';

/** Files copied at once: each waits for the disk several times. */
const AT_ONCE = 8;

/** What is wrong with a file that an image has: it is not there; it cannot be read; it holds other bytes than it did. */
export type Damage = 'missing' | 'unreadable' | 'changed';

type CopyState = Damage | 'sound';

/** Copies of the image files, made little by little. Every copy is on the disk when it counts as made. */
export class ImageCopies {
  readonly #from: FileStore;
  readonly #draft: Draft;
  readonly #made = new Set<string>();
  /** Those of them that an earlier backup made. */
  readonly #reused = new Set<string>();
  /** Files that were found damaged, by name. A changed one has been copied all the same. */
  readonly damaged = new Map<string, Damage>();
  /** Together. */
  bytes = 0;

  constructor(from: FileStore, draft: Draft) {
    this.#from = from;
    this.#draft = draft;
  }

  get names(): readonly string[] {
    return [...this.#made];
  }

  get count(): number {
    return this.#made.size;
  }

  has(name: string): boolean {
    return this.#made.has(name);
  }

  /**
   * Copies files.
   * @param onCopied told after each one, how many of them are done.
   * @returns the names of those that are not there.
   * @throws when a copy cannot be written, and whatever `signal` says when it is aborted.
   */
  async copy(
    files: readonly NamedFile[],
    onCopied: (done: number) => void,
    signal: AbortSignal,
  ): Promise<readonly string[]> {
    const missing: string[] = [];
    const waiting = files.values();
    let done = 0;
    const copyOn = async () => {
      for (const file of waiting) {
        signal.throwIfAborted();
        const outcome = await this.#copyOne(file);
        if (outcome === 'missing') missing.push(file.stored_as);
        else if (outcome !== 'sound') this.damaged.set(file.stored_as, outcome);
        onCopied(++done);
      }
    };
    const results = await Promise.allSettled(Array.from({ length: AT_ONCE }, copyOn));
    for (const result of results) if (result.status === 'rejected') throw result.reason;
    return missing;
  }

  /** Removes the copies of files that are not among those named, and forgets their damage. */
  async keepOnly(files: readonly NamedFile[]): Promise<void> {
    const named = new Set(files.map(({ stored_as }) => stored_as));
    for (const name of this.#made) {
      if (named.has(name)) continue;
      const { store } = this.#draft.files;
      this.bytes -= (await store.find(name))?.bytes ?? 0;
      // What an earlier backup has as well is left to its pruning.
      if (!this.#reused.has(name)) await store.remove(name);
      this.#made.delete(name);
    }
    for (const name of this.damaged.keys()) if (!named.has(name)) this.damaged.delete(name);
  }

  /**
   * Whether the copy of a file is there and has the right bytes. One taken over that has not is made again. Those in S3
   * that are not new are not read again.
   */
  async isSound(file: NamedFile): Promise<boolean> {
    const { stored_as: name, hash } = file;
    const { store } = this.#draft.files;
    const hasBytes = async () => (await sha256Of(await store.read(name))) === hash;
    if (!this.#reused.has(name)) return hasBytes().catch(() => false);
    if (!this.#draft.rereads) return (await store.find(name)) !== undefined;
    if (await hasBytes().catch(() => false)) return true;
    this.#reused.delete(name);
    await store.remove(name);
    return (await this.#copyFrom(file)) === 'sound' && hasBytes();
  }

  async #copyOne(file: NamedFile): Promise<CopyState> {
    const { stored_as: name } = file;
    if (!(await this.#draft.reuse(name))) return this.#copyFrom(file);
    this.#made.add(name);
    this.#reused.add(name);
    this.bytes += (await this.#draft.files.store.find(name))?.bytes ?? 0;
    if ((await this.#from.find(name)) === undefined) this.damaged.set(name, 'missing');
    return 'sound';
  }

  async #copyFrom({ stored_as: name, hash }: NamedFile): Promise<CopyState> {
    const source = await this.#open(name);
    if (typeof source === 'string') return source;
    const copy = this.#draft.files.spool.receive();
    try {
      for (;;) {
        const piece = await source.next().catch(() => undefined);
        if (piece === undefined) return 'unreadable';
        if (piece.done) break;
        await copy.write(piece.value);
      }
      const received = await copy.finish();
      await this.#draft.files.store.keep(received.path, name);
      this.#made.add(name);
      this.bytes += received.bytes;
      return received.hash === hash ? 'sound' : 'changed';
    } catch (error) {
      // "Try again later" is for callers of the service; an operator is told what the disk said.
      throw causeOf(error);
    } finally {
      await source.return?.();
      await copy.release();
    }
  }

  async #open(name: string): Promise<AsyncIterator<Buffer> | Damage> {
    try {
      return (await this.#from.read(name))[Symbol.asyncIterator]();
    } catch (error) {
      return isMissing(causeOf(error)) ? 'missing' : 'unreadable';
    }
  }
}

function causeOf(error: unknown): unknown {
  return error instanceof DependencyError && error.cause !== undefined ? error.cause : error;
}
