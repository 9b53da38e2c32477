/** The sink for the bytes of a base64Binary parameter while they arrive. */

/**
 * Receives one parameter's decoded bytes in order: `write`s, then `finish` unless the request
 * failed, then `release`.
 */
export interface BinarySink<Binary> {
  /** Writes a piece. The caller may reuse the piece after the call, or its promise, has ended. */
  write(piece: Uint8Array): void | Promise<void>;
  /** All bytes were written; returns what the handler receives. */
  finish(): Binary | Promise<Binary>;
  /**
   * Aborts a write in progress, because the exchange is over; the write may fail. {@link release}
   * follows. Never throws.
   */
  abandon?(): void;
  /**
   * Deletes what the handler did not take over. Called exactly once, after success and failure;
   * must not throw.
   */
  release(): void | Promise<void>;
}

/** Makes the sink of one file, which takes its bytes as they come. */
export type CreateBinarySink<Binary> = () => BinarySink<Binary>;

/** A sink that keeps the bytes in memory; for small files. */
export function memorySink(): BinarySink<Uint8Array> {
  const pieces: Uint8Array[] = [];
  return {
    write: (piece) => {
      pieces.push(Buffer.from(piece));
    },
    finish: () => {
      const { buffer, byteOffset, length } = Buffer.concat(pieces);
      return new Uint8Array(buffer, byteOffset, length);
    },
    release: () => {
      pieces.length = 0;
    },
  };
}
