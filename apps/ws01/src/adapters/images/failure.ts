import type { JobFailure } from './jobs.ts';

/** A process has died without a word: of itself, for want of memory, or by somebody's hand. */
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

export function isLacking(error: unknown): boolean {
  return LACKING.has((error as NodeJS.ErrnoException | undefined)?.code);
}

/** An image could not be decoded, or not within the bounds. */
export class DecodingFailed extends Error {
  readonly failure: JobFailure;

  /** @param reason one sentence, for the log. */
  constructor(failure: JobFailure, reason: string) {
    super(reason);
    this.name = 'DecodingFailed';
    this.failure = failure;
  }
}
