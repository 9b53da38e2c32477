import { isMissing } from '../../adapters/files/errors.ts';
import type { FileStore } from '../../adapters/files/file-store.ts';
import { DependencyError } from '../../failure/dependency-error.ts';
import type { NamedFile } from '../../store/snapshot.ts';
import { sha256Of } from './digest.ts';
import type { Draft } from './location.ts';

/** Concurrent copies; each waits for the disk several times. */
const AT_ONCE = 8;

/** The damage of an image file: it is missing, cannot be read, or has changed. */
export type Damage = 'missing' | 'unreadable' | 'changed';

type CopyState = Damage | 'sound';

/** The copies of image files in a backup. A copy counts when it is durable. */
export class ImageCopies {
  readonly #from: FileStore;
  readonly #draft: Draft;
  readonly #made = new Set<string>();
  /** Those that an earlier backup made. */
  readonly #reused = new Set<string>();
  /** Damaged files by name. A changed file is copied nevertheless. */
  readonly damaged = new Map<string, Damage>();
  /** The total size of the copies. */
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
   * @param onCopied called with the number of finished files.
   * @returns the names of missing files.
   * @throws if a copy cannot be written; the signal's reason.
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

  /** Removes the copies of other files than the named ones, and their damage. */
  async keepOnly(files: readonly NamedFile[]): Promise<void> {
    const named = new Set(files.map(({ stored_as }) => stored_as));
    for (const name of this.#made) {
      if (named.has(name)) continue;
      const { store } = this.#draft.files;
      this.bytes -= (await store.find(name))?.bytes ?? 0;
      // Files shared with an earlier backup are left to pruning.
      if (!this.#reused.has(name)) await store.remove(name);
      this.#made.delete(name);
    }
    for (const name of this.damaged.keys()) if (!named.has(name)) this.damaged.delete(name);
  }

  /**
   * Whether a copy exists and has the right bytes. A reused copy that is damaged is made again;
   * reused copies in S3 are not read again.
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
      // "Try again later" is for callers of the service; operators need the system's message.
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
