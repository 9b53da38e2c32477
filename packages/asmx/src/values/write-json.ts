import { shown } from '../lexical/numbers.ts';
import type { ElementPlan, ObjectPlan, SimplePlan } from './plan.ts';
import { formatted, MOST_LEVELS, ResultError } from './result-error.ts';
import { escapeForScript, scriptJson } from './script-json.ts';

/**
 * Writes values as JavaScriptSerializer does (wire 14): members by property name, dates as `"\/Date(ms)\/"`, large
 * integers and decimals as their digits; bytes as base64. What is absent is null.
 * @throws {ResultError}
 */
export class JsonValueWriter {
  #levels = 0;

  /** The members of a message, as the text of an object. */
  members(elements: readonly ElementPlan[], values: Readonly<Record<string, unknown>>): string {
    return `{${elements.map((each) => `${scriptJson(each.property)}:${this.element(each, values[each.property], each.property)}`).join(',')}}`;
  }

  element(element: ElementPlan, value: unknown, path: string): string {
    if (!element.repeated) return this.#value(element, value, path);
    if (value === undefined || value === null) return 'null';
    if (!Array.isArray(value)) throw new ResultError(path, `${shown(value)} is not a list.`);
    return `[${value.map((item, at) => this.#value(element, item, `${path}[${at}]`)).join(',')}]`;
  }

  #value(element: ElementPlan, value: unknown, path: string): string {
    const { plan } = element;
    if (value === undefined || value === null) {
      if (
        plan.kind === 'simple' &&
        !element.nillable &&
        !element.optional &&
        plan.unset === undefined
      ) {
        throw new ResultError(path, `${shown(value)} is no ${plan.name}; there must be a value.`);
      }
      return 'null';
    }
    if (++this.#levels > MOST_LEVELS)
      throw new ResultError(path, `the value is deeper than ${MOST_LEVELS} levels.`);
    const text = this.#given(element, value, path);
    this.#levels--;
    return text;
  }

  #given({ plan }: ElementPlan, value: unknown, path: string): string {
    switch (plan.kind) {
      case 'simple':
        return simpleJson(plan, value, path);
      case 'array': {
        if (!Array.isArray(value)) throw new ResultError(path, `${shown(value)} is not a list.`);
        return `[${value.map((item, at) => this.#value(plan.item, item, `${path}[${at}]`)).join(',')}]`;
      }
      case 'object':
        return this.#object(plan, value, path);
      case 'xml':
        if (typeof value !== 'string')
          throw new ResultError(path, `${shown(value)} is not a text of XML.`);
        return scriptJson(value);
      case 'any':
      case 'dataset':
        return plainJson(value, path);
    }
  }

  #object(declared: ObjectPlan, value: unknown, path: string): string {
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      throw new ResultError(path, `${shown(value)} is not an object.`);
    const given = value as Readonly<Record<string, unknown>>;
    const plan =
      declared.polymorphic && given.$type !== undefined
        ? declared.family.get(String(given.$type))
        : declared;
    if (plan === undefined)
      throw new ResultError(
        path,
        `its $type ${JSON.stringify(given.$type)} does not extend ${declared.key}.`,
      );
    const members: string[] = plan.polymorphic ? [`"__type":${scriptJson(plan.key)}`] : [];
    for (const { property, plan: round } of plan.rounds) {
      const rounds = given[property];
      const written = Array.isArray(rounds)
        ? `[${rounds.map((each, at) => this.#object(round, each, `${path}.${property}[${at}]`)).join(',')}]`
        : 'null';
      members.push(`${scriptJson(property)}:${written}`);
    }
    for (const element of plan.elements) {
      members.push(
        `${scriptJson(element.property)}:${this.element(element, given[element.property], `${path}.${element.property}`)}`,
      );
    }
    for (const { property, plan: type } of plan.attributes) {
      const attribute = given[property];
      members.push(
        `${scriptJson(property)}:${attribute === undefined || attribute === null ? 'null' : simpleJson(type, attribute, `${path}.${property}`)}`,
      );
    }
    if (plan.text !== undefined) {
      members.push(
        `"value":${given.value === undefined || given.value === null ? 'null' : simpleJson(plan.text, given.value, `${path}.value`)}`,
      );
    }
    for (const property of [
      plan.any?.property,
      plan.anyAttribute,
      plan.mixed ? 'xml' : undefined,
    ]) {
      if (property !== undefined && given[property] !== undefined)
        members.push(`${scriptJson(property)}:${plainJson(given[property], path)}`);
    }
    return `{${members.join(',')}}`;
  }
}

function simpleJson(plan: SimplePlan, value: unknown, path: string): string {
  const text = formatted(plan, value, path);
  switch (plan.json) {
    case 'boolean':
      return text;
    case 'number':
      return /^-?[0-9.]+(?:E[+-]?[0-9]+)?$/.test(text) ? text : scriptJson(text);
    case 'dateTime':
      return value instanceof Date || typeof value === 'number'
        ? `"\\/Date(${Number(value)})\\/"`
        : scriptJson(text);
    case 'list':
      return `[${text === '' ? '' : text.split(' ').map(scriptJson).join(',')}]`;
    default:
      return plan.name === 'char' ? scriptJson(value as string) : scriptJson(text);
  }
}

/** A value without a type of the contract. */
function plainJson(value: unknown, path: string): string {
  try {
    const text = JSON.stringify(value, (_, member) => {
      if (typeof member === 'bigint') return Number(member);
      return member instanceof Uint8Array ? Buffer.from(member).toString('base64') : member;
    });
    if (text !== undefined) return escapeForScript(text);
  } catch (error) {
    throw new ResultError(path, error instanceof Error ? error.message : String(error));
  }
  throw new ResultError(path, `${shown(value)} has no form in JSON.`);
}
