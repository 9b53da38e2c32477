import type { ImageFormat } from '../../../../store/tables/tables.ts';

/** What the structure of a file says about its image, without decoding. */
export interface Inspection {
  /** The size of the largest frame, as encoded; pixels. */
  readonly width: number;
  readonly height: number;
  readonly frames: number;
  /** Peak memory of a decoder, measured with libvips 8.18 and rounded up; bytes. */
  readonly decodeBytes: number;
  /**
   * The mark of the end that the file lacks, as Latin-1, and where; bytes. With it, it should be
   * whole.
   */
  readonly ending?: { readonly at: number; readonly mark: string };
  /** Of a HEIC: its ICC profile, as Latin-1. */
  readonly profile?: string;
  /** Where the structure tells it, and not the first bytes. */
  readonly format?: ImageFormat;
}
