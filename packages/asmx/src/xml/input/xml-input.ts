import {
  asBuffer,
  type CharsetDecoder,
  charsetDecoder,
  isUtf8Name,
  Utf8Decoder,
  Utf16Decoder,
} from '../../message/charset.ts';
import { GuessingDecoder } from '../../message/charsets/guessing-decoder.ts';
import { isUnreadCharset } from '../../message/charsets/unread.ts';
import { Utf32Decoder } from '../../message/charsets/utf32-decoder.ts';
import { findForbiddenUnit, nameOfChar } from '../chars.ts';
import { XmlRefusal } from '../errors.ts';
import { countLineFeeds } from './control-bytes.ts';
import { ENCODING_NAME, malformedDeclaration, readDeclaration } from './declaration.ts';

/**
 * A document's bytes as text that the scanner can rely on: only characters XML 1.0 allows, line
 * ends normalised to line feeds. Where that is impossible the text ends and `fault` says why.
 *
 * The encoding is found as RFC 7303 and XML 1.0 appendix F say: a byte order mark beats the charset
 * of the Content-Type, which beats the XML declaration; without any of them it is UTF-8. When a
 * known charset was given from outside, what is invalid in it becomes U+FFFD, as ASP.NET does
 * (wire 3); otherwise it is an error, unless the input is forgiving: then a declaration that the
 * bytes contradict does not count, and what is text in nothing becomes `?`.
 */
export class XmlInput {
  /** Line feeds in the last text; -1 when they were not counted. */
  lineFeeds = -1;
  /** Why the text ended early; nothing may be decoded after it. */
  fault: XmlRefusal | undefined = undefined;
  readonly #charset: string | undefined;
  /** The leniency towards invalid bytes; set only without a known charset. */
  readonly #forgiving: Forgiving | undefined;
  readonly #endsAtNul: boolean;
  readonly #maxDeclaration: number;
  #head: Uint8Array | undefined;
  #decoder: CharsetDecoder | undefined;
  /** Whether a NUL has ended the document. */
  #ended = false;
  /**
   * The last text ended with a carriage return, which became a line feed: a line feed that follows
   * is part of it.
   */
  #returned = false;

  /**
   * @param charset of the Content-Type; an unknown one is ignored.
   * @param maxDeclaration largest length of the XML declaration, in bytes.
   * @param leniency which invalid input is accepted.
   */
  constructor(
    charset: string | undefined,
    maxDeclaration: number,
    { forgiving, endsAtNul = false }: Leniency = {},
  ) {
    this.#charset =
      charset !== undefined && charsetDecoder(charset, false) !== undefined ? charset : undefined;
    this.#maxDeclaration = maxDeclaration;
    this.#forgiving = this.#charset === undefined ? forgiving : undefined;
    this.#endsAtNul = endsAtNul;
  }

  /** The name of the encoding in which invalid bytes were replaced; `undefined` for none so far. */
  get replacedIn(): string | undefined {
    return this.#decoder?.replaced ? this.#decoder.encoding : undefined;
  }

  /**
   * Decodes the next bytes; with `last`, also the bytes held back. Returns `''` until the encoding
   * is known.
   */
  decode(bytes: Uint8Array, last: boolean): string {
    if (this.#decoder !== undefined) return this.#allowed(this.#decoder, bytes, last);
    const head = this.#head === undefined ? bytes : Buffer.concat([this.#head, bytes]);
    const choice = this.#choose(head, last);
    if (choice === undefined) {
      this.#head = Buffer.from(head);
      return '';
    }
    this.#head = undefined;
    this.#decoder = choice.decoder;
    return this.#allowed(
      choice.decoder,
      choice.skip === 0 ? head : head.subarray(choice.skip),
      last,
    );
  }

  /**
   * Compares the XML declaration with the encoding used so far.
   * @throws {XmlRefusal} when they contradict each other and no charset from outside decides.
   */
  confirm(declared: string): void {
    if (this.#charset !== undefined) return;
    if (this.#forgiving !== undefined) {
      if (!isUnreadCharset(declared)) return;
      throw new XmlRefusal('encoding', `The declared encoding ${declared} is not read.`);
    }
    if (!ENCODING_NAME.test(declared)) throw malformedDeclaration();
    const used = this.#decoder?.encoding ?? 'utf-8';
    if (isUtf8Name(declared) && used === 'utf-8') return;
    const named = charsetDecoder(declared, true)?.encoding;
    if (named === undefined)
      throw new XmlRefusal('encoding', `The declared encoding ${declared} is not known.`);
    if (named !== used && !(areOfOneWidth(named, used) && !saysWhichEnd(declared))) {
      throw new XmlRefusal(
        'encoding',
        `The document declares the encoding ${declared} but is in ${used}.`,
      );
    }
  }

  /** The text up to its first forbidden character. */
  #allowed(decoder: CharsetDecoder, bytes: Uint8Array, last: boolean): string {
    const text = decoder.decode(bytes, last);
    if (text === '' && !decoder.invalid) return '';
    if (this.#ended) {
      if (!NOTHING.test(text)) this.fault = new XmlRefusal('malformed', FORBIDDEN_NUL);
      return '';
    }
    if (decoder.invalid) {
      this.fault = new XmlRefusal(
        'encoding',
        `Here the document is not valid in its encoding, ${decoder.encoding}.`,
      );
    }
    // In an ASCII-compatible encoding, forbidden characters can be found in the bytes, which is
    // faster.
    this.lineFeeds = decoder.bytewise ? countLineFeeds(bytes) : -1;
    const clean = this.lineFeeds >= 0 && !text.includes('\ufffe') && !text.includes('\uffff');
    const at = clean ? -1 : findForbiddenUnit(text);
    if (at < 0) return this.#normalized(text);
    if (this.#mayEndAt(text, at)) return this.#normalized(text.slice(0, at));
    const name = nameOfChar(text.charCodeAt(at));
    this.fault = new XmlRefusal(
      'malformed',
      `The character ${name} is not allowed in an XML document.`,
    );
    this.lineFeeds = -1;
    return this.#normalized(text.slice(0, at));
  }

  /**
   * C clients send the NUL that ends their text along (ASP.NET passes over it): where nothing but
   * NULs and white space follows, the document ends there. What follows later is looked at when it
   * comes.
   */
  #mayEndAt(text: string, at: number): boolean {
    if (!this.#endsAtNul || text.charCodeAt(at) !== 0 || !NOTHING.test(text.slice(at)))
      return false;
    this.#ended = true;
    this.lineFeeds = -1;
    return true;
  }

  /** Line ends as line feeds (XML 1.0 section 2.11). */
  #normalized(text: string): string {
    if (!this.#returned && !text.includes('\r')) return text;
    this.lineFeeds = -1;
    const fresh = this.#returned && text.startsWith('\n') ? text.slice(1) : text;
    if (text !== '') this.#returned = text.endsWith('\r');
    // Faster than replaceAll where there are many. The pattern is a single text, so nothing can be
    // tried twice.
    const joined = fresh.includes('\r\n') ? fresh.replace(/\r\n/g, '\n') : fresh;
    return joined.includes('\r') ? this.#returnsAsLineFeeds(joined) : joined;
  }

  /**
   * Byte by byte: a text of only carriage returns, which no system writes today, is as cheap as any
   * other.
   */
  #returnsAsLineFeeds(text: string): string {
    const bytes = Buffer.from(text, 'utf8');
    for (let at = bytes.indexOf(RETURN); at >= 0 && at < bytes.length; at++) {
      if (bytes[at] === RETURN) bytes[at] = LINE_FEED;
    }
    this.lineFeeds = countLineFeeds(bytes);
    return bytes.toString('utf8');
  }

  /** @returns undefined while more bytes are needed to know. */
  #choose(head: Uint8Array, last: boolean): Choice | undefined {
    const strict = this.#charset === undefined && this.#forgiving === undefined;
    const detected = () => detect(head, last, this.#maxDeclaration, this.#forgiving);
    if (head[0] === LESS && this.#charset === undefined) return detected();
    for (const { mark, make } of BYTE_ORDER_MARKS) {
      const matching = matchingLength(head, mark);
      if (matching === mark.length) return { decoder: make(strict), skip: mark.length };
      if (matching === head.length && !last) return undefined;
    }
    if (this.#charset !== undefined) return external(this.#charset, head, last);
    return detected();
  }
}

/** Invalid input from clients that is accepted. */
export interface Leniency {
  /** Without a known charset, whether a declaration that contradicts the bytes is ignored. */
  readonly forgiving?: Forgiving | undefined;
  /** Whether NULs behind the document are ignored. */
  readonly endsAtNul?: boolean;
}

/** How bytes without a known charset are decoded, regardless of their declaration. */
export interface Forgiving {
  /** What bytes that are not UTF-8 are in, by any of its names; `undefined` where nobody knows. */
  readonly legacyCharset: string | undefined;
}

const RETURN = 0x0d;
const LINE_FEED = 0x0a;

/** Only NULs and white space. */
const NOTHING = /^[\0\t\n\r ]*$/;
const FORBIDDEN_NUL = 'The character U+0000 is not allowed in an XML document.';

/** The encoding, as detected from the first bytes of a document. */
interface Choice {
  readonly decoder: CharsetDecoder;
  /** Length of the byte order mark, bytes. */
  readonly skip: number;
}

const BYTE_ORDER_MARKS: readonly {
  mark: readonly number[];
  make: (strict: boolean) => CharsetDecoder;
}[] = [
  { mark: [0xef, 0xbb, 0xbf], make: (strict) => new Utf8Decoder(strict) },
  // Before those of UTF-16, with one of which it begins.
  { mark: [0xff, 0xfe, 0x00, 0x00], make: (strict) => new Utf32Decoder(strict, 'utf-32le') },
  { mark: [0x00, 0x00, 0xfe, 0xff], make: (strict) => new Utf32Decoder(strict, 'utf-32be') },
  { mark: [0xfe, 0xff], make: (strict) => new Utf16Decoder(strict, 'utf-16be') },
  { mark: [0xff, 0xfe], make: (strict) => new Utf16Decoder(strict, 'utf-16le') },
];
/** `<` in UTF-16 without a byte order mark. */
const UTF_16_STARTS = [
  { start: [0x00, 0x3c], encoding: 'utf-16be' },
  { start: [0x3c, 0x00], encoding: 'utf-16le' },
] as const;
/** `<?xml` */
const DECLARATION_START = [0x3c, 0x3f, 0x78, 0x6d, 0x6c];
const LESS = 0x3c;
const QUESTION = 0x3f;

/**
 * The decoder of a charset given from outside. Plain UTF-16 without a mark is big-endian when it
 * looks so.
 */
function external(charset: string, head: Uint8Array, last: boolean): Choice | undefined {
  if (charset.trim().toLowerCase() !== 'utf-16')
    return { decoder: charsetDecoder(charset, false)!, skip: 0 };
  if (head.length < 2 && !last) return undefined;
  const bigEndian = head[0] === 0 && head[1] !== 0;
  return { decoder: new Utf16Decoder(false, bigEndian ? 'utf-16be' : 'utf-16le'), skip: 0 };
}

/** The decoder for the encoding detected from the first bytes. */
function detect(
  head: Uint8Array,
  last: boolean,
  maxDeclaration: number,
  forgiving: Forgiving | undefined,
): Choice | undefined {
  const strict = forgiving === undefined;
  const utf8 = () => ({
    decoder: strict ? new Utf8Decoder(true) : guessing(undefined, forgiving),
    skip: 0,
  });
  if (head.length > 1 && head[0] === LESS && head[1] !== QUESTION && head[1] !== 0) return utf8();
  for (const { start, encoding } of UTF_16_STARTS) {
    const matching = matchingLength(head, start);
    if (matching === start.length) return { decoder: new Utf16Decoder(strict, encoding), skip: 0 };
    if (matching === head.length && !last) return undefined;
  }
  const matching = matchingLength(head, DECLARATION_START);
  if (matching < DECLARATION_START.length)
    return matching === head.length && !last ? undefined : utf8();
  const text = asBuffer(head).toString('latin1', 0, maxDeclaration);
  const end = text.indexOf('>');
  // A declaration that is longer is over the limit; the scanner reports it.
  if (end < 0) return last || head.length >= maxDeclaration ? utf8() : undefined;
  const declared = declaredEncoding(text.slice(0, end + 1));
  const decoder =
    declared === undefined || isUtf8Name(declared) ? undefined : charsetDecoder(declared, true);
  // Bytes that could be read up to here are not UTF-16; `confirm` then reports the contradiction.
  if (decoder === undefined || isUtf16(decoder.encoding)) return utf8();
  if (strict) return { decoder, skip: 0 };
  // In encodings with shift characters, bytes below 0x80 need not be ASCII.
  const shifts = decoder.encoding.startsWith('iso-2022');
  return {
    decoder: shifts ? charsetDecoder(declared!, false)! : guessing(declared, forgiving),
    skip: 0,
  };
}

/**
 * The declared encoding, if the bytes are valid in it; otherwise UTF-8, if they are valid;
 * otherwise the legacy charset.
 */
function guessing(declared: string | undefined, { legacyCharset }: Forgiving): CharsetDecoder {
  const questionMarks = (strict: boolean) => new Utf8Decoder(strict, true);
  const candidates = [declared, 'utf-8'].filter((name) => name !== undefined).map(decoderOf);
  if (legacyCharset !== undefined) return new GuessingDecoder(candidates, decoderOf(legacyCharset));
  return declared === undefined
    ? questionMarks(false)
    : new GuessingDecoder(candidates, questionMarks);
}

const decoderOf = (name: string) => (strict: boolean) => charsetDecoder(name, strict)!;

/**
 * The encoding that a declaration names; a malformed declaration names none, the scanner reports
 * it.
 */
function declaredEncoding(text: string): string | undefined {
  try {
    return readDeclaration(text).encoding;
  } catch (error) {
    if (error instanceof XmlRefusal) return undefined;
    throw error;
  }
}

/** For the other names of UTF-16 and UTF-32, the byte order mark decides (RFC 2781 section 3.3). */
function saysWhichEnd(encoding: string): boolean {
  return /^utf-(?:16|32)[bl]e$/i.test(encoding);
}

/** Whether both are UTF-16, or both UTF-32, of whichever end. */
function areOfOneWidth(one: string, other: string): boolean {
  return (
    /^utf-(?:16|32)/.test(one) && one.slice(0, 'utf-16'.length) === other.slice(0, 'utf-16'.length)
  );
}

function isUtf16(encoding: string): boolean {
  return encoding.startsWith('utf-16');
}

/** The number of first bytes that agree with a byte order mark. */
function matchingLength(head: Uint8Array, mark: readonly number[]): number {
  let length = 0;
  while (length < head.length && length < mark.length && head[length] === mark[length]) length++;
  return length;
}
