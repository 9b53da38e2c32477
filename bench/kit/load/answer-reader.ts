const LF = 0x0a;
const CR = 0x0d;
const DIGIT_ZERO = 0x30;
/** Makes a letter lower-case, and leaves `:`, `-` and blanks as they are. */
const LOWER = 0x20;

const CONTENT_LENGTH = Buffer.from('content-length: ');
const CHUNKED = Buffer.from('transfer-encoding: chunked');
const CLOSE = Buffer.from('connection: close');
/** Where the minor version stands in the first line. */
const MINOR_VERSION_AT = 'HTTP/1.'.length;
const LAST_CHUNK = Buffer.from('0\r\n\r\n');

const MAX_HEAD_BYTES = 16_384;

/**
 * Finds where an HTTP answer ends, and nothing else of it: no strings, no objects. The answers are those of servers
 * that are measured, one at a time on a connection; whether they are right was checked before.
 */
export class AnswerReader {
  /** Of the last answer whose head was read. */
  status = 0;
  /** Whether the server closes the connection after it. */
  closes = false;
  /** How often the server has said `100 Continue`. */
  continues = 0;
  readonly #head = Buffer.allocUnsafe(MAX_HEAD_BYTES);
  #headBytes = 0;
  #inBody = false;
  #bodyBytesLeft = 0;
  #chunked = false;
  /** How much of {@link LAST_CHUNK} the bytes so far end with. */
  #lastChunkMatched = 0;

  /** @returns whether the answer is complete with these bytes. */
  push(bytes: Uint8Array, length: number): boolean {
    if (this.#inBody) return this.#readBody(bytes, 0, length);
    if (this.#headBytes + length > MAX_HEAD_BYTES) return this.#pushLong(bytes, length);
    this.#head.set(length === bytes.length ? bytes : bytes.subarray(0, length), this.#headBytes);
    this.#headBytes += length;
    const end = this.#readHead();
    return end >= 0 && this.#readBody(this.#head, end, this.#headBytes);
  }

  /** An answer so long that its first bytes do not fit where heads are kept. */
  #pushLong(bytes: Uint8Array, length: number): boolean {
    const first = MAX_HEAD_BYTES - this.#headBytes;
    if (first === 0)
      throw new Error(`The head of an answer has more than ${MAX_HEAD_BYTES} bytes.`);
    const complete = this.push(bytes.subarray(0, first), first);
    return complete || this.push(bytes.subarray(first, length), length - first);
  }

  /** @returns where the body begins; -1 when the head is not complete. */
  #readHead(): number {
    const head = this.#head;
    const end = this.#headBytes;
    this.#chunked = false;
    this.closes = false;
    this.#bodyBytesLeft = 0;
    for (let at = 0; at < end; at++) {
      if (head[at] !== LF) continue;
      const line = at + 1;
      if (head[line] === CR && line + 1 < end) {
        this.status = digits(head, 'HTTP/1.1 '.length);
        // HTTP/1.0 closes; none of the servers asks to go on.
        if (head[MINOR_VERSION_AT] === DIGIT_ZERO) this.closes = true;
        // `100 Continue`: the answer is yet to come.
        if (this.status < 200) {
          this.continues++;
          head.copyWithin(0, line + 2, end);
          this.#headBytes -= line + 2;
          return this.#readHead();
        }
        this.#inBody = true;
        this.#lastChunkMatched = 0;
        return line + 2;
      }
      if (startsWith(head, line, CONTENT_LENGTH))
        this.#bodyBytesLeft = digits(head, line + CONTENT_LENGTH.length);
      else if (startsWith(head, line, CHUNKED)) this.#chunked = true;
      else if (startsWith(head, line, CLOSE)) this.closes = true;
    }
    return -1;
  }

  #readBody(bytes: Uint8Array, start: number, end: number): boolean {
    if (this.#chunked) {
      this.#matchLastChunk(
        bytes,
        Math.max(start, end - LAST_CHUNK.length),
        end,
        end - start >= LAST_CHUNK.length,
      );
      if (this.#lastChunkMatched < LAST_CHUNK.length) return false;
    } else {
      this.#bodyBytesLeft -= end - start;
      if (this.#bodyBytesLeft > 0) return false;
    }
    this.#inBody = false;
    this.#headBytes = 0;
    return true;
  }

  #matchLastChunk(bytes: Uint8Array, from: number, end: number, afresh: boolean): void {
    let matched = afresh ? 0 : this.#lastChunkMatched;
    for (let at = from; at < end; at++) {
      if (bytes[at] === LAST_CHUNK[matched]) matched++;
      else matched = bytes[at] === LAST_CHUNK[0] ? 1 : 0;
    }
    this.#lastChunkMatched = matched;
  }
}

function startsWith(bytes: Uint8Array, at: number, lowerCase: Uint8Array): boolean {
  for (let index = 0; index < lowerCase.length; index++) {
    if ((bytes[at + index]! | LOWER) !== lowerCase[index]) return false;
  }
  return true;
}

function digits(bytes: Uint8Array, start: number): number {
  let value = 0;
  for (let at = start; bytes[at]! >= DIGIT_ZERO && bytes[at]! <= DIGIT_ZERO + 9; at++) {
    value = value * 10 + bytes[at]! - DIGIT_ZERO;
  }
  return value;
}
