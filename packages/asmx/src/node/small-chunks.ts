import type { IncomingMessage } from 'node:http';
import type { ChunkAccount } from '../message/http.ts';

/** Chunks of fewer bytes are put together. */
const SMALL_BYTES = 1024;
/** This many bytes, and this many chunks, are held before the socket pauses. */
const MOST_HELD_BYTES = 16 * 1024;
const MOST_HELD = 256;

/** What a chunk has beside its size and its bytes: two line ends. */
const LINE_END_BYTES = 4;

/** So many chunks may have any size. */
const ANY_SIZE = 1_000;
/** Beyond them a chunk has so many bytes on the average, or is not worth reading. */
const LEAST_BYTES = 64;

const ofRequest = new WeakMap<IncomingMessage, SmallChunks>();

/**
 * Puts the small chunks of a body together as `node:http` parses them. Otherwise each would become
 * a piece of a stream, which takes three times as long as the parsing. What one turn of the event
 * loop has brought is handed on together.
 *
 * It also accounts for what the chunks take on the wire. While `node:http` parses what the socket
 * has read, it hands out the bodies of chunks one by one, and promises settle in between: the
 * socket has then read more than is parsed. So the two are compared between turns alone, when all
 * that was read is parsed. Within a turn only that is added which is sure: of one read, each piece
 * but the first begins a chunk; the first may go on with the chunk before.
 */
export class SmallChunks implements ChunkAccount {
  readonly #req: IncomingMessage;
  readonly #push: (chunk: Buffer | null) => boolean;
  #held: Buffer[] = [];
  #heldBytes = 0;
  #settling = false;
  /** Chunks that have begun for sure. */
  #chunks = 0;
  #bytes: number;
  /** What the chunks have taken beside their bytes. */
  #overhead = 0;
  /** What the socket had read before the body; bytes, `undefined` before the first turn is over. */
  #before: number | undefined;
  /** What the socket had read when it was last looked at: more means another read. */
  #read: number;
  #isComplete = false;
  #left = false;

  /** @param req whose body comes in chunks. */
  constructor(req: IncomingMessage) {
    this.#req = req;
    this.#push = req.push.bind(req);
    this.#bytes = req.readableLength;
    this.#read = req.socket.bytesRead;
    req.push = (chunk: Buffer | null) => this.#take(chunk);
    ofRequest.set(req, this);
    this.#settleLater();
  }

  /**
   * Whether the chunks of a request are so small that each costs more than its bytes: they are no
   * haste to finish.
   */
  static areTiny(req: IncomingMessage): boolean {
    return ofRequest.get(req)?.areTiny === true;
  }

  private get areTiny(): boolean {
    return this.#chunks > ANY_SIZE && this.#bytes < this.#chunks * LEAST_BYTES;
  }

  /**
   * Nobody reads the rest of the body. Tiny chunks are left with the socket then: the stream has
   * asked, and gets nothing.
   */
  leave(): void {
    this.#left = true;
  }

  get bodyBytes(): number {
    return this.#bytes;
  }

  get wireBytes(): number {
    return this.#bytes + this.#overhead;
  }

  #take(chunk: Buffer | null): boolean {
    if (chunk === null) {
      // What the socket has read beyond it is not of this body.
      this.#isComplete = true;
      this.#flush();
      return this.#push(null);
    }
    this.#count(chunk.length);
    if (this.#left && this.areTiny) return false;
    this.#held.push(chunk);
    this.#heldBytes += chunk.length;
    this.#settleLater();
    // The stream asks for more when it has been given these, and read.
    const { readableLength, readableHighWaterMark } = this.#req;
    return (
      this.#held.length < MOST_HELD &&
      this.#heldBytes < MOST_HELD_BYTES &&
      readableLength < readableHighWaterMark
    );
  }

  #count(bytes: number): void {
    const read = this.#req.socket.bytesRead;
    if (read === this.#read || this.#bytes === 0) {
      this.#chunks++;
      this.#overhead += digitsOf(bytes) + LINE_END_BYTES;
    }
    this.#read = read;
    this.#bytes += bytes;
  }

  #settleLater(): void {
    if (this.#settling) return;
    this.#settling = true;
    setImmediate(() => {
      this.#settling = false;
      this.#settle();
      this.#flush();
    });
  }

  /** All that the socket has read is parsed. */
  #settle(): void {
    if (this.#isComplete) return;
    const { socket } = this.#req;
    const parsed = socket.bytesRead - socket.readableLength;
    this.#before ??= parsed - this.wireBytes;
    this.#overhead = parsed - this.#before - this.#bytes;
  }

  #flush(): void {
    const held = this.#held;
    this.#held = [];
    this.#heldBytes = 0;
    if (this.#left && this.areTiny) return;
    for (const piece of together(held)) this.#push(piece);
  }
}

/** Of a number in hexadecimal. */
function digitsOf(bytes: number): number {
  return Math.ceil((32 - Math.clz32(bytes)) / 4);
}

/** Each run of small chunks in one piece. */
function* together(chunks: readonly Buffer[]): Generator<Buffer> {
  let small: Buffer[] = [];
  for (const chunk of chunks) {
    if (chunk.length < SMALL_BYTES) {
      small.push(chunk);
      continue;
    }
    if (small.length > 0) yield Buffer.concat(small);
    small = [];
    yield chunk;
  }
  if (small.length > 0) yield Buffer.concat(small);
}
