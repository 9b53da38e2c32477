import type { ImageRefusalCode } from '../../../contract/errors.ts';

/**
 * A file is not an acceptable image: the operation answers `false` with the code (semantics 5.5).
 */
export class ImageRefusal extends Error {
  readonly code: ImageRefusalCode;

  /**
   * @param reason one sentence, for the log; without a cause, also for the history of calls, so
   *   that it quotes nothing of the file.
   */
  constructor(code: ImageRefusalCode, reason: string, cause?: unknown) {
    super(reason, cause === undefined ? undefined : { cause });
    this.name = 'ImageRefusal';
    this.code = code;
  }
}

/** Returns the refusal of a file that ends early or contradicts itself. */
export function unreadable(reason: string): ImageRefusal {
  return new ImageRefusal('ImageUnreadable', reason);
}

/** Returns the refusal of an image that exceeds a bound. */
export function tooLarge(found: string, allowed: string): ImageRefusal {
  return new ImageRefusal(
    'ImageTooLarge',
    `The image has ${found}; at most ${allowed} are accepted.`,
  );
}

/**
 * Checks the number of frames; counting stops at the first one too many.
 * @throws {ImageRefusal}
 */
export function assertFrames(frames: number, most: number): void {
  if (frames > most) throw tooLarge(`${frames} frames or more`, `${most} frames`);
}
