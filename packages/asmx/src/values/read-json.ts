import { ProtocolError } from '../contract/errors.ts';
import type { Limits } from '../contract/limits.ts';
import type { DataSet } from '../contract/values.ts';
import type { LexicalContext } from '../lexical/index.ts';
import { JsonNumber, parseWithDigits } from '../lexical/json-number.ts';
import { LexicalError } from '../lexical/lexical-error.ts';
import type { IgnoredMembers } from '../message/ignored-members.ts';
import type { ElementPlan, ObjectPlan, SimplePlan, TextPlan } from './plan.ts';
import { parseRelaxed } from './relaxed-json.ts';
import { itemText } from './simple-plan.ts';
import { atPath, readText, ValueError } from './value-reading.ts';

/**
 * Parses an object or an array, strict or relaxed; numbers keep their digits.
 * @param index where in its document the text begins, for errors.
 * @throws {JsonError}
 */
export function parseNested(text: string, index: number): unknown {
  try {
    return parseWithDigits(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return parseRelaxed(text, index, (digits) => new JsonNumber(digits));
  }
}

/**
 * Makes values of the contract's types from a JSON text. Members are found by property name, in any
 * case as with JavaScriptSerializer; a member that is spelled as in the contract comes first.
 * Unknown ones are passed over.
 * @throws {ValueError} the first that does not match its type.
 */
export class JsonValueReader {
  readonly #context: LexicalContext;
  readonly #limits: Limits;
  readonly #ignored: IgnoredMembers;
  #items = 0;

  /** @param ignored takes the unknown members. */
  constructor(context: LexicalContext, limits: Limits, ignored: IgnoredMembers) {
    this.#context = context;
    this.#limits = limits;
    this.#ignored = ignored;
  }

  /** The value of a parameter. @param given absent when `undefined`. @throws {ValueError} */
  parameter(element: ElementPlan, given: unknown): unknown {
    return this.#element(element, given, element.property);
  }

  /** The members of an object by the names of the contract. */
  #named(
    plan: ObjectPlan,
    given: Readonly<Record<string, unknown>>,
    path: string,
  ): Readonly<Record<string, unknown>> {
    const { exact, byLowerName } = namesOf(plan);
    let named = given;
    for (const key of Object.keys(given)) {
      if (exact.has(key)) continue;
      const property = byLowerName.get(key.toLowerCase());
      if (property === undefined) this.#ignored.add(`${path.replace(ITEM, '[]')}.${key}`);
      else if (!Object.hasOwn(named, property)) named = { ...named, [property]: given[key] };
    }
    return named;
  }

  #member(element: ElementPlan, given: Readonly<Record<string, unknown>>, path: string): unknown {
    const { property } = element;
    const value = Object.hasOwn(given, property) ? given[property] : undefined;
    return this.#element(element, value, `${path}.${property}`);
  }

  #element(element: ElementPlan, value: unknown, at: string): unknown {
    if (value === undefined) return element.absent;
    if (!element.repeated) return this.#value(element, value, at);
    if (value === null) return undefined;
    if (!Array.isArray(value)) return this.#fail(at, 'it must be a list.');
    return value.map((item, index) => this.#item(element, item, `${at}[${index}]`));
  }

  #item(element: ElementPlan, value: unknown, path: string): unknown {
    if (++this.#items > this.#limits.items) {
      throw new ProtocolError(
        'TooLarge',
        `The message has more than ${this.#limits.items} items, the limit "items"; send fewer.`,
      );
    }
    return this.#value(element, value, path);
  }

  #value(element: ElementPlan, value: unknown, path: string): unknown {
    if (value === null) return element.nil;
    const { plan } = element;
    switch (plan.kind) {
      case 'simple':
        return this.#simple(plan, value, element.text!, path);
      case 'array':
        if (!Array.isArray(value)) return this.#fail(path, 'it must be a list.');
        return value.map((item, index) => this.#item(plan.item, item, `${path}[${index}]`));
      case 'object':
        return this.#object(plan, value, path);
      case 'xml':
        return typeof value === 'string' ? value : this.#fail(path, 'it must be a text of XML.');
      case 'any':
        return this.#any(value);
      case 'dataset':
        return this.#dataSet(value, path);
    }
  }

  #simple(plan: SimplePlan, value: unknown, of: TextPlan, path: string): unknown {
    if (plan.json === 'list' && Array.isArray(value)) {
      const texts = value.map((each, index) => itemOf(plan, each, `${path}[${index}]`));
      return this.#simple({ ...plan, json: 'string' }, texts.join(' '), of, path);
    }
    // ASP.NET writes the bytes of a file as numbers.
    if (Array.isArray(value) && (plan.bytes !== undefined || plan.scalar === 'hexBinary'))
      return this.#bytes(plan, value, path);
    const text = scalarText(plan, value);
    if (text === undefined)
      return this.#fail(path, 'it must be a string, a number, true, false or null.');
    // A char is its own text in JSON.
    if (plan.scalar === 'char' && typeof value === 'string') return this.#char(value, path);
    const whole = value instanceof JsonNumber ? wholeNumber(value) : undefined;
    try {
      return this.#text(of, text, whole);
    } catch (error) {
      throw atPath(error, path);
    }
  }

  /**
   * @param whole what ASP.NET converts to an int in place of 5.0 and 1e1.
   * @throws {LexicalError}
   */
  #text(of: TextPlan, text: string, whole: string | undefined): unknown {
    try {
      return readText(of, text, this.#context);
    } catch (error) {
      if (whole === undefined || !(error instanceof LexicalError)) throw error;
      return readText(of, whole, this.#context);
    }
  }

  /** As .NET converts a text to a char: an empty one is U+0000. */
  #char(text: string, path: string): string {
    if (text === '') return '\0';
    return text.length === 1 ? text : this.#fail(path, 'it must be one UTF-16 code unit.');
  }

  #bytes({ checkBytes }: SimplePlan, values: readonly unknown[], path: string): unknown {
    const numbers = values.map((value) =>
      value instanceof JsonNumber ? Number(value.text) : Number.NaN,
    );
    if (!numbers.every((byte) => Number.isInteger(byte) && byte >= 0 && byte <= 255))
      return this.#fail(path, 'its items must be bytes, from 0 to 255.');
    const bytes = Uint8Array.from(numbers);
    try {
      checkBytes?.(bytes);
    } catch (error) {
      throw atPath(error, path);
    }
    return bytes;
  }

  #object(declared: ObjectPlan, value: unknown, path: string): unknown {
    if (!isObject(value)) return this.#fail(path, 'it must be an object.');
    const wanted = value.$type ?? value.__type;
    const plan =
      wanted === undefined || !declared.polymorphic
        ? declared
        : familyMember(declared, String(wanted));
    if (plan === undefined)
      return this.#fail(
        path,
        `there is no type ${String(wanted).slice(0, 40)} that extends ${declared.key}.`,
      );
    if (plan.abstract)
      return this.#fail(path, `its type ${plan.key} is abstract; say which by $type.`);
    const named = this.#named(plan, value, path);
    const read: Record<string, unknown> = plan.polymorphic ? { $type: plan.key } : {};
    const set = (property: string, member: unknown) => {
      if (member !== undefined) read[property] = member;
    };
    for (const element of plan.elements) set(element.property, this.#member(element, named, path));
    for (const { property, plan: round } of plan.rounds) {
      const rounds = Object.hasOwn(named, property) ? named[property] : undefined;
      if (rounds === undefined || rounds === null) continue;
      const at = `${path}.${property}`;
      if (!Array.isArray(rounds)) return this.#fail(at, 'it must be a list.');
      set(
        property,
        rounds.map((each, index) => this.#object(round, each, `${at}[${index}]`)),
      );
    }
    for (const { property, plan: type, absent, text } of plan.attributes) {
      const given = Object.hasOwn(named, property) ? named[property] : undefined;
      set(
        property,
        given === undefined || given === null
          ? absent
          : this.#simple(type, given, text, `${path}.${property}`),
      );
    }
    if (plan.text !== undefined) {
      set(
        'value',
        named.value === undefined || named.value === null
          ? plan.text.absent
          : this.#simple(plan.text, named.value, plan.textPlan!, `${path}.value`),
      );
    }
    for (const { property } of plan.any)
      if (named[property] !== undefined) set(property, named[property]);
    if (plan.anyAttribute !== undefined && isObject(named[plan.anyAttribute]))
      set(plan.anyAttribute, named[plan.anyAttribute]);
    if (plan.mixed) set('xml', typeof named.xml === 'string' ? named.xml : undefined);
    return read;
  }

  #any(value: unknown): unknown {
    if (value instanceof JsonNumber) return Number(value.text);
    return value;
  }

  #dataSet(value: unknown, path: string): DataSet | undefined {
    const tables = isObject(value) ? value.tables : undefined;
    if (!isObject(tables)) return this.#fail(path, 'it must be { "tables": { "name": rows } }.');
    const rows = (list: unknown, at: string) => {
      if (!Array.isArray(list) || !list.every(isObject))
        this.#fail(at, 'it must be a list of rows.');
      return list.map((row) =>
        Object.fromEntries(Object.entries(row).map(([column, cell]) => [column, this.#any(cell)])),
      );
    };
    const read = Object.entries(tables).map(([table, list]) => [
      table,
      rows(list, `${path}.tables.${table}`),
    ]);
    return { tables: Object.fromEntries(read) as DataSet['tables'] };
  }

  #fail(path: string, reason: string): never {
    throw new ValueError(path, reason);
  }
}

/** The number of an item in a path. */
const ITEM = /\[\d+\]/g;

interface Names {
  readonly exact: ReadonlySet<string>;
  /** The names of the contract. */
  readonly byLowerName: ReadonlyMap<string, string>;
}

const namesByPlan = new WeakMap<ObjectPlan, Names>();

/** The names of all members that an object of a type may have in JSON. */
function namesOf(plan: ObjectPlan): Names {
  const known = namesByPlan.get(plan);
  if (known !== undefined) return known;
  const names = [...plan.elements, ...plan.attributes].map(({ property }) => property);
  for (const { property } of plan.rounds) names.push(property);
  if (plan.text !== undefined) names.push('value');
  for (const { property } of plan.any) names.push(property);
  if (plan.anyAttribute !== undefined) names.push(plan.anyAttribute);
  if (plan.mixed) names.push('xml');
  const made = {
    exact: new Set([...names, '$type', '__type']),
    byLowerName: new Map(names.map((name) => [name.toLowerCase(), name])),
  };
  namesByPlan.set(plan, made);
  return made;
}

function familyMember(declared: ObjectPlan, wanted: string): ObjectPlan | undefined {
  // ASP.NET writes the class with its namespace: My.Web.Dog.
  return declared.family.get(wanted) ?? declared.family.get(wanted.split('.').at(-1)!);
}

/** The text of a JSON scalar, as ASP.NET converts it: true to the string True. */
export function scalarText({ json, reference }: SimplePlan, value: unknown): string | undefined {
  if (value instanceof JsonNumber) return value.text;
  if (typeof value === 'boolean' && json === 'string' && reference) return value ? 'True' : 'False';
  return typeof value === 'string' || typeof value === 'boolean' ? String(value) : undefined;
}

/** The text of an item of a list. @throws {ValueError} */
function itemOf(plan: SimplePlan, value: unknown, path: string): string {
  try {
    return itemText(scalarText(plan, value) ?? '');
  } catch (error) {
    throw atPath(error, path);
  }
}

/** The digits of a whole number that is written with a point or an exponent. */
function wholeNumber({ text }: JsonNumber): string | undefined {
  return /[.eE]/.test(text) && Number.isSafeInteger(Number(text))
    ? String(Number(text))
    : undefined;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    !(value instanceof JsonNumber)
  );
}
