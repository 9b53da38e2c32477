import {
  type Dependency,
  DependencyError,
  type FailureKind,
  type RefusalReason,
} from '../../failure/dependency-error.ts';
import type { JobFailure } from './jobs.ts';

/** A decoder process has died without an answer: by itself, for lack of memory, or because someone killed it. */
export class DecoderDied extends Error {
  override readonly name = 'DecoderDied';
  /** Whether it had started to work on a job. */
  readonly started: boolean;
  /** Whether the system lacked the resources to create it. */
  readonly lacking: boolean;

  constructor(started: boolean, cause: unknown) {
    super(`A process that decodes images has died (${cause}).`, { cause });
    this.started = started;
    this.lacking = isLacking(cause);
  }
}

/** System errors for a lack of descriptors, processes or memory, which is often temporary. */
const LACKING: ReadonlySet<unknown> = new Set(['EMFILE', 'ENFILE', 'EAGAIN', 'ENOMEM']);

function isLacking(error: unknown): boolean {
  return LACKING.has((error as NodeJS.ErrnoException | undefined)?.code);
}

/** The kind of failure for each failure of a job. */
const MEANINGS = {
  unreadable: ['decoders', 'refused', 'unreadable'],
  tooLarge: ['decoders', 'refused', 'tooLarge'],
  lacking: ['decoders', 'busy', undefined],
  broken: ['decoders', 'unavailable', undefined],
  unwritten: ['files', 'unavailable', undefined],
} as const satisfies Record<JobFailure, readonly [Dependency, FailureKind, RefusalReason | undefined]>;

/**
 * Returns the error for a failed job.
 * @param reason one sentence, for the log.
 */
export function decodingError(failure: JobFailure, reason: string, cause?: unknown): DependencyError {
  const [dependency, kind, why] = MEANINGS[failure];
  return new DependencyError(dependency, kind, reason, { cause, reason: why });
}
