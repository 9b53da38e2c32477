import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { shellWord } from '../../failure/shell-word.ts';
import { CommandFailure } from '../failure.ts';

/** One thing that an installation does; paths are those that the service sees. */
export type Step =
  | { readonly kind: 'folder'; readonly path: string; readonly owner: 'root' | 'ws01' }
  | {
      readonly kind: 'file';
      readonly path: string;
      readonly text: string;
      readonly mode: number;
      readonly group?: 'ws01';
      /** Holds what the operator wrote, too, so it is no loss to write it again. */
      readonly isMerged?: true;
    }
  | { readonly kind: 'link'; readonly path: string; readonly to: string }
  | { readonly kind: 'remove'; readonly path: string }
  | {
      readonly kind: 'run';
      readonly argv: readonly string[];
      /** Its failure ends nothing. */
      readonly mayFail?: true;
      /** A program that prints something where this one need not run. */
      readonly unless?: readonly string[];
    };

/**
 * What a step would do: `same` nothing, `kept` nothing because somebody else wrote what is there.
 */
type Effect = 'new' | 'change' | 'same' | 'kept' | 'remove' | 'run';

/** Where an installation goes. */
export class Machine {
  /** The folder that stands for `/`. Below another one no program is run, and no owner is set. */
  readonly root: string;
  readonly #replace: boolean;
  /** The hash of each file as an installation wrote it. */
  readonly #written: Record<string, string>;

  /**
   * @param replace whether files that others wrote are replaced; they stay beside, with
   *   `.before-install`.
   */
  constructor(root: string, replace = false) {
    this.root = root;
    this.#replace = replace;
    this.#written = recordIn(this.read(RECORD));
  }

  get isReal(): boolean {
    return this.root === '/';
  }

  /** The files that an installation wrote. */
  get written(): readonly string[] {
    return Object.keys(this.#written);
  }

  has(path: string): boolean {
    return lstatSync(join(this.root, path), { throwIfNoEntry: false }) !== undefined;
  }

  isLink(path: string): boolean {
    return lstatSync(join(this.root, path), { throwIfNoEntry: false })?.isSymbolicLink() === true;
  }

  /** @returns `undefined` where there is no such file. */
  read(path: string): string | undefined {
    const file = join(this.root, path);
    return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
  }

  effectOf(step: Step): Effect {
    if (step.kind === 'run') return 'run';
    if (step.kind === 'folder') {
      if (!this.has(step.path)) return 'new';
      return step.owner === 'ws01' && this.#isUnused(step.path) ? 'change' : 'same';
    }
    if (step.kind === 'link') {
      if (!this.has(step.path)) return 'new';
      if (!this.isLink(step.path)) return 'kept';
      return readlinkSync(join(this.root, step.path)) === step.to ? 'same' : 'change';
    }
    if (step.kind === 'remove' && this.isLink(step.path)) return 'remove';
    const present = this.read(step.path);
    if (present === undefined) return step.kind === 'remove' ? 'same' : 'new';
    if (step.kind === 'file' && present === step.text)
      return this.#isOpenTo(step) ? 'same' : 'change';
    const isOurs =
      this.#replace ||
      (step.kind === 'file' && step.isMerged) ||
      this.#written[step.path] === hashOf(present);
    if (!isOurs) return 'kept';
    return step.kind === 'remove' ? 'remove' : 'change';
  }

  /** @throws {CommandFailure} when a program fails. */
  carryOut(step: Step): void {
    const effect = this.effectOf(step);
    if (effect === 'kept') return;
    if (effect === 'same') {
      // An installation may have ended before it noted what it wrote.
      if (step.kind === 'file' && !step.isMerged) this.#note(step.path, hashOf(step.text));
      return;
    }
    if (step.kind === 'run') {
      this.#run(step);
      return;
    }
    const path = join(this.root, step.path);
    if (step.kind === 'folder') {
      mkdirSync(path, { recursive: true });
      chmodSync(path, step.owner === 'root' ? 0o755 : 0o700);
      if (step.owner === 'ws01') this.#own(path, { user: 'ws01', group: 'ws01' });
    } else if (step.kind === 'remove') {
      rmSync(path, { force: true });
      this.#note(step.path, undefined);
    } else if (step.kind === 'link') {
      mkdirSync(dirname(path), { recursive: true });
      // Switched in one step: a service that starts meanwhile finds one or the other.
      rmSync(`${path}.new`, { force: true });
      symlinkSync(step.to, `${path}.new`);
      renameSync(`${path}.new`, path);
    } else {
      this.#write(path, step);
    }
  }

  /** Whether a file has the mode and the group that its readers need. */
  #isOpenTo({ path, mode, group }: Step & { kind: 'file' }): boolean {
    const present = statSync(join(this.root, path));
    if ((present.mode & 0o777) !== mode) return false;
    return group === undefined || !this.isReal || present.gid === this.#idOf('/etc/group', group);
  }

  /**
   * Whether a folder is root's and empty, as a disk that was just mounted: it can be given to the
   * service.
   */
  #isUnused(path: string): boolean {
    const folder = join(this.root, path);
    if (!this.isReal || statSync(folder).uid !== 0) return false;
    return readdirSync(folder).every((name) => name === 'lost+found');
  }

  #write(
    path: string,
    { text, mode, group, path: named, isMerged }: Step & { kind: 'file' },
  ): void {
    mkdirSync(dirname(path), { recursive: true });
    const present = this.read(named);
    const isOthers = present !== undefined && this.#written[named] !== hashOf(present);
    if (this.#replace && !isMerged && isOthers) renameSync(path, `${path}.before-install`);
    this.#put(path, text, mode, group);
    if (!isMerged) this.#note(named, hashOf(text));
  }

  /** Writes a file at once: a reader gets all of the old one or all of the new one. */
  #put(path: string, text: string, mode: number, group?: string): void {
    const fresh = `${path}.new`;
    try {
      writeFileSync(fresh, text, { mode, flush: true });
      chmodSync(fresh, mode);
      if (group !== undefined) this.#own(fresh, { user: 'root', group });
      renameSync(fresh, path);
    } catch (error) {
      rmSync(fresh, { force: true });
      throw error;
    }
  }

  #note(path: string, hash: string | undefined): void {
    if (this.#written[path] === hash) return;
    if (hash === undefined) delete this.#written[path];
    else this.#written[path] = hash;
    const file = join(this.root, RECORD);
    if (this.written.length === 0) {
      rmSync(file, { force: true });
      return;
    }
    mkdirSync(dirname(file), { recursive: true });
    this.#put(file, `${JSON.stringify(this.#written, undefined, 2)}\n`, 0o644);
  }

  #run({ argv, mayFail, unless }: Step & { kind: 'run' }): void {
    if (!this.isReal) return;
    const [program, ...args] = argv;
    if (unless !== undefined && spawnSync(unless[0]!, unless.slice(1)).stdout?.length > 0) return;
    const { status, error } = spawnSync(program!, args, { stdio: 'inherit' });
    if (status === 0 || mayFail) return;
    throw new CommandFailure(
      `${argv.map(shellWord).join(' ')} failed (${error?.message ?? `exit code ${status}`}). ` +
        'Mend it, and run ws01 install again: it goes on where it stopped.',
    );
  }

  #own(path: string, { user, group }: { readonly user: string; readonly group: string }): void {
    if (!this.isReal) return;
    chownSync(path, this.#idOf('/etc/passwd', user), this.#idOf('/etc/group', group));
  }

  #idOf(file: string, name: string): number {
    const line = this.read(file)
      ?.split('\n')
      .find((one) => one.startsWith(`${name}:`));
    return Number(line?.split(':')[2]);
  }
}

/** Where the hashes are of what was written, so that what an operator edited is not overwritten. */
const RECORD = '/etc/ws01/installed.json';

/** What a record says; nothing where it cannot be read: then what differs is kept. */
function recordIn(text = '{}'): Record<string, string> {
  try {
    return { ...JSON.parse(text) };
  } catch {
    return {};
  }
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** A step as the preview shows it. */
export function describeStep(step: Step): string {
  if (step.kind === 'run') return step.argv.map(shellWord).join(' ');
  return step.kind === 'link' ? `${step.path} → ${step.to}` : step.path;
}
