import type { Attribute, Element, NamedType, ObjectType, Operation, Particle, Service, Type } from '../normal-form.ts';
import { comment, keyOf, quote } from './literal.ts';

/** What handlers get and give for each built-in; those not named here are texts. */
const VALUES: Readonly<Record<string, string>> = {
  boolean: 'boolean',
  ...Object.fromEntries(
    ['int', 'short', 'byte', 'unsignedInt', 'unsignedShort', 'unsignedByte', 'float', 'double'].map((name) => [
      name,
      'number',
    ]),
  ),
  ...Object.fromEntries(
    [
      'long',
      'unsignedLong',
      'integer',
      'nonNegativeInteger',
      'positiveInteger',
      'nonPositiveInteger',
      'negativeInteger',
    ].map((name) => [name, 'bigint']),
  ),
  dateTime: 'globalThis.Date',
  base64Binary: 'globalThis.Uint8Array',
  hexBinary: 'globalThis.Uint8Array',
  anyType: 'asmx.AnyValue',
  DataSet: 'asmx.DataSet',
  DataTable: 'asmx.DataSet',
};

/** Scalars of which there is always a value, 0 or false where none came: .NET proxies cannot omit them. */
const ALWAYS = new Set([
  ...['boolean', 'decimal', 'int', 'short', 'byte', 'unsignedInt', 'unsignedShort', 'unsignedByte', 'float', 'double'],
  ...['long', 'unsignedLong'],
]);

/** Names of types that TypeScript keeps for itself. */
const RESERVED = new Set([
  ...[
    'any',
    'unknown',
    'never',
    'void',
    'null',
    'undefined',
    'string',
    'number',
    'boolean',
    'bigint',
    'symbol',
    'object',
  ],
  ...['Operations', 'asmx', 'globalThis'],
]);

/** The TypeScript types of a contract: one for each of its types, and what each operation gets and gives. */
export function typesFile(service: Service): string {
  return new TypePrinter(service).file();
}

class TypePrinter {
  readonly #service: Service;

  constructor(service: Service) {
    this.#service = service;
  }

  file(): string {
    const { types, operations } = this.#service;
    const named = Object.entries(types).map(([key, type]) => this.#declaration(key, type));
    const members = operations.map((operation) => this.#operation(operation));
    const text = `${[...named, `/** What each operation gets and gives. */\nexport interface Operations {\n${members.join('\n')}}\n`].join('\n')}`;
    return text.includes('asmx.') ? `import type * as asmx from '@ws01/asmx';\n\n${text}` : text;
  }

  #operation({ name, documentation, style, parameters, result, out, headers }: Operation): string {
    const about = documentation === undefined ? '' : `  /** ${comment(documentation)} */\n`;
    const given = result === undefined ? 'void' : this.#carried(result);
    const more =
      out.length === 0 || style === 'bare'
        ? given
        : `{ readonly value: ${given}; readonly out: ${this.#members(out, '    ')} }`;
    const sides = [
      ['input', this.#members(parameters, '    ')],
      ['result', more],
      ...(headers.in.length === 0 ? [] : [['headersIn', this.#members(headers.in.map(optional), '    ')]]),
      ...(headers.out.length === 0 ? [] : [['headersOut', this.#members(headers.out.map(optional), '    ')]]),
    ];
    return `${about}  ${keyOf(name)}: {\n${sides.map(([side, type]) => `    ${side}: ${type};\n`).join('')}  };\n`;
  }

  #declaration(key: string, type: NamedType): string {
    const about = type.documentation === undefined ? '' : `/** ${comment(type.documentation)} */\n`;
    const name = typeName(key);
    if (type.kind !== 'object') return `${about}export type ${name} = ${this.#simple(type)};\n`;
    const derived = this.#derived(key);
    if (derived.length === 0 && type.extends === undefined) {
      return `${about}export interface ${name} ${this.#object(type)}\n`;
    }
    // One of a family says which it is.
    const own = `${name}Members`;
    const base = type.extends === undefined ? '' : ` extends ${typeName(type.extends)}Members`;
    const family = [
      ...(type.abstract ? [] : [`(${own} & { readonly $type: ${quote(key)} })`]),
      ...derived.map(typeName),
    ];
    return `export interface ${own}${base} ${this.#object(type)}\n\n${about}export type ${name} = ${family.length === 0 ? 'never' : family.join(' | ')};\n`;
  }

  #derived(key: string): string[] {
    return Object.entries(this.#service.types)
      .filter(([, type]) => type.kind === 'object' && type.extends === key)
      .map(([derived]) => derived);
  }

  #simple(type: Exclude<NamedType, ObjectType>): string {
    switch (type.kind) {
      case 'enumeration': {
        const values = [...new Set(type.values)].map(quote).join(' | ') || 'string';
        return type.flags ? `readonly (${values})[]` : values;
      }
      case 'simple':
        return this.#value(type.base);
      case 'list':
        return `readonly ${parenthesised(this.#value(type.item))}[]`;
      case 'union':
        return 'string';
      case 'array':
        return `readonly ${parenthesised(this.#nullable(type.item))}[]`;
    }
  }

  #object(type: ObjectType): string {
    const lines = [
      ...(type.text === undefined ? [] : [`  readonly value: ${this.#value(type.text)};\n`]),
      ...type.content.flatMap((particle) => this.#particle(particle, false, false)),
      ...type.attributes.map((attribute) => this.#attribute(attribute)),
      ...(type.mixed ? ['  readonly xml?: string | undefined;\n'] : []),
    ];
    return `{\n${lines.join('')}}`;
  }

  /** @param maybe inside a choice, or what may be absent. @param repeated inside what repeats. */
  #particle(particle: Particle, maybe: boolean, repeated: boolean): string[] {
    switch (particle.kind) {
      case 'any': {
        const list = repeated || particle.max !== 1 ? 'readonly string[]' : 'string';
        return [`  readonly ${keyOf(particle.property ?? 'any')}?: ${list} | undefined;\n`];
      }
      case 'sequence':
      case 'choice': {
        const absent = maybe || particle.kind === 'choice' || particle.min === 0;
        return particle.content.flatMap((each) => this.#particle(each, absent, repeated || particle.max !== 1));
      }
      default:
        return [this.#member(particle, maybe, repeated)];
    }
  }

  #members(elements: readonly Element[], indent: string): string {
    if (elements.length === 0) return '{}';
    return `{\n${elements.map((element) => `${indent}${this.#member(element, false, false)}`).join('')}${indent}}`;
  }

  #member(element: Element, maybe: boolean, repeated: boolean): string {
    const about = element.documentation === undefined ? '' : `  /** ${comment(element.documentation)} */\n`;
    const value = this.#nullable(element);
    const type = repeated || element.max !== 1 ? `readonly ${parenthesised(value)}[]` : value;
    const always = !maybe && !repeated && element.min > 0 && element.max === 1 && this.#isAlways(element.type);
    return `${about}  readonly ${keyOf(element.property ?? element.name)}${always ? '' : '?'}: ${type}${always ? '' : ' | undefined'};\n`;
  }

  #attribute({ name, property, type, required }: Attribute): string {
    const always = required && this.#isAlways(type);
    return `  readonly ${keyOf(property ?? name)}${always ? '' : '?'}: ${this.#value(type)}${always ? '' : ' | undefined'};\n`;
  }

  /** The result of a handler. */
  #carried(element: Element): string {
    const value = this.#nullable(element);
    if (element.max !== 1) return `readonly ${parenthesised(value)}[]`;
    return this.#isAlways(element.type) && element.min > 0 ? value : `${value} | undefined`;
  }

  #nullable({ type, nillable }: Element): string {
    return nillable ? `${this.#value(type)} | null` : this.#value(type);
  }

  #isAlways(type: Type): boolean {
    if (typeof type === 'string') return ALWAYS.has(type);
    const named = this.#service.types[type.ref]!;
    if (named.kind === 'enumeration') return named.flags === undefined;
    return named.kind === 'simple' && this.#isAlways(named.base);
  }

  #value(type: Type): string {
    return typeof type === 'string' ? (VALUES[type] ?? 'string') : typeName(type.ref);
  }
}

/** A header may always be absent: not every client sends it. */
function optional(element: Element): Element {
  return { ...element, min: 0 };
}

function parenthesised(type: string): string {
  return type.includes(' ') ? `(${type})` : type;
}

function typeName(key: string): string {
  return RESERVED.has(key) || /Members$/.test(key) ? `${key}Type` : key;
}
