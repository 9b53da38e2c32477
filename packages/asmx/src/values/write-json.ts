import { shown } from '../lexical/numbers.ts';
import type { ElementPlan, ObjectPlan, SimplePlan } from './plan.ts';
import { formatted, MOST_LEVELS, ResultError } from './result-error.ts';
import { escapeForScript, scriptJson } from './script-json.ts';
import { actualPlan } from './written-plan.ts';

/**
 * Writes values as JavaScriptSerializer does (wire 14): members by property name, dates as
 * `"\/Date(ms)\/"`, large integers and decimals as their digits; bytes as base64. What is absent is
 * null.
 * @throws {ResultError}
 */
export class JsonValueWriter {
  #levels = 0;

  /** The members of a message, as the text of an object. */
  members(elements: readonly ElementPlan[], values: Readonly<Record<string, unknown>>): string {
    const written = elements.map((element) => {
      const { property } = element;
      return member(property, this.element(element, values[property], property));
    });
    return `{${written.join(',')}}`;
  }

  element(element: ElementPlan, value: unknown, path: string): string {
    if (!element.repeated) return this.#value(element, value, path);
    if (value === undefined || value === null) return 'null';
    return this.#list(element, value, path);
  }

  #list(item: ElementPlan, value: unknown, path: string): string {
    if (!Array.isArray(value)) throw new ResultError(path, `${shown(value)} is not a list.`);
    return `[${value.map((each, at) => this.#value(item, each, `${path}[${at}]`)).join(',')}]`;
  }

  #value(element: ElementPlan, value: unknown, path: string): string {
    const { plan } = element;
    if (value === undefined || value === null) {
      if (element.mandatory && !(element.nillable && value === null))
        throw new ResultError(path, 'it is required; there must be a value.');
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
      case 'array':
        return this.#list(plan.item, value, path);
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
    const plan = actualPlan(declared, given, path);
    const members: string[] = plan.polymorphic ? [`"__type":${scriptJson(plan.key)}`] : [];
    for (const { property, plan: round } of plan.rounds) {
      const rounds = given[property];
      if (!Array.isArray(rounds)) members.push(member(property, 'null'));
      else {
        const written = rounds.map((each, at) =>
          this.#object(round, each, `${path}.${property}[${at}]`),
        );
        members.push(member(property, `[${written.join(',')}]`));
      }
    }
    for (const element of plan.elements) {
      const { property } = element;
      const written = this.element(element, given[property], `${path}.${property}`);
      members.push(member(property, written));
    }
    for (const { property, plan: type } of plan.attributes) {
      const written = optionalJson(type, given[property], `${path}.${property}`);
      members.push(member(property, written));
    }
    if (plan.text !== undefined)
      members.push(member('value', optionalJson(plan.text, given.value, `${path}.value`)));
    for (const property of [
      ...plan.any.map(({ property }) => property),
      plan.anyAttribute,
      plan.mixed ? 'xml' : undefined,
    ]) {
      if (property !== undefined && given[property] !== undefined)
        members.push(member(property, plainJson(given[property], path)));
    }
    return `{${members.join(',')}}`;
  }
}

function member(property: string, written: string): string {
  return `${scriptJson(property)}:${written}`;
}

function optionalJson(plan: SimplePlan, value: unknown, path: string): string {
  return value === undefined || value === null ? 'null' : simpleJson(plan, value, path);
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
      return plan.scalar === 'char' ? scriptJson(value as string) : scriptJson(text);
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
