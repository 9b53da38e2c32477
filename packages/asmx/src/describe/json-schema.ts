import { isReference, LARGE_INTEGER_TYPES, restrictedType } from '../contract/scalar-facts.ts';
import type { Service } from '../contract/service.ts';
import type {
  Attribute,
  Element,
  Facets,
  NamedType,
  ObjectType,
  Particle,
  ScalarType,
  SimpleType,
  Type,
} from '../contract/types.ts';
import { SCALARS as FORMS } from '../lexical/scalars.ts';
import { anyAttributeOf } from '../values/compile-plan.ts';
import { Extensions } from '../values/extensions.ts';

/** A JSON value. */
type Json = string | number | boolean | null | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: Json;
}

export interface JsonSchemaOptions {
  /** The prefix of a type's name in a reference, such as `#/$defs/`. */
  readonly refs: string;
  /** The name that a type's schema is kept under; its key when absent. */
  readonly nameOf?: (key: string) => string;
  /**
   * Whether dates, and numbers that a double cannot hold, are texts, for readers whose JSON numbers
   * are doubles. Otherwise they are what the JSON binding writes.
   */
  readonly lossless?: boolean;
}

/** The JSON Schema (2020-12) of a contract's values, as the JSON binding reads and writes them. */
export class JsonSchemas {
  readonly #types: Readonly<Record<string, NamedType>>;
  readonly #options: JsonSchemaOptions;
  readonly #extensions: Extensions;

  constructor(service: Pick<Service, 'types'>, options: JsonSchemaOptions) {
    this.#types = service.types ?? {};
    this.#options = options;
    this.#extensions = new Extensions(this.#types);
  }

  /** The schemas of all named types, by the names that references have. */
  definitions(): Record<string, JsonObject> {
    return Object.fromEntries(
      Object.entries(this.#types).map(([key, type]) => [this.#name(key), this.#named(key, type)]),
    );
  }

  /** The value of a type. */
  type(type: Type): JsonObject {
    if (typeof type === 'string') return this.#scalar(type);
    const family = [type.ref, ...this.#extensions.descendants(type.ref)].filter(
      (key) => !this.#isAbstract(key),
    );
    const [only] = family;
    if (family.length === 1 && only !== undefined) return this.#reference(only);
    return family.length === 0
      ? this.#reference(type.ref)
      : { anyOf: family.map((key) => this.#reference(key)) };
  }

  /** The value of an element: a list where it repeats, null where it may be absent. */
  element(element: Element, grouped = false): JsonObject {
    const { max, maxLength, nillable } = element;
    const one = { ...this.type(element.type), ...(maxLength === undefined ? {} : { maxLength }) };
    const repeated = max === 'unbounded' || (max ?? 1) > 1;
    const value: JsonObject = repeated
      ? { type: 'array', items: nillable ? orNull(one) : one }
      : one;
    const described =
      this.isRequired(element) && !grouped && !element.nillable ? value : orNull(value);
    return element.documentation ? { ...described, description: element.documentation } : described;
  }

  /**
   * Whether there is always a value, because it must be there, or because an absent one is
   * replaced, for example by 0.
   */
  isRequired({ type, min, max, nillable, required }: Element): boolean {
    if (required === true) return true;
    return (min ?? 1) > 0 && (max ?? 1) === 1 && nillable !== true && this.#hasDefault(type);
  }

  #hasDefault(type: Type): boolean {
    const base = restrictedType(type, this.#types);
    if (typeof base === 'string')
      return !isReference(base, this.#types) && FORMS[base].absent !== undefined;
    const named = this.#types[base.ref];
    return named?.kind === 'enumeration' && named.flags !== true;
  }

  #name(key: string): string {
    return this.#options.nameOf?.(key) ?? key;
  }

  #reference(key: string): JsonObject {
    return { $ref: `${this.#options.refs}${this.#name(key)}` };
  }

  #isAbstract(key: string): boolean {
    const type = this.#types[key];
    return type?.kind === 'object' && type.abstract === true;
  }

  #named(key: string, type: NamedType): JsonObject {
    const description = type.documentation === undefined ? {} : { description: type.documentation };
    return { ...this.#content(key, type), ...description };
  }

  #content(key: string, type: NamedType): JsonObject {
    switch (type.kind) {
      case 'enumeration': {
        const one = { type: 'string', enum: type.values };
        return type.flags === true ? { type: 'array', items: one, uniqueItems: true } : one;
      }
      case 'simple':
        return { ...this.type(type.base), ...this.#facets(type) };
      case 'list':
        return { type: 'array', items: this.type(type.item) };
      case 'union':
        return { type: 'string' };
      case 'array': {
        const item = this.type(type.item.type);
        const mayBeNull = type.item.nillable === true || isReference(type.item.type, this.#types);
        let list: JsonObject = { type: 'array', items: mayBeNull ? orNull(item) : item };
        for (let at = 1; at < (type.rank ?? 1); at++) list = { type: 'array', items: list };
        return list;
      }
      case 'object':
        return this.#object(key, type);
    }
  }

  #object(key: string, type: ObjectType): JsonObject {
    const properties: Record<string, JsonObject> = {};
    const required: string[] = [];
    for (const name of this.#extensions.membersOf(key)) {
      const each = this.#types[name] as ObjectType;
      this.#collect(each.content ?? [], false, properties, required);
      for (const attribute of each.attributes ?? [])
        this.#attribute(attribute, properties, required);
      if (each.text !== undefined) properties.value = orNull(this.type(each.text));
      const others = anyAttributeOf(each);
      if (others !== undefined)
        properties[others] = orNull({ type: 'object', additionalProperties: { type: 'string' } });
      if (each.mixed === true)
        properties.xml = { type: 'string', contentMediaType: 'application/xml' };
    }
    if (type.extends !== undefined || this.#extensions.isExtended(key)) {
      // Either says the type: `__type` is what ASP.NET writes.
      properties.__type = { const: key };
      properties.$type = { const: key };
    }
    return { type: 'object', properties, ...(required.length === 0 ? {} : { required }) };
  }

  #collect(
    particles: readonly Particle[],
    grouped: boolean,
    properties: Record<string, JsonObject>,
    required: string[],
  ): void {
    for (const particle of particles) {
      const repeated =
        'max' in particle && (particle.max === 'unbounded' || (particle.max ?? 1) > 1);
      if (particle.kind === 'any') {
        const one: JsonObject = { type: 'string', contentMediaType: 'application/xml' };
        properties[particle.property ?? 'any'] = orNull(
          repeated ? { type: 'array', items: one } : one,
        );
      } else if (particle.kind === 'choice' || particle.kind === 'sequence') {
        const { kind, min, property = 'items', content } = particle;
        if (repeated) {
          const members: Record<string, JsonObject> = {};
          this.#collect(content, true, members, []);
          const round = { type: 'object', properties: members };
          properties[property] = orNull({ type: 'array', items: round });
        } else
          this.#collect(content, grouped || kind === 'choice' || min === 0, properties, required);
      } else {
        const element = particle as Element;
        const property = element.property ?? element.name;
        properties[property] = this.element(element, grouped);
        if (!grouped && this.isRequired(element)) required.push(property);
      }
    }
  }

  #attribute(
    { name, property = name, type, required }: Attribute,
    properties: Record<string, JsonObject>,
    all: string[],
  ): void {
    const given = required === true && this.#hasDefault(type);
    properties[property] = given ? this.type(type) : orNull(this.type(type));
    if (given) all.push(property);
  }

  /**
   * The facets that JSON Schema has, without patterns: those of XML Schema are not those of
   * JavaScript.
   */
  #facets({ base, facets = {} }: SimpleType): JsonObject {
    const root = restrictedType(base, this.#types);
    if (typeof root !== 'string') {
      if (this.#types[root.ref]?.kind === 'list') return lengths(facets, 'Items');
      return facets.enumeration === undefined ? {} : { enum: facets.enumeration };
    }
    if (root === 'hexBinary') return lengths(facets, 'Length', (bytes) => 2 * bytes);
    if (root === 'base64Binary')
      return lengths(facets, 'Length', (bytes) => 4 * Math.ceil(bytes / 3));
    if (FORMS[root].json !== 'number')
      return FORMS[root].typescript === 'string' ? lengths(facets, 'Length') : {};
    return {
      ...limit('minimum', facets.minInclusive),
      ...limit('maximum', facets.maxInclusive),
      ...limit('exclusiveMinimum', facets.minExclusive),
      ...limit('exclusiveMaximum', facets.maxExclusive),
    };
  }

  #scalar(type: ScalarType): JsonObject {
    if (this.#options.lossless === true) {
      const text = LOSSLESS[type];
      if (text !== undefined) return text;
    }
    return SCALARS[type] ?? { type: 'string' };
  }
}

/** Allows null, too. */
function orNull(schema: JsonObject): JsonObject {
  if (typeof schema.type === 'string' && schema.enum === undefined)
    return { ...schema, type: [schema.type, 'null'] };
  return Object.keys(schema).length === 0 ? schema : { anyOf: [schema, { type: 'null' }] };
}

/** A bound of numbers, if a double holds it. */
function limit(name: string, text: string | undefined): JsonObject {
  return text !== undefined && /^[+-]?\d{1,15}(\.\d+)?$/.test(text) ? { [name]: Number(text) } : {};
}

/**
 * Lengths by the names that JSON Schema has for texts or lists.
 * @param size of a text that has so many.
 */
function lengths(
  { length, minLength = length, maxLength = length }: Facets,
  of: 'Length' | 'Items',
  size: (count: number) => number = (count) => count,
): JsonObject {
  return {
    ...(minLength === undefined ? {} : { [`min${of}`]: size(minLength) }),
    ...(maxLength === undefined ? {} : { [`max${of}`]: size(maxLength) }),
  };
}

const integer = (minimum: number, maximum: number): JsonObject => ({
  type: 'integer',
  minimum,
  maximum,
});
const floating = (format: string): JsonObject => ({
  anyOf: [{ type: 'number', format }, { enum: ['INF', '-INF', 'NaN'] }],
});
const BASE64: JsonObject = { type: 'string', contentEncoding: 'base64' };

const SCALARS: { readonly [T in ScalarType]?: JsonObject } = {
  boolean: { type: 'boolean' },
  byte: integer(-128, 127),
  short: integer(-32_768, 32_767),
  int: { type: 'integer', format: 'int32' },
  unsignedByte: integer(0, 255),
  unsignedShort: integer(0, 65_535),
  unsignedInt: integer(0, 4_294_967_295),
  long: { type: 'integer', format: 'int64' },
  unsignedLong: { type: 'integer', minimum: 0 },
  integer: { type: 'integer' },
  nonNegativeInteger: { type: 'integer', minimum: 0 },
  positiveInteger: { type: 'integer', minimum: 1 },
  nonPositiveInteger: { type: 'integer', maximum: 0 },
  negativeInteger: { type: 'integer', maximum: -1 },
  decimal: { type: 'number' },
  float: floating('float'),
  double: floating('double'),
  dateTime: {
    type: 'string',
    description: 'A date with time, in ISO 8601; in answers `/Date(ms)/`, as ASP.NET writes it.',
  },
  date: { type: 'string', format: 'date' },
  time: { type: 'string' },
  duration: { type: 'string', format: 'duration' },
  guid: { type: 'string', format: 'uuid' },
  anyURI: { type: 'string', format: 'uri-reference' },
  base64Binary: BASE64,
  swaRef: BASE64,
  hexBinary: { type: 'string', pattern: '^([0-9A-Fa-f]{2})*$' },
  xml: { type: 'string', contentMediaType: 'application/xml' },
  anyType: {},
  DataSet: dataSet(),
  DataTable: dataSet(),
};

/** What a double cannot hold, and dates, as texts. */
const LOSSLESS: { readonly [T in ScalarType]?: JsonObject } = {
  ...Object.fromEntries(
    LARGE_INTEGER_TYPES.map((type) => [
      type,
      { type: 'string', pattern: '^[+-]?[0-9]+$', description: 'A whole number as a text.' },
    ]),
  ),
  decimal: {
    type: 'string',
    pattern: '^[+-]?[0-9]*\\.?[0-9]+$',
    description: 'A decimal number as a text, without loss.',
  },
  dateTime: { type: 'string', format: 'date-time' },
};

function dataSet(): JsonObject {
  const rows: JsonObject = { type: 'array', items: { type: 'object' } };
  return {
    type: 'object',
    required: ['tables'],
    properties: { tables: { type: 'object', additionalProperties: rows } },
  };
}
