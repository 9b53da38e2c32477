/** Where the bytes of a base64Binary parameter go while they arrive. */

/** Receives one parameter's decoded bytes in order: `write`s, then `finish` unless the request failed, then `release`. */
export interface BinarySink<Binary> {
  /** Takes a piece; it may be reused by the caller as soon as the call (or its promise) is done. */
  write(piece: Uint8Array): void | Promise<void>;
  /** All bytes were written; returns what the handler receives. */
  finish(): Binary | Promise<Binary>;
  /**
   * The exchange is over, though a write may be in progress: what that waits for, it waits for no longer, and it may fail.
   * {@link release} follows. Never throws.
   */
  abandon?(): void;
  /**
   * The exchange is over, whether it went well or not: drop what the handler has not taken for itself.
   * Called exactly once; never throws.
   */
  release(): void | Promise<void>;
}

export type CreateBinarySink<Binary> = () => BinarySink<Binary>;

/** A sink that keeps the bytes in memory; for services whose files are small. */
export function memorySink(): BinarySink<Uint8Array> {
  const pieces: Uint8Array[] = [];
  return {
    write: (piece) => {
      pieces.push(Buffer.from(piece));
    },
    finish: () => Buffer.concat(pieces),
    release: () => {
      pieces.length = 0;
    },
  };
}
