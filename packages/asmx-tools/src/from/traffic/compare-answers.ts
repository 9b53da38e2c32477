import { defineLimits } from '@ws01/asmx/internal/contract/limits';
import { UPSTREAM_ANSWER_BYTES } from '@ws01/asmx/internal/node/upstream/ask';
import type { XmlElement } from '@ws01/asmx/internal/xml/handler';
import { createXmlReader, XmlError } from '@ws01/asmx/internal/xml/reader';
import { clark, DOCUMENT_LIMITS } from '../load/xml-document.ts';

const ANSWER_LIMITS = defineLimits({
  ...DOCUMENT_LIMITS,
  attributes: 256,
  namespaces: 2_048,
  bodyBytes: UPSTREAM_ANSWER_BYTES,
  elements: 1_000_000,
});

/** An answer, as far as it is compared. */
export interface ComparedAnswer {
  readonly status: number;
  readonly contentType: string;
  /** `undefined` when it is not known. */
  readonly body: string | undefined;
}

/** How two answers differ. */
export interface AnswerDifference {
  /**
   * The same text for the same kind of difference, whatever the values: what reports are grouped
   * by.
   */
  readonly cause: string;
  readonly old: string;
  readonly ours: string;
}

/** Whether two texts are taken for the same one. */
export type IsAlike = (old: string, ours: string) => boolean;

/**
 * Compares two answers: status, content type, content; XML and JSON by what they say, not by how it
 * is written.
 * @param isAlike of values: what is another one each time is. @returns `undefined` when no client
 *   would notice.
 */
export function compareAnswers(
  old: ComparedAnswer,
  ours: ComparedAnswer,
  isAlike: IsAlike,
): AnswerDifference | undefined {
  if (old.status !== ours.status) {
    return {
      cause: `status ${old.status}, ours ${ours.status}`,
      old: excerpt(old.body),
      ours: excerpt(ours.body),
    };
  }
  if (old.body === undefined) return undefined;
  const [before, after] = [plainType(old.contentType), plainType(ours.contentType)];
  if (before !== after)
    return {
      cause: `content type ${before || 'none'}, ours ${after || 'none'}`,
      old: before,
      ours: after,
    };
  const [theirs, own] = [valuesOf(old.body, before), valuesOf(ours.body ?? '', after)];
  return compareValues(theirs, own, isAlike);
}

function plainType(contentType: string): string {
  return contentType.split(';', 1)[0]!.trim().toLowerCase();
}

/**
 * What a content says: each value with the path to it, in order; `names` is what a value means that
 * may be qualified names.
 */
type Values = readonly (readonly [path: string, value: string, names?: string | undefined])[];

function compareValues(old: Values, ours: Values, isAlike: IsAlike): AnswerDifference | undefined {
  const most = Math.max(old.length, ours.length);
  for (let at = 0; at < most; at++) {
    const [before, after] = [old[at], ours[at]];
    if (before?.[0] !== after?.[0]) return structural(old, ours, at);
    if (before === undefined || after === undefined) continue;
    if (isSameValue(before, after, isAlike)) continue;
    const inside = jsonInside(before, after, isAlike);
    if (inside === 'same') continue;
    return (
      inside ?? {
        cause: `another value of ${generalised(before[0])}`,
        old: excerpt(before[1]),
        ours: excerpt(after[1]),
      }
    );
  }
  return undefined;
}

/** Whether two values say the same: a qualified name does with any prefix. */
export function isSameValue(old: Values[number], ours: Values[number], isAlike: IsAlike): boolean {
  return isAlike(old[1], ours[1]) || (old[2] !== undefined && old[2] === ours[2]);
}

function structural(old: Values, ours: Values, at: number): AnswerDifference {
  const [before, after] = [old[at]?.[0], ours[at]?.[0]];
  const elsewhere = (values: Values, path: string | undefined) =>
    path !== undefined && values.slice(at).some(([each]) => each === path);
  const shown = (path: string | undefined) => (path === undefined ? 'nothing' : path);
  const facts = { old: shown(before), ours: shown(after) };
  if (before !== undefined && !elsewhere(ours, before))
    return { cause: `${generalised(before)} is missing`, ...facts };
  if (after !== undefined && !elsewhere(old, after))
    return { cause: `${generalised(after)} is too much`, ...facts };
  return { cause: `another order at ${generalised(before ?? after ?? '')}`, ...facts };
}

/** Results are often JSON in a text: told apart by what it says. */
function jsonInside(
  [path, old]: Values[number],
  [, ours]: Values[number],
  isAlike: IsAlike,
): AnswerDifference | 'same' | undefined {
  if (!/^\s*[[{]/.test(old) || !/^\s*[[{]/.test(ours)) return undefined;
  const [before, after] = [jsonValues(old, path), jsonValues(ours, path)];
  if (before === undefined || after === undefined) return undefined;
  return compareValues(before, after, isAlike) ?? 'same';
}

/** A path without the numbers of items, so that the same difference has one name. */
function generalised(path: string): string {
  return path.replaceAll(/\[\d+\]/g, '[]');
}

function valuesOf(body: string, type: string): Values {
  const json = type === 'application/json' ? jsonValues(body, '') : undefined;
  const xml = json === undefined && /xml/.test(type) ? xmlValues(body) : undefined;
  return json ?? xml ?? [['body', body.replaceAll('\r\n', '\n').trim()]];
}

function jsonValues(text: string, path: string): Values | undefined {
  const values: [string, string][] = [];
  const add = (value: unknown, at: string): void => {
    if (values.length >= ANSWER_LIMITS.elements) throw new RangeError('too many values');
    if (Array.isArray(value)) {
      for (const [index, item] of value.entries()) add(item, `${at}[${index}]`);
      values.push([`${at}.length`, String(value.length)]);
    } else if (typeof value === 'object' && value !== null) {
      // The order of members says nothing.
      for (const [name, member] of Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
        add(member, `${at}.${name}`);
    } else values.push([at, typeof value === 'string' ? value : JSON.stringify(value)]);
  };
  try {
    add(JSON.parse(text), path);
    return values;
  } catch {
    return undefined;
  }
}

/**
 * Elements with their texts and attributes; prefixes, declarations and blanks between elements say
 * nothing.
 */
export function xmlValues(text: string): Values | undefined {
  const values: Values[number][] = [];
  const open: {
    readonly path: string;
    text: string;
    readonly children: Map<string, number>;
    readonly at: number;
    readonly namespaceOf: XmlElement['namespaceOf'];
  }[] = [];
  const reader = createXmlReader(
    {
      open({ uri, local, attributes, namespaceOf }) {
        const parent = open.at(-1);
        const count = (parent?.children.get(local) ?? 0) + 1;
        parent?.children.set(local, count);
        const around = parent === undefined ? '' : `${parent.path}/`;
        const path = around + local + (count > 1 ? `[${count}]` : '');
        open.push({ path, text: '', children: new Map(), at: values.length, namespaceOf });
        values.push([path, '']);
        if (uri !== '' && parent === undefined) values.push([`${path}@namespace`, uri]);
        for (const attribute of [...attributes].sort((a, b) => (a.local < b.local ? -1 : 1))) {
          values.push([
            `${path}/@${attribute.local}`,
            attribute.value,
            qualifiedNames(attribute.value, namespaceOf),
          ]);
        }
        return 'text';
      },
      text(piece) {
        open.at(-1)!.text += piece;
      },
      close() {
        const { path, text: own, children, at, namespaceOf } = open.pop()!;
        values[at] = [path, children.size > 0 ? own.trim() : own, qualifiedNames(own, namespaceOf)];
      },
    },
    { limits: ANSWER_LIMITS },
  );
  try {
    reader.push(Buffer.from(text));
    reader.end();
    return values;
  } catch (error) {
    if (error instanceof XmlError) return undefined;
    throw error;
  }
}

/** A text as qualified names with their namespaces, if that is what it may be. */
function qualifiedNames(text: string, namespaceOf: XmlElement['namespaceOf']): string | undefined {
  if (!/^[\s\p{L}\p{N}\p{M}_:.-]+$/u.test(text)) return undefined;
  const names: string[] = [];
  for (const name of text.trim().split(/\s+/)) {
    const [, prefix = '', local = ''] = /^(?:([^:]+):)?([^:]+)$/.exec(name) ?? [];
    const uri = namespaceOf(prefix);
    if (local === '' || uri === undefined) return undefined;
    names.push(clark({ uri, local }));
  }
  return names.join(' ');
}

const EXCERPT_CHARS = 120;

function excerpt(text: string | undefined): string {
  if (text === undefined) return '';
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length > EXCERPT_CHARS ? `${line.slice(0, EXCERPT_CHARS)}…` : line;
}
