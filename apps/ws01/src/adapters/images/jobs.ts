/** The messages between the service and its decoder processes. */

/** The formats of images. */
export type PictureFormat = 'jpeg' | 'png' | 'gif' | 'webp' | 'avif' | 'heic';

/** The bounds of one job on its process. */
export interface JobBounds {
  /** Resident memory of the whole process; bytes. */
  readonly memory: number;
  /** CPU time, user and system; ms. */
  readonly cpu: number;
}

/** A rendition to write: re-encoded from pixels, upright, in sRGB, without metadata. */
export interface PictureOrder {
  readonly target: string;
  readonly format: PictureFormat;
  /** Maximum length of the longer side; pixels. Absent: the size of the source. */
  readonly side?: number;
}

/** An image and the findings of our own parser. */
export interface SourceImage {
  readonly source: string;
  readonly format: PictureFormat;
  /** Maximum width × height × frames. */
  readonly pixels: number;
  readonly frames: number;
  /** Memory that decoding may take; bytes. */
  readonly decodeBytes: number;
  /**
   * The mark of the end that the file lacks, as Latin-1, and where; bytes. What stands behind it is
   * no part of it.
   */
  readonly ending?: { readonly at: number; readonly mark: string } | undefined;
  /** The ICC profile of a HEIC, as Latin-1. */
  readonly profile?: string | undefined;
}

/** Checks an image by its header alone, as the decoder reads it. */
export interface DescribeJob extends SourceImage {
  readonly kind: 'describe';
}

/** Checks an image by decoding it completely, and writes its two renditions. */
export interface AcceptJob extends SourceImage {
  readonly kind: 'accept';
  /** `format` absent: the format of the source, unless encoding it would need too much memory. */
  readonly full: { readonly target: string; readonly format?: PictureFormat };
  readonly icon: PictureOrder;
}

/** Writes a stored rendition narrower, for visitors. */
export interface ResizeJob extends SourceImage {
  readonly kind: 'resize';
  readonly sized: SizedOrder;
}

/** A picture to write. */
export interface SizedOrder {
  readonly target: string;
  readonly format: PictureFormat;
  /** Maximum width; pixels. */
  readonly width: number;
}

export interface AcceptedPicture {
  /** The size of one frame as shown, orientation applied; pixels. */
  readonly width: number;
  readonly height: number;
  readonly frames: number;
  /** The format of the full rendition. */
  readonly served: PictureFormat;
}

export type DecoderJob = DescribeJob | AcceptJob | ResizeJob;

/** The message to a process. */
export interface JobMessage {
  readonly job: DecoderJob;
  readonly bounds: JobBounds;
}

/**
 * Why a job has failed: the file cannot be decoded (`unreadable`); the file or the work is over a
 * bound (`tooLarge`); the result cannot be written (`unwritten`); the system lacks descriptors
 * (`lacking`); the decoder itself does not work (`broken`).
 */
export type JobFailure = 'unreadable' | 'tooLarge' | 'unwritten' | 'lacking' | 'broken';

/** The answer to one job; `ended`: the process takes no more jobs. */
export type JobAnswer =
  | { readonly result: AcceptedPicture; readonly rss: number }
  | {
      readonly failure: JobFailure;
      readonly reason: string;
      readonly rss: number;
      readonly ended?: true;
    };
