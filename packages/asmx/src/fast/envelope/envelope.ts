import { isAscii, isUtf8 } from 'node:buffer';
import type { Limits } from '../../contract/limits.ts';
import type { Call } from '../../exchange/call.ts';
import type { CompiledService } from '../../exchange/compiled.ts';
import type { ActionRoute } from '../../exchange/fast-path.ts';
import { acceptsMediaType } from '../../exchange/soap-version.ts';
import { asBuffer, isUtf8Name } from '../../message/charset.ts';
import type { ContentType } from '../../message/http.ts';
import { type Input, placeText } from '../../values/input.ts';
import type { ElementPlan } from '../../values/plan.ts';
import { atPath, readText } from '../../values/value-reading.ts';
import { isSpace } from '../../xml/chars.ts';
import { XmlRefusal } from '../../xml/errors.ts';
import { countLineFeeds } from '../../xml/input/control-bytes.ts';
import { isSurrogate, resolveReference } from '../../xml/scan/references.ts';
import { type EnvelopeTemplate, MOST, TemplateCache } from './template.ts';

/**
 * The fast path from bytes to values, for the envelopes of generated proxies: in UTF-8; around the
 * values only elements and namespace declarations; inside the operation each parameter at most
 * once, as text. A client writes the same bytes around the values in each call, so they are parsed
 * once and then only compared.
 *
 * It reports no errors: any other envelope, well-formed or not, is left to the general reader;
 * `packages/asmx/test/fast/envelope.test.ts` proves that both read the same.
 *
 * Without it the endpoint takes 2 times the CPU time for a call, 5 to 12 µs more
 * (docs/decisions/fast-path.md).
 *
 * @param contentType under which the envelope came; of the media type of either version.
 * @param body the whole body, not compressed.
 * @returns `undefined` when the envelope is for the general reader.
 */
export function readFastEnvelope(
  service: CompiledService,
  contentType: ContentType,
  route: ActionRoute,
  body: Uint8Array,
): Call | undefined {
  if (
    body.length > service.limits.bodyBytes ||
    !isUtf8Name(contentType.parameters.get('charset') ?? 'utf-8')
  ) {
    return undefined;
  }
  const template = templatesOf(service)?.find(route.operation, asBuffer(body));
  if (template === undefined || !acceptsMediaType(template.version, contentType.base))
    return undefined;
  const text = decode(body.subarray(template.bytes.length));
  const texts = text === undefined ? undefined : readTexts(service, template, text);
  if (texts === undefined) return undefined;
  const { version, operation } = template;
  const input = new TemplateInput(service, template, texts, text!);
  return { protocol: version.name, version, operation, input };
}

/** What follows a template's start tags, by position. */
interface Texts {
  readonly texts: readonly (string | undefined)[];
  /** Where the element of each ends. */
  readonly ends: readonly number[];
}

/** The parameters of an envelope on the fast path; each is a text, or absent. */
class TemplateInput implements Input {
  readonly #service: CompiledService;
  readonly #template: EnvelopeTemplate;
  readonly #found: Texts;
  readonly #text: string;

  /** @param text what follows the template. */
  constructor(service: CompiledService, template: EnvelopeTemplate, found: Texts, text: string) {
    this.#service = service;
    this.#template = template;
    this.#found = found;
    this.#text = text;
  }

  textAt(index: number): string | undefined {
    return this.#found.texts[index];
  }

  values(): readonly unknown[] {
    const { timeZone, now } = this.#service;
    const { texts } = this.#found;
    const { elements } = this.#template.operation.message.request;
    const context = { form: 'element', timeZone, now } as const;
    const values: unknown[] = [];
    for (let index = 0; index < texts.length; index++) {
      const text = texts[index];
      values.push(text === undefined ? text : this.#value(elements[index]!, text, context, index));
    }
    return values;
  }

  /** @throws {ValueError} */
  #value(
    { text: plan, property }: ElementPlan,
    text: string,
    context: Parameters<typeof readText>[2],
    index: number,
  ): unknown {
    try {
      return readText(plan!, text, context, 'bounds');
    } catch (error) {
      const place = placeOf(this.#template, this.#text, this.#found.ends[index]!);
      throw atPath(error, property, plan!.isPlaced ? place : undefined);
    }
  }
}

/**
 * The templates known of each service; `undefined` where its limits could be reached on the fast
 * path.
 */
const known = new WeakMap<CompiledService, TemplateCache | undefined>();

function templatesOf(service: CompiledService): TemplateCache | undefined {
  if (!known.has(service))
    known.set(service, allowFast(service.limits) ? new TemplateCache(service) : undefined);
  return known.get(service);
}

/** Whether the bounds of the fast path are within every limit of the general reader. */
function allowFast(limits: Limits): boolean {
  return (
    limits.depth >= MOST.depth &&
    limits.elements >= MOST.depth + MOST.parameters &&
    limits.attributes >= MOST.declarations &&
    limits.namespaces >= MOST.declarations * MOST.depth &&
    limits.nameChars >= MOST.nameUnits &&
    limits.attributeValueChars >= MOST.uriUnits
  );
}

/**
 * The text of the bytes with line ends normalised (XML 1.0 2.11); `undefined` when XML forbids one
 * of its characters.
 */
function decode(part: Uint8Array): string | undefined {
  if (countLineFeeds(part) < 0) return undefined;
  const bytes = asBuffer(part);
  const ascii = isAscii(bytes);
  if (!ascii && !isUtf8(bytes)) return undefined;
  const text = bytes.toString(ascii ? 'latin1' : 'utf8');
  if (!ascii && (text.includes('\ufffe') || text.includes('\uffff'))) return undefined;
  return normalizeLineEnds(text);
}

/** XML 1.0 2.11. */
function normalizeLineEnds(text: string): string {
  return text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text;
}

/** The texts in what follows a template's start tags. */
function readTexts(
  service: CompiledService,
  template: EnvelopeTemplate,
  text: string,
): Texts | undefined {
  // Where this stands behind a value, or inside one, the general reader says what is wrong.
  if (text.includes(']]>')) return undefined;
  const { length } = template.operation.message.request.elements;
  const texts: (string | undefined)[] = new Array(length).fill(undefined);
  const ends: number[] = new Array(length).fill(0);
  const plain = !text.includes('&');
  let at = skipSpace(text, 0);
  for (let before = length; !text.startsWith(template.end[0], at); ) {
    const index = parameterAt(template, text, at, before);
    if (index < 0 || texts[index] !== undefined) return undefined;
    const { open, close, empty } = template.tags[index]!;
    let written = '';
    if (text.startsWith(open, at)) {
      const from = at + open.length;
      const to = text.indexOf('<', from);
      if (!text.startsWith(close, to) || to - from > service.limits.textChars) return undefined;
      written = text.slice(from, to);
      at = to + close.length;
    } else at += text.startsWith(empty[0], at) ? empty[0].length : empty[1].length;
    const value = plain ? written : resolveReferences(written);
    if (value === undefined) return undefined;
    texts[index] = value;
    ends[index] = at;
    at = skipSpace(text, at);
    before = index;
  }
  for (const tag of template.end) {
    if (!text.startsWith(tag, at)) return undefined;
    at = skipSpace(text, at + tag.length);
  }
  return at === text.length ? { texts, ends } : undefined;
}

/**
 * The position of the parameter whose element stands here; -1 for anything else.
 * @param before the position of the one before it; for the first, their number.
 */
function parameterAt(
  { tags, followers }: EnvelopeTemplate,
  text: string,
  at: number,
  before: number,
): number {
  // A client writes the parameters in the same order each time.
  const expected = followers[before]!;
  for (let tried = 0; tried < tags.length; tried++) {
    const index = (expected + tried) % tags.length;
    const { open, empty } = tags[index]!;
    if (
      text.startsWith(open, at) ||
      text.startsWith(empty[0], at) ||
      text.startsWith(empty[1], at)
    ) {
      followers[before] = index;
      return index;
    }
  }
  return -1;
}

/**
 * The place of the tag behind an element, where the general reader has it (`XmlReader.nextToken`).
 */
function placeOf({ bytes }: EnvelopeTemplate, text: string, at: number): string {
  const before = normalizeLineEnds(bytes.toString('latin1')) + text.slice(0, at);
  const tagStart = /^(?:<\/?)?/.exec(text.slice(at, at + 2))![0].length;
  const line = before.split('\n').length;
  const column = before.length - before.lastIndexOf('\n') + tagStart;
  return placeText({ line, column });
}

function skipSpace(text: string, from: number): number {
  let at = from;
  while (isSpace(text.charCodeAt(at))) at++;
  return at;
}

/** `&#x10FFFF;` and a zero or two; UTF-16 code units. */
const LONGEST_REFERENCE = 12;

/** A text with its references resolved; `undefined` when one is for the general reader. */
function resolveReferences(written: string): string | undefined {
  let text = '';
  let from = 0;
  for (let at = written.indexOf('&'); at >= 0; at = written.indexOf('&', from)) {
    const end = written.indexOf(';', at);
    if (end < 0 || end - at > LONGEST_REFERENCE) return undefined;
    const point = pointOf(written.slice(at + 1, end));
    if (point === undefined || isSurrogate(point)) return undefined;
    text += written.slice(from, at) + String.fromCodePoint(point);
    from = end + 1;
  }
  return text + written.slice(from);
}

function pointOf(reference: string): number | undefined {
  try {
    return resolveReference(reference);
  } catch (error) {
    if (error instanceof XmlRefusal) return undefined;
    throw error;
  }
}
