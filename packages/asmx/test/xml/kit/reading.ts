import { DEFAULT_LIMITS, type Limits } from '../../../src/contract/limits.ts';
import {
  type Content,
  type ContentMode,
  createXmlReader,
  type XmlElement,
  XmlError,
} from '../../../src/xml/reader.ts';

export interface Reading {
  /** Lengths of the pieces that the bytes are pushed in, the last one repeated; all at once by default. */
  readonly split?: readonly number[];
  readonly limits?: Limits;
  readonly charset?: string | undefined;
  readonly endsAtNul?: boolean;
  readonly forgiving?: { readonly legacyCharset: string | undefined } | undefined;
  /** Shows attributes in alphabetical order. */
  readonly sorted?: boolean;
  /** What is wanted of each element; `text` by default. */
  readonly take?: (element: XmlElement) => ContentMode | Content;
}

export interface Outcome {
  /** Start tags as `<{uri}prefix:local {uri}prefix:name="value">`, text joined up to the next tag, end tags as `/`. */
  readonly events: readonly string[];
  readonly error: XmlError | undefined;
  readonly steps: number;
  readonly replacedIn: string | undefined;
}

/** Reads a whole document and tells what was reported, and how it ended. */
export function read(document: string | Uint8Array, reading: Reading = {}): Outcome {
  const events: string[] = [];
  let text = '';
  const flush = () => {
    if (text !== '') events.push(text);
    text = '';
  };
  const reader = createXmlReader(
    {
      open(element) {
        flush();
        events.push(shown(element, reading.sorted ?? false));
        return reading.take?.(element) ?? 'text';
      },
      text(piece) {
        if (piece === '') throw new Error('An empty piece of text was reported.');
        text += piece;
      },
      close() {
        flush();
        events.push('/');
      },
    },
    {
      limits: reading.limits ?? DEFAULT_LIMITS,
      charset: reading.charset,
      endsAtNul: reading.endsAtNul ?? false,
      forgiving: reading.forgiving,
    },
  );
  let error: XmlError | undefined;
  try {
    for (const piece of pieces(toBytes(document), reading.split ?? [Number.MAX_SAFE_INTEGER]))
      reader.push(piece);
    reader.end();
  } catch (thrown) {
    if (!(thrown instanceof XmlError)) throw thrown;
    error = thrown;
  }
  return { events, error, steps: reader.steps, replacedIn: reader.replacedIn };
}

/** The outcome as one comparable text. */
export function summary({ events, error }: Outcome): string {
  return [...events, error === undefined ? 'end' : `${error.code}: ${error.message}`].join('\n');
}

export function toBytes(document: string | Uint8Array): Uint8Array {
  return typeof document === 'string' ? Buffer.from(document) : document;
}

export function* pieces(bytes: Uint8Array, lengths: readonly number[]): Generator<Uint8Array> {
  for (let at = 0, piece = 0; at < bytes.length; piece++) {
    const length = lengths[Math.min(piece, lengths.length - 1)]!;
    // A copy that is overwritten afterwards shows whether the reader keeps what it was given.
    const copy = Uint8Array.from(bytes.subarray(at, at + length));
    yield copy;
    copy.fill(0x21);
    at += length;
  }
}

/** A start tag as {@link Outcome.events} has it. */
export function shown(element: Omit<XmlElement, 'namespaceOf'>, sorted: boolean): string {
  const attributes = element.attributes.map(
    (each) => ` ${nameOf(each)}=${JSON.stringify(each.value)}`,
  );
  if (sorted) attributes.sort();
  return `<${nameOf(element)}${attributes.join('')}>`;
}

function nameOf({ uri, prefix, local }: { uri: string; prefix: string; local: string }): string {
  return `${uri === '' ? '' : `{${uri}}`}${prefix === '' ? '' : `${prefix}:`}${local}`;
}
