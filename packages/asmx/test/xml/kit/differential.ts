import { ParseOption, XmlDocument, XmlElement, XmlParseError, XmlXPath } from 'libxml2-wasm';
import type { XmlError, XmlErrorCode } from '../../../src/xml/reader.ts';
import { read, shown } from './reading.ts';

/** Why the reader is right where libxml2 disagrees. */
interface Explanation {
  readonly reason: string;
  /** Whether it explains what the reader alone refuses, or one complaint that libxml2 alone has. */
  explains(complaint: XmlError | string, text: string): boolean;
}

/** Refused by us alone, with this code and sentence. */
const refused = (code: XmlErrorCode, sentence: RegExp, reason: string): Explanation => ({
  reason,
  explains: (complaint) =>
    typeof complaint !== 'string' && complaint.code === code && sentence.test(complaint.reason),
});

/** Refused by libxml2 alone with this complaint, for a document of which `also` holds. */
const accepted = (sentence: RegExp, reason: string, also: RegExp = /^/): Explanation => ({
  reason,
  explains: (complaint, text) =>
    typeof complaint === 'string' && sentence.test(complaint) && also.test(text),
});

export const EXPLANATIONS: readonly Explanation[] = [
  refused('dtd', /DTD/, 'a DTD is refused by decision'),
  refused('version', /1\.1/, 'version 1.1 is refused by decision'),
  refused(
    'version',
    /is not in XML version 1\.0/,
    'digits must follow "1." in a version number (XML 1.0 [26])',
  ),
  refused(
    'encoding',
    /is not known|but is in/,
    'a wrong or unknown declared encoding is an error (XML 1.0 section 4.3.3)',
  ),
  refused(
    'malformed',
    /xmlns:xml stands twice/,
    'no attribute may stand twice, xmlns:xml neither (XML 1.0 section 3.1)',
  ),
  accepted(
    /is not a valid URI/,
    'well-formedness does not depend on what a namespace name looks like (Namespaces section 2.2)',
  ),
  accepted(
    /CharRef: invalid (hexadecimal|decimal) value|invalid xmlChar value 0|construct error|Couldn't find end of Start Tag/,
    'a character reference may have any number of leading zeros (XML 1.0 [66])',
    /&#(x0{5}|0{5})/,
  ),
  accepted(
    /invalid xmlChar value 5[5-7][0-9]{3}/,
    'a pair of surrogate references is read as one character by decision',
    /&#x0*[dD][89abAB][0-9a-fA-F]{2};&#x0*[dD][c-fC-F][0-9a-fA-F]{2};/,
  ),
];

/** What libxml2 only warns of. */
const WARNING = /invalid name prefix 'xml'|is not absolute|Unsupported version/;

/**
 * Reads a document with both readers.
 * @returns `agreed`, or the reason of an explained disagreement.
 * @throws {Error} when they disagree in a way that nothing explains.
 */
export function compare(bytes: Uint8Array): string {
  // libxml2 may have the attributes in an order of its own.
  const ours = read(bytes, { sorted: true });
  const theirs = readWithLibxml(bytes);
  if ((ours.error === undefined) === (theirs.complaints.length === 0)) {
    if (ours.error !== undefined) return 'agreed';
    const [content, again] = [ours.events, theirs.events].map(comparable);
    if (content === again) return 'agreed';
    throw new Error(`Different content: ${show(bytes)}\nours:\n${content}\nlibxml2:\n${again}`);
  }
  const text = textOf(bytes);
  // One document may hold several reasons: each complaint needs its own.
  const complaints = ours.error === undefined ? theirs.complaints : [ours.error];
  const explanations = complaints.map((each) =>
    EXPLANATIONS.find(({ explains }) => explains(each, text)),
  );
  if (explanations.every((each) => each !== undefined)) return explanations[0]!.reason;
  throw new Error(
    `Unexplained: ${show(bytes)}\nours: ${ours.error?.message ?? 'accepted'}\nlibxml2: ${theirs.complaints.join('; ') || 'accepted'}`,
  );
}

interface Libxml {
  readonly complaints: readonly string[];
  /** As our reader's, attributes sorted. */
  readonly events: readonly string[];
}

function readWithLibxml(bytes: Uint8Array): Libxml {
  const options = ParseOption.XML_PARSE_NONET | ParseOption.XML_PARSE_NO_XXE;
  let document: XmlDocument;
  try {
    document = XmlDocument.fromBuffer(bytes, { option: options });
  } catch (error) {
    if (!(error instanceof XmlParseError)) throw error;
    const complaints = error.details
      .map(({ message }) => message)
      .filter((message) => !WARNING.test(message));
    return { complaints, events: [] };
  }
  try {
    return { complaints: [], events: eventsOf(document.root) };
  } finally {
    document.dispose();
  }
}

/** The WebAssembly binding takes U+FEFF at the start of any string for a byte order mark, and drops it. */
function comparable(events: readonly string[]): string {
  const kept = events.map((event) => event.replaceAll('\ufeff', ''));
  return kept.filter((event) => event !== '').join('\n');
}

/** Elements, texts and CDATA sections, in their order. */
const CONTENT = XmlXPath.compile('*|text()');

function eventsOf(element: XmlElement): string[] {
  const { name: local, prefix, namespaceUri: uri, attrs } = element;
  const attributes = attrs.map((each) => ({
    local: each.name,
    prefix: each.prefix,
    uri: each.namespaceUri,
    value: each.content,
  }));
  const events = [shown({ local, prefix, uri, attributes }, true)];
  let text = '';
  const flush = () => {
    if (text !== '') events.push(text);
    text = '';
  };
  for (const child of element.find(CONTENT)) {
    if (child instanceof XmlElement) {
      flush();
      events.push(...eventsOf(child));
    } else text += child.content;
  }
  flush();
  events.push('/');
  return events;
}

function textOf(bytes: Uint8Array): string {
  const encoding = bytes[0] === 0xfe ? 'utf-16be' : bytes[0] === 0xff ? 'utf-16le' : 'utf-8';
  return new TextDecoder(encoding).decode(bytes);
}

function show(bytes: Uint8Array): string {
  return `${JSON.stringify(textOf(bytes))} (${Buffer.from(bytes).toString('hex')})`;
}
