import { GatheredBytes } from '@ws01/asmx/internal/message/http';
import { MOST, type RequestHead, readRequestHead } from './request-head.ts';

/**
 * What the bytes that have come begin with: all of a request; its head, whose client waits to be
 * asked for the rest; a part of either; or something for the general server.
 */
type Beginning = 'request' | 'head' | 'part' | 'other';

/** What has come on a connection and is not answered. */
export class Incoming {
  readonly #pieces = new GatheredBytes();
  #length = 0;
  /** How many bytes there must be for another look at them. */
  #awaited = 1;
  #head: RequestHead | undefined;
  /** That of the request before. */
  #known: RequestHead | undefined;

  /** In bytes. */
  get length(): number {
    return this.#length;
  }

  /** The head of the request that it begins with, once {@link look} has found it. */
  get head(): RequestHead | undefined {
    return this.#head;
  }

  /** @returns whether a look at it may find more than before. */
  push(chunk: Buffer): boolean {
    this.#pieces.add(chunk);
    this.#length += chunk.length;
    return this.#length >= this.#awaited;
  }

  /**
   * Looks what it begins with; what is not all of a request is looked at again when more has come.
   */
  look(): Beginning {
    const bytes = this.all();
    this.#head ??= readRequestHead(bytes, this.#known);
    if (this.#head === undefined) {
      if (!this.#mayFollow(bytes)) return 'other';
      this.#awaited = bytes.length + 1;
      return 'part';
    }
    this.#awaited = this.#head.bytes + this.#head.bodyBytes;
    if (bytes.length >= this.#awaited) return 'request';
    return this.#head.section.expects && bytes.length === this.#head.bytes ? 'head' : 'part';
  }

  /** Takes what has come of the request that it begins with. */
  take(): Buffer {
    const bytes = this.all();
    const end = this.#awaited;
    this.#known = this.#head;
    this.clear();
    if (bytes.length <= end) return bytes;
    this.push(bytes.subarray(end));
    return bytes.subarray(0, end);
  }

  /** Puts back what was taken. */
  putBack(taken: Buffer): void {
    const rest = this.all();
    this.#pieces.clear();
    for (const piece of [taken, rest]) this.#pieces.add(piece);
    this.#length += taken.length;
  }

  clear(): void {
    this.#pieces.clear();
    this.#length = 0;
    this.#head = undefined;
    this.#awaited = 1;
  }

  /** In one piece. */
  all(): Buffer {
    return this.#pieces.joined();
  }

  /**
   * Whether the rest of the head may yet come: a client that has sent requests for the fast path
   * goes on with them.
   */
  #mayFollow(bytes: Buffer): boolean {
    return (
      this.#known !== undefined && bytes.length < MOST.headBytes && !bytes.includes('\r\n\r\n')
    );
  }
}
