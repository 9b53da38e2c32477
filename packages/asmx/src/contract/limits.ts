import { nearest } from './nearest.ts';

/**
 * Every bound of the wire, once. Each is configurable through {@link defineLimits}; `0` is refused,
 * it never means "none".
 */
export interface Limits {
  /** Request body as it arrives and, when compressed, as it is decoded; bytes. */
  readonly bodyBytes: number;
  /**
   * The body of an operation that has a base64Binary parameter; bytes. Follows `binaryBytes` by
   * default: room for a file as a form with one number a byte.
   */
  readonly binaryBodyBytes: number;
  /** One base64Binary value after decoding; bytes. */
  readonly binaryBytes: number;
  /** One parameter's text when the contract names no length of its own; UTF-16 code units. */
  readonly textChars: number;
  /** Element depth from the root, outside SOAP headers. */
  readonly depth: number;
  /** Element depth inside a SOAP header. */
  readonly headerDepth: number;
  /**
   * Elements in one document, with comments, processing instructions and CDATA sections; of a JSON
   * text commas, which is to say members and items.
   */
  readonly elements: number;
  /** Attributes on one element, namespace declarations included. */
  readonly attributes: number;
  /** Attributes in one document, namespace declarations included. */
  readonly totalAttributes: number;
  /** Namespace declarations in scope at once. */
  readonly namespaces: number;
  /**
   * One name, of an element to a form's pair; of XML also one reference and the XML declaration;
   * UTF-16 code units.
   */
  readonly nameChars: number;
  /** One attribute value; UTF-16 code units. */
  readonly attributeValueChars: number;
  /**
   * The SOAP header element, from behind its start tag to the end of its end tag; bytes of UTF-8.
   */
  readonly headerBytes: number;
  /**
   * Of a GET query string or POST form whatever stands between two `&`, of a JSON text the members
   * and the items of arrays: repeats and empty ones too. But the bytes of a file that comes as one
   * value a byte are not counted, where each is one to three digits.
   */
  readonly formPairs: number;
  /**
   * Of a form in a charset other than UTF-8: how often `%u` escapes stand behind bytes that are no
   * ASCII.
   */
  readonly charsetSwitches: number;
  /** Items of lists, and rows and columns of data sets, in one message. */
  readonly items: number;
  /**
   * Values of one file parameter outside SOAP that are no single byte, empty ones too; ASP.NET's
   * forms send two.
   */
  readonly fileContents: number;
  /** Parts of a multipart form or of a SOAP message with attachments. */
  readonly parts: number;
  /** Parts of a SOAP message that come before its envelope. */
  readonly earlyParts: number;
  /** The headers of one part of a multipart form; bytes. */
  readonly partHeaderBytes: number;
  /** GET query string; UTF-16 code units. */
  readonly queryChars: number;
  /** How much of a compressed body is inflated whatever its size; bytes. */
  readonly inflationAllowance: number;
  /** How many bytes each further byte of a compressed body may become. */
  readonly inflationRatio: number;
  /** What chunks of HTTP may add to a body beyond its first 16 KiB; per cent. */
  readonly chunkOverhead: number;
  /** Longest pause of a client in its body; ms. */
  readonly bodyPauseMs: number;
  /**
   * Bodies of an endpoint that may come slowly at a time; beyond it the slowest give way, those
   * whose credential is checked last. Slow is what takes longer than {@link bodyGraceMs} and comes
   * with less than {@link minBodyRate}.
   */
  readonly slowBodies: number;
  /** How long a client may take for its body in all before {@link minBodyRate} counts; ms. */
  readonly bodyGraceMs: number;
  /** Bytes a second, on the average, below which a body is slow; our own waiting is not counted. */
  readonly minBodyRate: number;
  /**
   * Most memory of one request before its credential is checked, whatever its operation: its
   * values, and the part of a file that waits to be written; bytes. Follows {@link bodyBytes} by
   * default.
   */
  readonly unauthenticatedBytes: number;
  /**
   * Most of a body that may arrive before the credential of its operation is checked; bytes.
   * Follows {@link bodyBytes} and {@link binaryBytes} by default, because a file in base64 may
   * stand before the credential.
   */
  readonly unauthenticatedBodyBytes: number;
  /**
   * Most bytes that a compressed body may inflate to before its credential is checked, or if it
   * needs none.
   */
  readonly unauthenticatedInflatedBytes: number;
  /**
   * Most memory of all requests of an endpoint together before their credentials are checked;
   * bytes.
   */
  readonly totalUnauthenticatedBytes: number;
  /**
   * Most calls of an endpoint that wait or run at a time. One address may use as many as are still
   * free, so half of them when it is alone.
   */
  readonly calls: number;
  /** Longest wait of a call before it runs; ms. */
  readonly callWaitMs: number;
  /** Longest wait once calls have been waiting for {@link callWaitMs} without a break; ms. */
  readonly overloadWaitMs: number;
  /**
   * Most bytes of files that all requests of an endpoint together write before their credentials
   * are checked.
   */
  readonly totalUnauthenticatedFileBytes: number;
}

const MIB = 1024 * 1024;

/**
 * How much a file grows at most on its way: a form with one value a byte takes twelve for it,
 * `FileImg=255&`.
 */
const LARGEST_GROWTH = 12;

/** The other parameters beside a file, and what stands around them; bytes. */
const AROUND_FILE_BYTES = MIB;

/**
 * The bound of a body that carries a file of at most `binaryBytes`, in whatever form. It may be far
 * above what base64 needs, because a body is never held: what counts is the bound of the file
 * itself, which is kept while it is decoded.
 */
export function bodyBytesFor(binaryBytes: number): number {
  return LARGEST_GROWTH * binaryBytes + AROUND_FILE_BYTES;
}

/** The limits that follow others when they are not given. */
function unauthenticatedLimits(bodyBytes: number, binaryBytes: number) {
  return {
    unauthenticatedBytes: bodyBytes + MIB,
    unauthenticatedBodyBytes: Math.max(
      bodyBytes,
      Math.ceil((binaryBytes / 3) * 4) + AROUND_FILE_BYTES,
    ),
    totalUnauthenticatedBytes: Math.max(16 * MIB, 4 * bodyBytes),
    totalUnauthenticatedFileBytes: 16 * binaryBytes,
  };
}

/** The defaults: those of semantics 2 and of the XML reader's hard bounds. */
export const DEFAULT_LIMITS: Limits = {
  bodyBytes: 4 * MIB,
  binaryBodyBytes: bodyBytesFor(10 * MIB),
  binaryBytes: 10 * MIB,
  textChars: 4 * MIB,
  // A tree of the contract's types takes one or two levels for each of its own.
  depth: 64,
  headerDepth: 64,
  // As many as items: a list of 1,000 objects has tens of thousands. A body of `<a/>` alone would
  // have ten times as many.
  elements: 100_000,
  attributes: 64,
  // One of each element, and as many declarations.
  totalAttributes: 200_000,
  namespaces: 256,
  nameChars: 1024,
  attributeValueChars: 64 * 1024,
  headerBytes: 64 * 1024,
  formPairs: 10_000,
  // Each takes a microsecond. A client that writes %u escapes, with JavaScript's escape(), writes
  // few other bytes.
  charsetSwitches: 10_000,
  items: 100_000,
  fileContents: 100,
  parts: 1_000,
  earlyParts: 4,
  partHeaderBytes: 8 * 1024,
  // A text of 100 kB with each of its bytes escaped.
  queryChars: 384 * 1024,
  inflationAllowance: 64 * 1024,
  // Forms and XML shrink to a tenth or so, a text of blank lines to a hundredth.
  inflationRatio: 100,
  // Chunks of 60 bytes. Each costs node:http as much as hundreds of bytes.
  chunkOverhead: 10,
  // As IIS: a client in a tunnel is no attack.
  bodyPauseMs: 120_000,
  slowBodies: 100,
  // As Kestrel has it.
  bodyGraceMs: 5_000,
  minBodyRate: 240,
  // At thousands a second, half a second's work.
  calls: 2_000,
  callWaitMs: 5_000,
  overloadWaitMs: 500,
  ...unauthenticatedLimits(4 * MIB, 10 * MIB),
  unauthenticatedInflatedBytes: 1 * MIB,
};

/**
 * The defaults with some of them replaced.
 * @throws {RangeError} when a limit is not a positive integer.
 */
export function defineLimits(overrides: Partial<Limits> = {}): Limits {
  for (const [name, value] of Object.entries(overrides)) {
    if (!Object.hasOwn(DEFAULT_LIMITS, name))
      throw new RangeError(
        `There is no limit ${name}.${nearest(name, Object.keys(DEFAULT_LIMITS))}`,
      );
    if (!Number.isSafeInteger(value) || value <= 0) {
      throw new RangeError(`The limit ${name} must be a positive integer, not ${value}.`);
    }
  }
  const { bodyBytes, binaryBytes } = { ...DEFAULT_LIMITS, ...overrides };
  const following = {
    binaryBodyBytes: bodyBytesFor(binaryBytes),
    ...unauthenticatedLimits(bodyBytes, binaryBytes),
  };
  return { ...DEFAULT_LIMITS, ...following, ...overrides };
}
