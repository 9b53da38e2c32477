import {
  type Dependency,
  DependencyError,
  type FailureKind,
  type RefusalReason,
} from '../../failure/dependency-error.ts';
import type { JobFailure } from './jobs.ts';

/** A process has died without a word: of itself, for lack of memory, or by somebody's hand. */
export class DecoderDied extends Error {
  override readonly name = 'DecoderDied';
  /** Whether it had come as far as to do a job. */
  readonly started: boolean;
  /** Whether the system could not make it for now. */
  readonly lacking: boolean;

  constructor(started: boolean, cause: unknown) {
    super(`A process that decodes images has died (${cause}).`, { cause });
    this.started = started;
    this.lacking = isLacking(cause);
  }
}

/** What the system says when it has no descriptor, process or memory left: it may have one in a moment. */
const LACKING: ReadonlySet<unknown> = new Set(['EMFILE', 'ENFILE', 'EAGAIN', 'ENOMEM']);

function isLacking(error: unknown): boolean {
  return LACKING.has((error as NodeJS.ErrnoException | undefined)?.code);
}

/** What each failure of a job is a failure of. */
const MEANINGS = {
  unreadable: ['decoders', 'refused', 'unreadable'],
  tooLarge: ['decoders', 'refused', 'tooLarge'],
  lacking: ['decoders', 'busy', undefined],
  broken: ['decoders', 'unavailable', undefined],
  unwritten: ['files', 'unavailable', undefined],
} as const satisfies Record<JobFailure, readonly [Dependency, FailureKind, RefusalReason | undefined]>;

/** The error of a job that has failed. @param reason one sentence, for the log. */
export function decodingError(failure: JobFailure, reason: string, cause?: unknown): DependencyError {
  const [dependency, kind, why] = MEANINGS[failure];
  return new DependencyError(dependency, kind, reason, { cause, reason: why });
}
