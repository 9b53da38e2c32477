import type { JobFailure } from './jobs.ts';

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
