import { Ws01Error } from '../../contract/errors.ts';
import type { Actor } from '../audit/audit.ts';

/** What a restore by the service itself does, in this order, and how it ends. */
export const RESTORE_STEPS = [
  ...['checking', 'saving', 'restoring', 'opening'],
  ...['done', 'failed'],
] as const;

type RestoreStep = (typeof RESTORE_STEPS)[number];

/** A restore that somebody asked the service for. */
export interface AskedRestore {
  /** Of the backup. */
  readonly id: string;
  readonly name: string;
  readonly by: Actor;
}

/** How far a restore is, or how it ended. */
export interface RestoreProgress extends Pick<AskedRestore, 'id' | 'name'> {
  readonly step: RestoreStep;
  /** The backup that holds what was there before; `undefined` until it is made. */
  readonly undo?: { readonly id: string; readonly name: string } | undefined;
  /** Messages that waited when the backup was made, and are not sent; `undefined` until then. */
  readonly cancelled?: number | undefined;
  /** Why it failed: a sentence. */
  readonly fault?: string | undefined;
}

/**
 * The restores of a process that exchanges its database itself. It outlives each start of the
 * service in that process, so that the next one tells how the restore ended.
 */
export class Restores {
  /** Why this process restores nothing: a sentence; `undefined` if it does. */
  readonly hindrance: string | undefined;
  #progress: RestoreProgress | undefined;
  #waiting = Promise.withResolvers<AskedRestore>();

  constructor(hindrance?: string) {
    this.hindrance = hindrance;
  }

  /** The last one since the process began. */
  get progress(): RestoreProgress | undefined {
    return this.#progress;
  }

  /**
   * Begins one.
   * @throws {Ws01Error} `Busy` where there can be none, and while another one is in progress.
   */
  begin({ id, name }: AskedRestore): void {
    if (this.hindrance !== undefined) throw new Ws01Error('Busy', this.hindrance);
    const { step = 'done' } = this.#progress ?? {};
    if (step !== 'done' && step !== 'failed')
      throw new Ws01Error('Busy', 'A backup is being restored; wait for its end.');
    this.#progress = { id, name, step: 'checking' };
  }

  /** Says how far the one in progress is. */
  tell(progress: Omit<RestoreProgress, 'id' | 'name'>): void {
    if (this.#progress !== undefined) this.#progress = { ...this.#progress, ...progress };
  }

  /** Has the database exchanged: the backup is sound. */
  exchange(asked: AskedRestore): void {
    this.#waiting.resolve(asked);
  }

  /** Resolves with the next backup whose database is to take the place of the present one. */
  async next(): Promise<AskedRestore> {
    const asked = await this.#waiting.promise;
    this.#waiting = Promise.withResolvers();
    return asked;
  }
}
