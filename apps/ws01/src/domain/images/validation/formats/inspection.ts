/** What the structure of a file says of the image, before anything of it is decoded. */
export interface Inspection {
  /** Of the largest frame, as it is coded; pixels. */
  readonly width: number;
  readonly height: number;
  readonly frames: number;
  /** What a decoder holds of the image at once, as measured with libvips 8.18; bytes, on the large side. */
  readonly decodeBytes: number;
}
