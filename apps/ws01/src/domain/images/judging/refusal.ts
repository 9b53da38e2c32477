import type { ImageRefusalCode } from '../../../contract/errors.ts';

/** A file is no image that is accepted: the operation answers `false` with the code (semantics 5.5). */
export class ImageRefusal extends Error {
  readonly code: ImageRefusalCode;

  /** @param reason one sentence, for the log. */
  constructor(code: ImageRefusalCode, reason: string, cause?: unknown) {
    super(reason, cause === undefined ? undefined : { cause });
    this.name = 'ImageRefusal';
    this.code = code;
  }
}

/** The refusal of a file that ends early or contradicts itself. */
export function unreadable(reason: string, cause?: unknown): ImageRefusal {
  return new ImageRefusal('ImageUnreadable', reason, cause);
}
