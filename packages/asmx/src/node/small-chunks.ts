import type { IncomingMessage } from 'node:http';

/** Chunks of fewer bytes are put together. */
const SMALL_BYTES = 1024;
/** This many bytes, and this many chunks, are held before the socket pauses. */
const MOST_HELD_BYTES = 16 * 1024;
const MOST_HELD = 256;

/** What a chunk has beside its bytes: a digit, and two line ends. */
const LEAST_FRAMING_BYTES = 5;

/** So many chunks may have any size. */
const ANY_SIZE = 1_000;
/** Beyond them a chunk has so many bytes on the average, or is not worth reading. */
const LEAST_BYTES = 64;

const ofRequest = new WeakMap<IncomingMessage, SmallChunks>();

/**
 * Puts the small chunks of a body together as `node:http` parses them, which would make a piece of a stream of each:
 * that takes three times as long as the parsing. What one packet of the network has brought is handed on as one piece.
 */
export class SmallChunks {
  readonly #push: (chunk: Buffer | null) => boolean;
  #held: Buffer[] = [];
  #heldBytes = 0;
  #flushing = false;
  #chunks = 0;
  #bytes = 0;
  #left = false;

  /** @param req whose body comes in chunks; none has been parsed yet. */
  constructor(req: IncomingMessage) {
    this.#push = req.push.bind(req);
    req.push = (chunk: Buffer | null) => this.#take(chunk);
    ofRequest.set(req, this);
  }

  /** Whether the chunks of a request are so small that each costs more than its bytes: they are no haste to finish. */
  static areTiny(req: IncomingMessage): boolean {
    return ofRequest.get(req)?.areTiny === true;
  }

  private get areTiny(): boolean {
    return this.#chunks > ANY_SIZE && this.#bytes < this.#chunks * LEAST_BYTES;
  }

  /** Nobody reads the body any more. Tiny chunks are left with the socket then: the stream has asked, and gets nothing. */
  leave(): void {
    this.#left = true;
  }

  /** What came of the body and is held here; bytes. */
  get heldBytes(): number {
    return this.#heldBytes;
  }

  /** What the chunks took on the wire at least, which is held or has been handed on; bytes. */
  get leastWireBytes(): number {
    return this.#bytes + this.#chunks * LEAST_FRAMING_BYTES;
  }

  #take(chunk: Buffer | null): boolean {
    if (chunk === null) {
      this.#flush();
      return this.#push(null);
    }
    this.#chunks++;
    this.#bytes += chunk.length;
    if (this.#left && this.areTiny) return false;
    if (chunk.length >= SMALL_BYTES) {
      this.#flush();
      return this.#push(chunk);
    }
    this.#held.push(chunk);
    this.#heldBytes += chunk.length;
    if (!this.#flushing) {
      this.#flushing = true;
      // Not before the packet is parsed.
      setImmediate(() => {
        this.#flushing = false;
        this.#flush();
      });
    }
    // The stream asks for more when it has been given these, and read.
    return this.#held.length < MOST_HELD && this.#heldBytes < MOST_HELD_BYTES;
  }

  #flush(): void {
    if (this.#heldBytes === 0) return;
    if (this.#left && this.areTiny) {
      this.#held = [];
      this.#heldBytes = 0;
      return;
    }
    const bytes = Buffer.concat(this.#held);
    this.#held = [];
    this.#heldBytes = 0;
    this.#push(bytes);
  }
}
