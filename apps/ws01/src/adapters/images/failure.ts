import {
  type Dependency,
  DependencyError,
  type FailureKind,
  type RefusalReason,
} from '../../failure/dependency-error.ts';
import type { JobFailure } from './jobs.ts';

/**
 * A decoder process has died without an answer: by itself, for lack of resources, or because
 * someone killed it.
 */
export class DecoderDied extends Error {
  override readonly name = 'DecoderDied';
  /** Whether it had started to work on a job. */
  readonly started: boolean;
  /** Whether the system lacked the resources to create it. */
  readonly lacking: boolean;
  /** Whether it had no memory left, which the image may be the reason of. */
  readonly ofMemory: boolean;

  /**
   * @param cause the signal or exit code, or the error of creating it.
   * @param said the last of its standard error.
   */
  constructor(started: boolean, cause: unknown, said: string) {
    const lastLine = said.trim().split('\n').at(-1);
    super(`A process that decodes images has died (${cause})${lastLine ? `: ${lastLine}` : '.'}`, {
      cause,
    });
    this.started = started;
    this.lacking = isLacking(cause);
    this.ofMemory = cause === KILLED || OUT_OF_MEMORY.test(said);
  }
}

/**
 * How the kernel ends processes when memory is short. Nothing else does so to a decoder, but for
 * ourselves.
 */
const KILLED = 'SIGKILL';

/** Last words of V8, C++, GLib and the C library when memory is refused. */
const OUT_OF_MEMORY = /out of memory|bad_alloc|cannot allocate|failed to allocate/i;

/** System errors for a lack of descriptors, processes or memory, which is often temporary. */
const LACKING: ReadonlySet<unknown> = new Set(['EMFILE', 'ENFILE', 'EAGAIN', 'ENOMEM']);

/**
 * Whether a process could not be created for lack of what the system gives, which says nothing of
 * the program.
 */
export function isLacking(error: unknown): boolean {
  return LACKING.has((error as NodeJS.ErrnoException | undefined)?.code);
}

/** The kind of failure for each failure of a job. */
const MEANINGS = {
  unreadable: ['decoders', 'refused', 'unreadable'],
  tooLarge: ['decoders', 'refused', 'tooLarge'],
  lacking: ['decoders', 'busy', undefined],
  broken: ['decoders', 'unavailable', undefined],
  unwritten: ['files', 'unavailable', undefined],
} as const satisfies Record<
  JobFailure,
  readonly [Dependency, FailureKind, RefusalReason | undefined]
>;

/**
 * Returns the error for a failed job.
 * @param reason one sentence, for the log.
 */
export function decodingError(
  failure: JobFailure,
  reason: string,
  cause?: unknown,
): DependencyError {
  const [dependency, kind, why] = MEANINGS[failure];
  return new DependencyError(dependency, kind, reason, { cause, reason: why });
}
