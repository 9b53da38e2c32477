import type { JobFailure } from './jobs.ts';

/** A process has died without a word: of itself, for want of memory, or by somebody's hand. */
export class DecoderDied extends Error {
  override readonly name = 'DecoderDied';
  /** Whether it had come as far as to do a job. */
  readonly started: boolean;

  constructor(started: boolean, cause: unknown) {
    super(`A process that decodes images has died (${cause}).`);
    this.started = started;
  }
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
