import { FormReader } from '../../packages/asmx/src/bindings/form/form-reader.ts';
import { JsonReader } from '../../packages/asmx/src/bindings/json/json-reader.ts';
import type { Limits } from '../../packages/asmx/src/contract/limits.ts';
import { createXmlReader } from '../../packages/asmx/src/xml/reader.ts';
import { SHAPES, type Shape } from '../../packages/asmx/test/xml/kit/shapes.ts';

/** A reader of the wire, with the inputs that could cost it more than their share. */
export interface Hostility {
  readonly reader: string;
  readonly shapes: readonly Shape[];
  /** A reader that collects text as the bindings do. */
  create(limits: Limits, collect: Collector): Incremental;
}

interface Incremental {
  push(chunk: Uint8Array): void;
  end(): void;
}

interface Collector {
  text(piece: string): void;
  close(): void;
}

const list = (count: number, item: (i: number) => string): string =>
  Array.from({ length: count }, (_, i) => item(i)).join('');
const json = (value: string): string => `{"a":${value}}`;

const JSON_SHAPES: readonly Shape[] = [
  { name: 'depth of arrays', make: (n) => json('['.repeat(n) + ']'.repeat(n)) },
  { name: 'depth of objects', make: (n) => json(`${'{"a":'.repeat(n)}1${'}'.repeat(n)}`) },
  { name: 'members, all different', make: (n) => `{${list(n, (i) => `"b${i}":1,`)}"a":1}` },
  { name: 'numbers in an array', make: (n) => json(`[${'1,'.repeat(n)}1]`) },
  { name: 'strings in an array', make: (n) => json(`[${'"x",'.repeat(n)}1]`) },
  { name: 'a name', make: (n) => `{"${'x'.repeat(n)}":1}` },
  { name: 'a name of escapes', make: (n) => `{"${'\\u0041'.repeat(n)}":1}` },
  { name: 'a number', make: (n) => json(`1${'0'.repeat(n)}`) },
  { name: 'a string', make: (n) => json(`"${'x'.repeat(n)}"`) },
  { name: 'a string of escapes', make: (n) => json(`"${'\\n'.repeat(n)}"`) },
  { name: 'a string of \\u escapes', make: (n) => json(`"${'\\u4e2d'.repeat(n)}"`) },
  { name: 'a string of escaped pairs', make: (n) => json(`"${'\\ud83d\\ude00'.repeat(n)}"`) },
  { name: 'white space', make: (n) => `{${' '.repeat(n)}"a"${'\n'.repeat(n)}:1}` },
];

const FORM_SHAPES: readonly Shape[] = [
  { name: 'pairs, all different', make: (n) => list(n, (i) => `b${i}=1&`) },
  { name: 'pairs of one name', make: (n) => 'a=255&'.repeat(n) },
  { name: 'ampersands', make: (n) => '&'.repeat(n) },
  { name: 'a name', make: (n) => `${'x'.repeat(n)}=1` },
  { name: 'a name of escapes', make: (n) => `${'%41'.repeat(n)}=1` },
  { name: 'a value', make: (n) => `a=${'x'.repeat(n)}` },
  { name: 'a value of blanks', make: (n) => `a=${'+'.repeat(n)}` },
  { name: 'a value of escapes', make: (n) => `a=${'%41'.repeat(n)}` },
  { name: 'a value of escaped CJK', make: (n) => `a=${'%E4%B8%AD'.repeat(n)}` },
  { name: 'a value of %u escapes', make: (n) => `a=${'%u4e2d'.repeat(n)}` },
  { name: 'a value of halves of pairs', make: (n) => `a=${'%ud83d'.repeat(n)}` },
  { name: 'a value of bad escapes', make: (n) => `a=${'%'.repeat(n)}` },
  { name: 'a value of invalid bytes', make: (n) => `a=${'%ff'.repeat(n)}` },
];

export const HOSTILITIES: readonly Hostility[] = [
  {
    reader: 'XML',
    shapes: SHAPES,
    create: (limits, collect) => createXmlReader({ open: () => 'text', ...collect }, { limits }),
  },
  {
    reader: 'JSON',
    shapes: JSON_SHAPES,
    create: (limits, collect) => new JsonReader({ open: () => 'text', ...collect }, { limits }),
  },
  {
    reader: 'form',
    shapes: FORM_SHAPES,
    create: (limits, collect) => new FormReader({ open: () => 'text', ...collect }, { limits }),
  },
];
