/** What the service and the processes that decode images say to each other. */

/** The formats of images. */
export type PictureFormat = 'jpeg' | 'png' | 'gif' | 'webp' | 'avif';

/** How much one job may take of its process. */
export interface JobBounds {
  /** Resident memory of the whole process; bytes. */
  readonly memory: number;
  /** Processor time, user and system; ms. */
  readonly cpu: number;
}

/** A picture to be written to a file: made again from pixels, upright, in sRGB, without metadata. */
export interface PictureOrder {
  readonly target: string;
  readonly format: PictureFormat;
  /** Longest side at most; pixels. Absent: as large as the source. */
  readonly side?: number;
}

/** An image, and what our own reading of its structure has found. */
export interface SourceImage {
  readonly source: string;
  readonly format: PictureFormat;
  /** Width × height × frames at most. */
  readonly pixels: number;
  readonly frames: number;
  /** What decoding it may take; bytes. */
  readonly decodeBytes: number;
}

/** Judges an image by its header alone, as the decoder reads it. */
export interface DescribeJob extends SourceImage {
  readonly kind: 'describe';
}

/** Judges an image by decoding all of it, and makes the two pictures of it that are served. */
export interface AcceptJob extends SourceImage {
  readonly kind: 'accept';
  /** `format` absent: the source's, unless writing that takes more than there is. */
  readonly full: { readonly target: string; readonly format?: PictureFormat };
  readonly icon: PictureOrder;
}

export interface AcceptedPicture {
  /** Of one frame as it is shown, orientation applied; pixels. */
  readonly width: number;
  readonly height: number;
  readonly frames: number;
  /** The format of the full picture. */
  readonly served: PictureFormat;
}

export type DecoderJob = DescribeJob | AcceptJob;

/** What a process is sent. */
export interface JobMessage {
  readonly job: DecoderJob;
  readonly bounds: JobBounds;
}

/**
 * Why a job has failed: the file cannot be decoded; it, or its work, is over a bound; what was made cannot be written; the
 * system has no descriptor left for it; the decoder itself cannot work.
 */
export type JobFailure = 'unreadable' | 'tooLarge' | 'unwritten' | 'lacking' | 'broken';

/** What a process answers to one job; `ended`: it was the last. */
export type JobAnswer =
  | { readonly result: AcceptedPicture; readonly rss: number }
  | { readonly failure: JobFailure; readonly reason: string; readonly rss: number; readonly ended?: true };
