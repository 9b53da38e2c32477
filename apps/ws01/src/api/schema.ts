import { Ws01Error } from '../contract/errors.ts';
import { beginningOf } from '../contract/lexical.ts';
import type { Role } from '../contract/roles.ts';
import { say } from '../contract/sentence.ts';
import { invalid } from './problem.ts';

/** A subset of JSON Schema. The API reads input by it, and OpenAPI shows it. */
export interface Schema {
  readonly type: TypeName | readonly [TypeName, 'null'];
  /** OpenAPI lists a schema with a title once, under this name. */
  readonly title?: string;
  readonly description?: string;
  readonly format?: 'date-time' | 'date' | 'uri';
  readonly enum?: readonly (string | null)[];
  /** Code points. */
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly default?: string | number | boolean;
  /** Whether it is still read, and does nothing. */
  readonly deprecated?: true;
  /** The lowest role of people that sees the member; absent: every role that sees the record. */
  readonly 'x-role'?: Role;
  readonly items?: Schema;
  readonly maxItems?: number;
  readonly minItems?: number;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  /** For maps, the schema of the values; `false`: only the named properties are allowed. */
  readonly additionalProperties?: Schema | false;
}

type TypeName = 'string' | 'integer' | 'number' | 'boolean' | 'array' | 'object';

export const text = (description: string, more: Partial<Schema> = {}): Schema => ({
  type: 'string',
  description,
  ...more,
});
export const integer = (description: string, more: Partial<Schema> = {}): Schema => ({
  type: 'integer',
  description,
  ...more,
});
export const number = (description: string): Schema => ({ type: 'number', description });
export const flag = (description: string): Schema => ({ type: 'boolean', description });
export const instant = (description: string): Schema => ({
  type: 'string',
  format: 'date-time',
  description,
});
export const word = (description: string, ...words: readonly string[]): Schema => ({
  type: 'string',
  description,
  enum: words,
});
export const list = (description: string, items: Schema, more: Partial<Schema> = {}): Schema => ({
  type: 'array',
  description,
  items,
  ...more,
});

/** The same schema, or `null`. */
export function nullable(schema: Schema): Schema {
  const { type, enum: words } = schema;
  return {
    ...schema,
    type: [typeof type === 'string' ? type : type[0], 'null'],
    ...(words === undefined ? {} : { enum: [...words, null] }),
  };
}

/** An object with exactly these properties. All are required except those in `optional`. */
export function object(
  properties: Readonly<Record<string, Schema>>,
  optional: readonly string[] = [],
): Schema {
  return {
    type: 'object',
    properties,
    required: Object.keys(properties).filter((name) => !optional.includes(name)),
    additionalProperties: false,
  };
}

/** A value that was read by a schema. Instants are ms since 1970. */
export type Value =
  | string
  | number
  | boolean
  | null
  | readonly Value[]
  | { readonly [name: string]: Value };
export type Values = Readonly<Record<string, Value | undefined>>;

/** Longest value that an error message repeats; UTF-16 code units. */
const SHOWN_CHARS = 40;

/**
 * Reads query parameters by their schemas and fills in defaults.
 * @throws {Ws01Error} `InvalidParameter` for an unknown, repeated or malformed parameter;
 *   `MissingParameter`.
 */
export function readQuery(
  properties: Readonly<Record<string, Schema>>,
  query: URLSearchParams,
): Values {
  const values: Record<string, Value | undefined> = {};
  for (const [name, schema] of Object.entries(properties))
    if (schema.default !== undefined) values[name] = schema.default;
  const seen = new Set<string>();
  for (const [name, given] of query) {
    const schema = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (schema === undefined) throw unknownName(name, Object.keys(properties), 'parameter');
    if (seen.has(name)) throw invalid(name, say`${{ field: name }} is given twice; give it once.`);
    seen.add(name);
    if (given !== '') values[name] = read(schema, unwritten(schema, given), name);
  }
  return values;
}

/** Converts the text of a query parameter to the type of its schema. */
function unwritten({ type }: Schema, given: string): unknown {
  if (type === 'integer' && /^-?[0-9]{1,15}$/.test(given)) return Number(given);
  if (type === 'boolean' && (given === 'true' || given === 'false')) return given === 'true';
  return given;
}

/**
 * Reads the members of a JSON body by their schemas.
 * @throws {Ws01Error} `InvalidParameter` or `MissingParameter`, with the name of the member.
 */
export function readBody(schema: Schema, body: unknown): Values {
  return read(schema, body, 'The body') as Values;
}

/** @throws {Ws01Error} */
function read(schema: Schema, value: unknown, name: string): Value {
  const types: readonly string[] = typeof schema.type === 'string' ? [schema.type] : schema.type;
  if (value === null && types.includes('null')) return null;
  switch (types[0]) {
    case 'string':
      return readText(schema, value, name);
    case 'integer':
    case 'number':
      return readNumber(schema, value, name);
    case 'boolean':
      if (typeof value !== 'boolean')
        throw invalid(name, say`${{ field: name }} must be true or false.`);
      return value;
    case 'array':
      return readList(schema, value, name);
    default:
      return readObject(schema, value, name);
  }
}

function readText({ enum: words, format, maxLength }: Schema, value: unknown, name: string): Value {
  // PostgreSQL rejects NUL characters.
  if (typeof value !== 'string' || !value.isWellFormed() || value.includes('\0')) {
    throw invalid(name, say`${{ field: name }} must be a text.`);
  }
  if (words !== undefined && !words.includes(value)) {
    throw invalid(
      name,
      say`${{ field: name }} must be one of ${{ values: words.filter((known) => known !== null).join(', ') }}.`,
    );
  }
  if (maxLength !== undefined && value.length > maxLength && [...value].length > maxLength) {
    throw invalid(
      name,
      say`${{ field: name }} must have at most ${{ most: maxLength }} characters.`,
    );
  }
  if (format === 'date-time') return readInstant(value, name);
  return value;
}

/** RFC 3339, section 5.6, with a precision of 1 ms. */
const INSTANT = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d{1,9})?([Zz]|[+-]\d\d:\d\d)$/;

const CLOCK = { timeZone: 'UTC', now: Date.now };

function readInstant(value: string, name: string): number {
  // Knows the days of each month, and stays within the years that an answer can show.
  const at = INSTANT.test(value) ? beginningOf(value, name, CLOCK) : undefined;
  if (at === undefined)
    throw invalid(name, say`${{ field: name }} must be an instant such as 2026-11-22T10:30:00Z.`);
  return at;
}

function readNumber({ type, minimum, maximum }: Schema, value: unknown, name: string): number {
  const number = type === 'number' ? 'number' : 'whole number';
  if (typeof value !== 'number' || (type !== 'number' && !Number.isSafeInteger(value))) {
    throw invalid(name, say`${{ field: name }} must be a ${{ part: number }}.`);
  }
  if ((minimum !== undefined && value < minimum) || (maximum !== undefined && value > maximum)) {
    throw invalid(
      name,
      say`${{ field: name }} must be a ${{ part: number }} from ${{ least: minimum ?? '-∞' }} to ${{ most: maximum ?? '∞' }}.`,
    );
  }
  return value;
}

function readList(
  { items, minItems = 0, maxItems = 100 }: Schema,
  value: unknown,
  name: string,
): Value {
  if (!Array.isArray(value)) throw invalid(name, say`${{ field: name }} must be a list.`);
  if (value.length < minItems || value.length > maxItems) {
    throw invalid(
      name,
      say`${{ field: name }} must have ${{ least: minItems }} to ${{ most: maxItems }} items.`,
    );
  }
  return value.map((item, index) => read(items!, item, `${name}[${index}]`));
}

function readObject(
  { properties = {}, required = [] }: Schema,
  value: unknown,
  name: string,
): Values & Value {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw invalid(name, say`${{ field: name }} must be a JSON object.`);
  }
  const values: Record<string, Value> = {};
  for (const [member, given] of Object.entries(value)) {
    const schema = Object.hasOwn(properties, member) ? properties[member] : undefined;
    if (schema === undefined) throw unknownName(member, Object.keys(properties), 'member');
    values[member] = read(schema, given, member);
  }
  for (const member of required) {
    if (!Object.hasOwn(values, member)) {
      throw new Ws01Error('MissingParameter', say`${{ field: member }} is required.`, {
        parameter: member,
      });
    }
  }
  return values;
}

function unknownName(name: string, known: readonly string[], noun: string): Ws01Error {
  const shown = name.length > SHOWN_CHARS ? `${name.slice(0, SHOWN_CHARS)}…` : name;
  const right =
    known.length === 0 ? 'there is none' : say`there are ${{ known: known.join(', ') }}`;
  return invalid(
    shown,
    say`${{ name: JSON.stringify(shown) }} is no ${{ noun }} here; ${{ part: right }}.`,
  );
}
