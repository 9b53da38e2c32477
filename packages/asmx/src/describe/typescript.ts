import { isReference, restrictedType } from '../contract/scalar-facts.ts';
import type { Fault, Header, Service } from '../contract/service.ts';
import type {
  ArrayType,
  Attribute,
  DateTimeForm,
  Element,
  Group,
  NamedType,
  ObjectType,
  Particle,
  Type,
} from '../contract/types.ts';
import { DATE_TIMES, SCALARS } from '../lexical/scalars.ts';
import { anyAttributeOf } from '../values/compile-plan.ts';
import { Extensions } from '../values/extensions.ts';
import { resultElement } from '../values/message-plan.ts';
import { comment, propertyKey, quote } from './source-text.ts';

/**
 * Writes a contract's types as TypeScript: an interface or alias for each named type, and
 * `Operations` with the input and result of each operation, as `typedService` takes it. The code
 * needs the imports of {@link importsOf}.
 * @returns source text that ends with a line end.
 */
export function typescriptOf(service: Service): string {
  return new Printer(service).all();
}

/**
 * The types of this package that {@link typescriptOf} uses for a contract.
 * @param text what it printed.
 */
export function importsOf(service: Service, text = typescriptOf(service)): readonly string[] {
  return ['AnyValue', 'DataSet', 'Nothing', 'Refusal'].filter((name) =>
    new RegExp(`\\b${name}\\b`).test(text),
  );
}

/** What stands beside the types of a contract, and begins like a union of them. */
const BESIDE: ReadonlySet<string> = new Set(['AnyValue']);

class Printer {
  readonly #service: Service;
  readonly #types: Readonly<Record<string, NamedType>>;
  readonly #extensions: Extensions;

  /** Of types that others extend, the name of the union of all of them. */
  readonly #unions = new Map<string, string>();

  constructor(service: Service) {
    this.#service = service;
    this.#types = service.types ?? {};
    this.#extensions = new Extensions(this.#types);
    const taken = new Set(Object.keys(this.#types));
    for (const key of Object.keys(this.#types)) {
      if (!this.#extensions.isExtended(key)) continue;
      let name = `Any${key}`;
      while (taken.has(name) || BESIDE.has(name)) name = `${name}_`;
      taken.add(name);
      this.#unions.set(key, name);
    }
  }

  all(): string {
    const printed = new Set<string>();
    const types: string[] = [];
    for (const key of Object.keys(this.#types)) {
      // A base stands before what extends it: compilers resolve thousands in a line in this order
      // alone.
      for (const each of this.#extensions.line(key)) {
        if (printed.has(each)) continue;
        printed.add(each);
        types.push(this.named(each, this.#types[each]!), ...this.#union(each));
      }
    }
    return [...types, this.operations()].join('\n');
  }

  /** The values of a type that others extend: a union of few, each family in it by its own name. */
  #union(key: string): string[] {
    const name = this.#unions.get(key);
    if (name === undefined) return [];
    const members = [
      key,
      ...this.#extensions.derived(key).map((each) => this.#unions.get(each) ?? each),
    ];
    return [
      `/** ${key}, or a type that extends it; \`$type\` says which. */\nexport type ${name} = ${members.join(' | ')};\n`,
    ];
  }

  named(key: string, type: NamedType): string {
    const about = type.documentation === undefined ? '' : `${docstring(type.documentation, '')}\n`;
    switch (type.kind) {
      case 'enumeration': {
        const members = type.values.map(quote).join(' | ');
        return `${about}export type ${key} = ${type.flags === true ? `readonly (${members})[]` : members};\n`;
      }
      case 'simple':
        return `${about}export type ${key} = ${this.type(type.base)};\n`;
      case 'list':
        return `${about}export type ${key} = readonly ${this.#grouped(this.type(type.item))}[];\n`;
      case 'union':
        return `${about}export type ${key} = string;\n`;
      case 'array':
        return `${about}export type ${key} = ${this.#array(type)};\n`;
      case 'object':
        return about + this.#object(key, type);
    }
  }

  #array({ item, rank = 1 }: ArrayType): string {
    let one = this.#item(item);
    for (let at = 0; at < rank; at++) one = `readonly ${this.#grouped(one)}[]`;
    return one;
  }

  operations(): string {
    const operations = this.#service.operations.map((operation) => {
      const { name, parameters, out = [], headers, faults = [], documentation } = operation;
      const result = resultElement(operation);
      const value = result === undefined ? 'Nothing' : this.#result(result);
      const outs = this.#members(out.map((each) => this.#member(each)));
      const returned =
        out.length === 0 ? value : `{ readonly value?: ${value}; readonly out: ${outs} }`;
      const headersOf = (group: readonly Header[] | undefined) =>
        this.#members((group ?? []).map((each) => this.#member({ ...each, min: 0 })));
      const lines = [
        `    readonly input: ${this.#members(parameters.map((each) => this.#member(each)))};`,
        `    readonly result: ${returned};`,
        ...(headers?.in === undefined ? [] : [`    readonly headersIn: ${headersOf(headers.in)};`]),
        ...(headers?.out === undefined
          ? []
          : [`    readonly headersOut: ${headersOf(headers.out)};`]),
        ...(faults.length === 0 ? [] : [`    readonly faults: ${this.#faults(faults)};`]),
      ];
      const about = documentation === '' ? '' : `${docstring(documentation, '  ')}\n`;
      return `${about}  readonly ${propertyKey(name)}: {\n${lines.join('\n')}\n  };\n`;
    });
    return `export interface Operations {\n${operations.join('')}}\n`;
  }

  #faults(faults: readonly Fault[]): string {
    const details = faults.map(
      ({ name, element }) => `readonly ${propertyKey(name)}: ${this.#item(element)};`,
    );
    return this.#members(details);
  }

  /** The value of a type. */
  type(type: Type, as?: DateTimeForm): string {
    const isInForm = as !== undefined && restrictedType(type, this.#types) === 'dateTime';
    if (isInForm) return DATE_TIMES[as].typescript;
    if (typeof type !== 'string') return this.#unions.get(type.ref) ?? type.ref;
    if (type === 'DataSet' || type === 'DataTable') return 'DataSet';
    if (type === 'anyType') return 'AnyValue';
    return type === 'dateTime'
      ? DATE_TIMES[this.#service.dateTimes ?? 'instant'].typescript
      : SCALARS[type].typescript;
  }

  #object(key: string, type: ObjectType): string {
    const members = this.#content(type.content ?? []);
    members.push(...(type.attributes ?? []).map((each) => this.#attribute(each)));
    if (type.text !== undefined)
      members.push(`readonly value?: ${this.type(type.text)} | undefined;`);
    const others = anyAttributeOf(type);
    if (others !== undefined)
      members.push(
        `readonly ${propertyKey(others)}?: Readonly<Record<string, string>> | undefined;`,
      );
    if (type.mixed) members.push('readonly xml?: string | undefined;');
    const isAdding = type.extends !== undefined && type.restricts !== true;
    const base = isAdding ? ` extends Omit<${type.extends}, '$type'>` : '';
    if (type.extends !== undefined) members.unshift(`readonly $type: ${quote(key)};`);
    else if (this.#extensions.isExtended(key))
      members.unshift(`readonly $type?: ${quote(key)} | undefined;`);
    const lines = distinct(members)
      .map((member) => `  ${member}\n`)
      .join('');
    return `export interface ${key}${base} {\n${lines}}\n`;
  }

  #content(particles: readonly Particle[], grouped = false): string[] {
    return particles.flatMap((particle): string[] => {
      if (particle.kind === 'any') {
        const repeated = particle.max === 'unbounded' || (particle.max ?? 1) > 1;
        const type = repeated ? 'readonly string[]' : 'string';
        return [`readonly ${propertyKey(particle.property ?? 'any')}?: ${type} | undefined;`];
      }
      if (particle.kind !== 'choice' && particle.kind !== 'sequence')
        return [this.#member(particle as Element, grouped)];
      const { kind, min, max = 1, property = 'items', content } = particle;
      if (max === 1) return this.#content(content, kind === 'choice' || min === 0 || grouped);
      const round = this.#round(particle);
      return [
        `readonly ${propertyKey(property)}?: readonly ${this.#grouped(round)}[] | undefined;`,
      ];
    });
  }

  /** A round of a group that repeats: of a choice, one of its branches. */
  #round({ kind, content }: Group): string {
    if (kind === 'sequence') return this.#members(this.#content(content));
    const branches = content.map((branch) => {
      const isElement = branch.kind === undefined || branch.kind === 'element';
      if (!isElement) return this.#members(this.#content([branch]));
      const { name, property = name } = branch as Element;
      const once = (branch.max ?? 1) === 1;
      const item = this.#item(branch as Element);
      const type = once ? item : `readonly ${this.#grouped(item)}[]`;
      return `{ readonly ${propertyKey(property)}: ${type} }`;
    });
    return [...new Set(branches)].join(' | ');
  }

  #member(element: Element, grouped = false): string {
    const repeated = element.max === 'unbounded' || (element.max ?? 1) > 1;
    const item = this.#item(element);
    const value = repeated ? `readonly ${this.#grouped(item)}[]` : item;
    const given = !repeated && !grouped && this.#isGiven(element);
    const name = propertyKey(element.property ?? element.name);
    return given ? `readonly ${name}: ${value};` : `readonly ${name}?: ${value} | undefined;`;
  }

  /** Whether there is always a value. */
  #isGiven({ type, min, nillable, required }: Element): boolean {
    if (required) return true;
    if (min === 0 || nillable) return false;
    if (typeof type === 'string')
      return !isReference(type, this.#types) && SCALARS[type].absent !== undefined;
    const named = this.#types[type.ref];
    return named?.kind === 'enumeration' && named.flags !== true;
  }

  #item({ type, as, nillable }: Element): string {
    const value = this.type(type, as);
    return nillable ? `${value} | null` : value;
  }

  #result(element: Element): string {
    const repeated = element.max === 'unbounded' || (element.max ?? 1) > 1;
    const item = this.#item(element);
    const value = repeated ? `readonly ${this.#grouped(item)}[]` : item;
    if (value === 'boolean') return 'boolean | Refusal';
    return !repeated && this.#isGiven(element) ? value : `${value} | undefined | null`;
  }

  #attribute({ name, property, type, as, required }: Attribute): string {
    const key = propertyKey(property ?? name);
    const given = required === true && this.#isGiven({ name, type });
    return given
      ? `readonly ${key}: ${this.type(type, as)};`
      : `readonly ${key}?: ${this.type(type, as)} | undefined;`;
  }

  #members(members: readonly string[]): string {
    return members.length === 0 ? 'object' : `{ ${distinct(members).join(' ')} }`;
  }

  #grouped(type: string): string {
    return type.includes('|') ? `(${type})` : type;
  }
}

function docstring(text: string, indent: string): string {
  return `${indent}/** ${comment(text)} */`;
}

/** Each member once: branches of a choice may share one, and it may be nil in some alone. */
function distinct(members: readonly string[]): readonly string[] {
  const byName = new Map<string, string>();
  for (const member of members) {
    const name = member.slice(0, member.indexOf(':'));
    if (!byName.has(name) || member.includes('| null')) byName.set(name, member);
  }
  return [...byName.values()];
}
