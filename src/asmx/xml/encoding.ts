import { readDeclaration } from './declaration.ts';
import type { Decoder } from './decoders.ts';
import { LegacyDecoder, SingleByteDecoder, Utf8Decoder, Utf16Decoder } from './decoders.ts';
import { Refusal } from './errors.ts';

/** Names of the two encodings that browsers (and so `TextDecoder`) read as windows-1252. */
const SINGLE_BYTE = new Map<string, 'iso-8859-1' | 'us-ascii'>([
  ...['iso-8859-1', 'iso8859-1', 'iso_8859-1', 'latin1', 'latin-1', 'l1', 'cp819', 'ibm819', 'iso-ir-100'].map(
    (name) => [name, 'iso-8859-1'] as const,
  ),
  ...['us-ascii', 'ascii', 'ansi_x3.4-1968', 'iso646-us', 'cp367', 'ibm367', 'csascii'].map(
    (name) => [name, 'us-ascii'] as const,
  ),
]);

/** What the head of a document shows of its encoding. */
interface Choice {
  readonly decoder: Decoder;
  /** Length of the byte order mark, bytes. */
  readonly skip: number;
}

/**
 * A document's bytes as text. The encoding is found as XML 1.0 appendix F and RFC 7303 say: a byte order mark beats
 * the charset of the Content-Type, which beats the XML declaration; without any of them it is UTF-8. When a known
 * charset was given, what is invalid in it becomes U+FFFD, as ASP.NET does; otherwise it is an error.
 */
export class XmlInput {
  readonly #charset: string | undefined;
  readonly #maxDeclaration: number;
  #head: Uint8Array | undefined;
  #decoder: Decoder | undefined;
  /** The last text ended with a carriage return, which became a line feed: a line feed that follows is part of it. */
  #returned = false;

  /**
   * @param charset of the Content-Type; an unknown one is as none.
   * @param maxDeclaration how far the XML declaration's end is looked for, bytes.
   */
  constructor(charset: string | undefined, maxDeclaration: number) {
    this.#charset = charset !== undefined && decoderFor(charset, false) !== undefined ? charset : undefined;
    this.#maxDeclaration = maxDeclaration;
  }

  /** Why the text ended early; nothing may be decoded after it. */
  get fault(): Refusal | undefined {
    return this.#decoder?.fault;
  }

  /** The text of the next bytes, line ends normalised to line feeds; empty while the encoding is open. */
  decode(bytes: Uint8Array, last: boolean): string {
    const text = this.#decode(bytes, last);
    if (!this.#returned && !text.includes('\r')) return text;
    const fresh = this.#returned && text.startsWith('\n') ? text.slice(1) : text;
    if (text !== '') this.#returned = text.endsWith('\r');
    return fresh.replaceAll('\r\n', '\n').replaceAll('\r', '\n');
  }

  #decode(bytes: Uint8Array, last: boolean): string {
    if (this.#decoder !== undefined) return this.#decoder.decode(bytes, last);
    const head = this.#head === undefined ? bytes : Buffer.concat([this.#head, bytes]);
    const choice = this.#choose(head, last || head.length >= this.#maxDeclaration);
    if (choice === undefined) {
      this.#head = this.#head === undefined ? head.slice() : head;
      return '';
    }
    this.#head = undefined;
    this.#decoder = choice.decoder;
    return choice.decoder.decode(head.subarray(choice.skip), last);
  }

  /**
   * Compares what the XML declaration says with how the document was read so far.
   * @throws {Refusal} when they contradict each other and no charset from outside decides.
   */
  confirm(declared: string): void {
    const used = this.#decoder?.encoding ?? 'utf-8';
    if (this.#charset !== undefined) return;
    const named = decoderFor(declared, true)?.encoding;
    if (named === undefined) throw new Refusal('encoding', `The declared encoding ${declared} is not known.`);
    if (named !== used && !(named.startsWith('utf-16') && used.startsWith('utf-16'))) {
      throw new Refusal('encoding', `The document declares the encoding ${declared} but is in ${used}.`);
    }
  }

  #choose(head: Uint8Array, complete: boolean): Choice | undefined {
    const strict = this.#charset === undefined;
    for (const { mark, make } of BYTE_ORDER_MARKS) {
      const matching = matchingLength(head, mark);
      if (matching === mark.length) return { decoder: make(strict), skip: mark.length };
      if (matching === head.length && !complete) return undefined;
    }
    return this.#charset === undefined ? detect(head, complete) : external(this.#charset, head, complete);
  }
}

const BYTE_ORDER_MARKS: readonly { mark: readonly number[]; make: (strict: boolean) => Decoder }[] = [
  { mark: [0xef, 0xbb, 0xbf], make: (strict) => new Utf8Decoder(strict) },
  { mark: [0xfe, 0xff], make: (strict) => new Utf16Decoder(strict, true) },
  { mark: [0xff, 0xfe], make: (strict) => new Utf16Decoder(strict, false) },
];
const UTF_16BE_START: readonly number[] = [0x00, 0x3c, 0x00, 0x3f];
const UTF_16LE_START: readonly number[] = [0x3c, 0x00, 0x3f, 0x00];
const DECLARATION_START: readonly number[] = [0x3c, 0x3f, 0x78, 0x6d, 0x6c];
const GREATER_THAN = 0x3e;

/** The decoder of a charset given from outside. Plain UTF-16 without a mark is big-endian when it looks so. */
function external(charset: string, head: Uint8Array, complete: boolean): Choice | undefined {
  if (charset.toLowerCase() !== 'utf-16') return { decoder: decoderFor(charset, false)!, skip: 0 };
  if (head.length < 2 && !complete) return undefined;
  return { decoder: new Utf16Decoder(false, head[0] === 0 && head[1] !== 0), skip: 0 };
}

/** The decoder that the document's own first bytes ask for. */
function detect(head: Uint8Array, complete: boolean): Choice | undefined {
  for (const [start, bigEndian] of [[UTF_16BE_START, true] as const, [UTF_16LE_START, false] as const]) {
    const matching = matchingLength(head, start);
    if (matching === start.length) return { decoder: new Utf16Decoder(true, bigEndian), skip: 0 };
    if (matching === head.length && !complete) return undefined;
  }
  const matching = matchingLength(head, DECLARATION_START);
  if (matching === head.length && !complete) return undefined;
  const utf8 = { decoder: new Utf8Decoder(true), skip: 0 };
  if (matching < DECLARATION_START.length) return utf8;
  const end = head.indexOf(GREATER_THAN);
  if (end < 0) return complete ? utf8 : undefined;
  const declared = declaredEncoding(Buffer.from(head.subarray(0, end + 1)).toString('latin1'));
  const decoder = declared === undefined ? undefined : decoderFor(declared, true);
  // Bytes that could be read up to here are not UTF-16; the scanner then reports the contradiction.
  return decoder === undefined || decoder.encoding.startsWith('utf-16') ? utf8 : { decoder, skip: 0 };
}

/** The encoding that a declaration names; a malformed declaration names none, the scanner reports it. */
function declaredEncoding(text: string): string | undefined {
  try {
    return readDeclaration(text).encoding;
  } catch (error) {
    if (error instanceof Refusal) return undefined;
    throw error;
  }
}

function decoderFor(name: string, strict: boolean): Decoder | undefined {
  const label = name.trim().toLowerCase();
  if (label === 'utf-8' || label === 'utf8') return new Utf8Decoder(strict);
  if (label === 'utf-16' || label === 'utf-16le') return new Utf16Decoder(strict, false);
  if (label === 'utf-16be') return new Utf16Decoder(strict, true);
  const single = SINGLE_BYTE.get(label);
  if (single !== undefined) return new SingleByteDecoder(strict, single);
  try {
    const legacy = new LegacyDecoder(strict, label);
    if (legacy.encoding === 'utf-8') return new Utf8Decoder(strict);
    if (legacy.encoding.startsWith('utf-16')) return new Utf16Decoder(strict, legacy.encoding === 'utf-16be');
    return legacy;
  } catch {
    return undefined;
  }
}

/** How many of the first bytes agree with a mark. */
function matchingLength(head: Uint8Array, mark: readonly number[]): number {
  let length = 0;
  while (length < head.length && length < mark.length && head[length] === mark[length]) length++;
  return length;
}
