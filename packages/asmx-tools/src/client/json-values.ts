import { LARGE_INTEGER_TYPES } from '@ws01/asmx/internal/contract/scalar-facts';
import type { Service } from '@ws01/asmx/internal/contract/service';
import type {
  Attribute,
  DateTimeForm,
  Element,
  NamedType,
  ObjectType,
  Particle,
  Type,
} from '@ws01/asmx/internal/contract/types';
import { JsonNumber } from '@ws01/asmx/internal/lexical/json-number';

/** What becomes of values that JSON has no form of its own for. */
export interface ValueForms {
  dateTime(ms: number, as: DateTimeForm): unknown;
  /** Integers beyond a double, and decimals, by their digits. */
  large(digits: string, isInteger: boolean): unknown;
  bytes(base64: string): unknown;
  hex(text: string): unknown;
}

const LARGE_INTEGERS: ReadonlySet<string> = new Set(LARGE_INTEGER_TYPES);
const DATE = /^\/Date\((-?\d+)\)\/$/;

/**
 * Makes values of the contract's types of what a JSON answer has: without null where nothing was.
 * Needs no Node.
 */
export class JsonAnswerReader {
  readonly #types: Readonly<Record<string, NamedType>>;
  readonly #forms: ValueForms;
  readonly #dateTimes: DateTimeForm;

  constructor(
    { types = {}, dateTimes = 'instant' }: Pick<Service, 'types' | 'dateTimes'>,
    forms: ValueForms,
  ) {
    this.#types = types;
    this.#dateTimes = dateTimes;
    this.#forms = forms;
  }

  element(element: Element, given: unknown): unknown {
    if (given === null || given === undefined)
      return element.nillable === true && given === null ? null : undefined;
    const repeated = element.max === 'unbounded' || (element.max ?? 1) > 1;
    if (!repeated) return this.type(element.type, given, element.as);
    return (given as readonly unknown[]).map((item) =>
      item === null ? null : this.type(element.type, item, element.as),
    );
  }

  type(type: Type, given: unknown, as: DateTimeForm = this.#dateTimes): unknown {
    if (typeof type === 'string') return this.#scalar(type, given, as);
    const named = this.#types[type.ref];
    switch (named?.kind) {
      case 'array':
        return inLists(given, named.rank ?? 1, (item) =>
          item === null ? null : this.type(named.item.type, item, named.item.as),
        );
      case 'object':
        return this.#object(named, given as Readonly<Record<string, unknown>>);
      case 'simple':
        return this.type(named.base, given, as);
      case 'list':
        return (given as readonly unknown[]).map((item) => this.type(named.item, item));
      default:
        return plain(given);
    }
  }

  #object(declared: ObjectType, given: Readonly<Record<string, unknown>>): Record<string, unknown> {
    const actual = typeof given.__type === 'string' ? this.#types[given.__type] : undefined;
    const type = actual?.kind === 'object' ? actual : declared;
    const value: Record<string, unknown> =
      typeof given.__type === 'string' ? { $type: given.__type } : {};
    const set = (property: string, read: unknown) => {
      if (read !== undefined) value[property] = read;
    };
    for (const each of lineOf(type, this.#types)) {
      this.#members(each.content ?? [], given, set);
      for (const attribute of each.attributes ?? []) {
        const { name, property = name, type: of, as } = attribute as Attribute;
        set(property, given[property] == null ? undefined : this.type(of, given[property], as));
      }
      if (each.text !== undefined)
        set('value', given.value == null ? undefined : this.type(each.text, given.value));
    }
    // Texts of XML, under names that no element has.
    for (const [property, member] of Object.entries(given))
      if (property !== '__type' && member !== null && !Object.hasOwn(value, property))
        value[property] = plain(member);
    return value;
  }

  #members(
    particles: readonly Particle[],
    given: Readonly<Record<string, unknown>>,
    set: (property: string, read: unknown) => void,
  ): void {
    for (const particle of particles) {
      if (particle.kind === 'any') continue;
      if (particle.kind === 'choice' || particle.kind === 'sequence') {
        const { max = 1, property = 'items', content } = particle;
        if (max === 1) this.#members(content, given, set);
        else set(property, this.#rounds(content, given[property]));
      } else {
        const element = particle as Element;
        const property = element.property ?? element.name;
        set(property, this.element(element, given[property]));
      }
    }
  }

  #rounds(content: readonly Particle[], given: unknown): unknown {
    if (!Array.isArray(given)) return undefined;
    return given.map((each) => {
      const round: Record<string, unknown> = {};
      this.#members(content, each, (property, read) => {
        if (read !== undefined) round[property] = read;
      });
      return round;
    });
  }

  #scalar(type: string, given: unknown, as: DateTimeForm): unknown {
    if (type === 'dateTime') {
      const ms = DATE.exec(String(given))?.[1];
      return ms === undefined ? plain(given) : this.#forms.dateTime(Number(ms), as);
    }
    if (LARGE_INTEGERS.has(type)) return this.#forms.large(digitsOf(given), true);
    if (type === 'decimal') return this.#forms.large(digitsOf(given), false);
    if (type === 'base64Binary' || type === 'swaRef') return this.#forms.bytes(String(given));
    if (type === 'hexBinary') return this.#forms.hex(String(given));
    if (type === 'float' || type === 'double')
      return given instanceof JsonNumber ? Number(given.text) : floating(given);
    return plain(given);
  }
}

function digitsOf(given: unknown): string {
  return given instanceof JsonNumber ? given.text : String(given);
}

function floating(given: unknown): number {
  if (given === 'INF') return Number.POSITIVE_INFINITY;
  return given === '-INF' ? Number.NEGATIVE_INFINITY : Number.NaN;
}

/** A value as JSON has it. */
function plain(given: unknown): unknown {
  if (given instanceof JsonNumber) return Number(given.text);
  if (Array.isArray(given)) return given.map(plain);
  if (typeof given !== 'object' || given === null) return given;
  return Object.fromEntries(Object.entries(given).map(([key, value]) => [key, plain(value)]));
}

/** Every element that is a property of the object itself. */
function elementsIn(particles: readonly Particle[]): Element[] {
  return particles.flatMap((particle): Element[] => {
    if (particle.kind === 'any') return [];
    if (particle.kind !== 'choice' && particle.kind !== 'sequence') return [particle as Element];
    return (particle.max ?? 1) === 1 ? elementsIn(particle.content) : [];
  });
}

/**
 * Writes values as the JSON binding reads them: dates in ISO 8601, large numbers as texts, bytes as
 * numbers. Needs no Node.
 */
export class JsonArgumentWriter {
  readonly #types: Readonly<Record<string, NamedType>>;

  constructor({ types = {} }: Pick<Service, 'types'>) {
    this.#types = types;
  }

  /** The arguments of an operation. */
  members(
    elements: readonly Element[],
    given: Readonly<Record<string, unknown>>,
  ): Record<string, unknown> {
    const of = new Map(elements.map((element) => [element.property ?? element.name, element]));
    return Object.fromEntries(
      Object.entries(given).map(([name, value]) => [name, this.#element(of.get(name), value)]),
    );
  }

  #element(element: Element | undefined, value: unknown): unknown {
    if (element === undefined) return written(value);
    if (Array.isArray(value) && !this.#isList(element.type))
      return value.map((item) => this.#type(element.type, item));
    return this.#type(element.type, value);
  }

  #isList(type: Type): boolean {
    if (typeof type === 'string') return false;
    const named = this.#types[type.ref];
    return (
      named?.kind === 'array' ||
      named?.kind === 'list' ||
      (named?.kind === 'enumeration' && named.flags === true)
    );
  }

  #type(type: Type, value: unknown): unknown {
    if (type === 'dateTime' && typeof value === 'number') return `/Date(${value})/`;
    const named = typeof type === 'string' ? undefined : this.#types[type.ref];
    if (named?.kind === 'simple') return this.#type(named.base, value);
    if (named?.kind === 'array' && Array.isArray(value))
      return inLists(value, named.rank ?? 1, (item) => this.#element(named.item, item));
    if (named?.kind !== 'object' || typeof value !== 'object' || value === null)
      return written(value);
    const { $type } = value as { readonly $type?: unknown };
    const actual = typeof $type === 'string' ? this.#types[$type] : undefined;
    const line = lineOf(actual?.kind === 'object' ? actual : named, this.#types);
    const attributes = line.flatMap((each) => each.attributes ?? []) as readonly Element[];
    const text = line.flatMap((each) =>
      each.text === undefined ? [] : [{ name: 'value', type: each.text }],
    );
    const elements = line.flatMap((each) => elementsIn(each.content ?? []));
    return this.members(
      [...elements, ...attributes, ...text],
      value as Readonly<Record<string, unknown>>,
    );
  }
}

/** A value by what it is. */
function written(value: unknown): unknown {
  if (value instanceof Date) return value.toISOString();
  if (typeof value === 'bigint') return value.toString();
  if (Number.isNaN(value)) return 'NaN';
  if (value === Number.POSITIVE_INFINITY) return 'INF';
  if (value === Number.NEGATIVE_INFINITY) return '-INF';
  if (value instanceof Uint8Array) return Array.from(value);
  if (Array.isArray(value)) return value.map(written);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, written(member)]));
}

/** A type and those it extends, the outermost base first. */
function lineOf(type: ObjectType, types: Readonly<Record<string, NamedType>>): ObjectType[] {
  const isAdding = type.extends !== undefined && type.restricts !== true;
  const base = isAdding ? types[type.extends!] : undefined;
  return base?.kind === 'object' ? [...lineOf(base, types), type] : [type];
}

/**
 * What becomes of each item of an array.
 * @param rank its dimensions: so deep lie lists in each other.
 */
function inLists(lists: unknown, rank: number, make: (item: unknown) => unknown): unknown {
  if (rank === 0) return make(lists);
  return (lists as readonly unknown[]).map((each) => inLists(each, rank - 1, make));
}
