import { type Profiler, Session } from 'node:inspector';
import { fileURLToPath, pathToFileURL } from 'node:url';

const OURS = pathToFileURL(`${fileURLToPath(new URL('../../', import.meta.url))}`).href;
const READ = /\/(packages\/[\w-]+|apps\/ws01)\/src\//;

/** Which characters of our sources have been run, as V8 counts them exactly, block by block. */
export class Coverage {
  readonly #session = new Session();
  /** By script: 1 for each character that has been run. */
  readonly #seen = new Map<string, Uint8Array>();
  /** What was new the last time. */
  #new: { readonly url: string; readonly at: number }[] = [];
  /** Characters run so far. */
  covered = 0;

  start(): void {
    this.#session.connect();
    this.#session.post('Profiler.enable');
    this.#session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  }

  stop(): void {
    this.#session.disconnect();
  }

  /** Adds what has been run since the last time. @returns how many characters are new. */
  take(): number {
    this.#new = [];
    for (const { url, functions } of this.#counts()) this.#add(url, functions);
    this.covered += this.#new.length;
    return this.#new.length;
  }

  /** How many blocks of our sources have been entered since the last time, each as often as it was. */
  takeWork(): number {
    let work = 0;
    for (const { functions } of this.#counts())
      for (const { ranges } of functions) for (const { count } of ranges) work += count;
    return work;
  }

  #counts(): readonly Profiler.ScriptCoverage[] {
    let taken: Profiler.TakePreciseCoverageReturnType | undefined;
    this.#session.post('Profiler.takePreciseCoverage', (error, result) => {
      if (error) throw new Error(error.message);
      taken = result;
    });
    if (taken === undefined) throw new Error('The inspector did not answer at once.');
    return taken.result.filter(({ url }) => url.startsWith(OURS) && READ.test(url));
  }

  /** Forgets what was new the last time. */
  undo(): void {
    for (const { url, at } of this.#new) this.#seen.get(url)![at] = 0;
    this.covered -= this.#new.length;
    this.#new = [];
  }

  #add(url: string, functions: readonly Profiler.FunctionCoverage[]): void {
    const end = Math.max(
      0,
      ...functions.flatMap(({ ranges }) => ranges.map(({ endOffset }) => endOffset)),
    );
    const run = new Uint8Array(end);
    // Inner functions and blocks come behind those that they are in, and say better what was run.
    for (const { ranges } of functions) {
      for (const { startOffset, endOffset, count } of ranges)
        run.fill(count > 0 ? 1 : 0, startOffset, endOffset);
    }
    let seen = this.#seen.get(url);
    if (seen === undefined || seen.length < end) {
      const longer = new Uint8Array(end);
      if (seen !== undefined) longer.set(seen);
      this.#seen.set(url, longer);
      seen = longer;
    }
    for (let at = 0; at < end; at++) {
      if (run[at] === 0 || seen[at] === 1) continue;
      seen[at] = 1;
      this.#new.push({ url, at });
    }
  }
}
