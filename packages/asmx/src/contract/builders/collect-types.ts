import { isReference, sampleOf } from '../scalar-facts.ts';
import type { Header, Operation, Parameter, Service } from '../service.ts';
import type {
  Attribute,
  Element,
  NamedType,
  ObjectType,
  Particle,
  ScalarType,
  Type,
} from '../types.ts';
import { type FieldDefinition, isField, type TypeDefinition } from './definitions.ts';

/** An operation that was built, whatever its types. */
interface AnyOperationDefinition {
  readonly summary?: string;
  readonly input?: Readonly<Record<string, unknown>>;
  readonly result?: unknown;
  readonly out?: Readonly<Record<string, unknown>>;
  readonly headers?: {
    readonly in?: Readonly<Record<string, AnyHeaderDefinition>>;
    readonly out?: Readonly<Record<string, AnyHeaderDefinition>>;
  };
  readonly faults?: Readonly<Record<string, unknown>>;
  readonly [option: string]: unknown;
}

interface AnyHeaderDefinition {
  readonly fields: Readonly<Record<string, unknown>>;
  readonly required?: true;
  readonly namespace?: string;
}

/** Converts fields to plain data, and collects the named types that they use. */
export class TypeCollector {
  readonly #types: Record<string, NamedType> = Object.create(null);
  /** What each key was made of. */
  readonly #sources = new Map<string, unknown>();
  /** Arrays of the same item are one type. */
  readonly #arrays = new Map<string, string>();

  /** The types, when there are any. */
  collected(): Pick<Service, 'types'> {
    return Object.keys(this.#types).length === 0 ? {} : { types: { ...this.#types } };
  }

  /** @throws {TypeError} with the path of the wrong member. */
  operation(
    name: string,
    given: { readonly definition: AnyOperationDefinition } | undefined,
  ): Operation {
    const path = `operations.${name}`;
    if (given?.definition === undefined)
      throw new TypeError(`${path}: this is no operation; write operation({ … }).`);
    const { summary, input, result, out, headers, faults, ...options } = given.definition;
    if (Array.isArray(input))
      throw new TypeError(`${path}.input: it must be an object, like { name: string }.`);
    const made: Operation = {
      name,
      documentation: summary ?? '',
      parameters: Object.entries(input ?? {}).map(([key, given]) =>
        this.#parameter(key, given, `${path}.input.${key}`),
      ),
      ...this.#result(name, result, `${path}.result`),
      ...(options as Partial<Operation>),
    };
    return {
      ...made,
      ...(out === undefined
        ? {}
        : { out: entries(out, (key, given) => this.element(key, given, `${path}.out.${key}`)) }),
      ...(headers === undefined ? {} : { headers: this.#headers(headers, `${path}.headers`) }),
      ...(faults === undefined
        ? {}
        : {
            faults: entries(faults, (key, given) => ({
              name: key,
              element: this.element(
                nameOf(this.type(given, `${path}.faults.${key}`), this.#types),
                given,
                `${path}.faults.${key}`,
              ),
            })),
          }),
    };
  }

  /** The element of a field. */
  element(name: string, given: unknown, path: string): Element {
    const definition = asField(given, path);
    return { name, type: this.type(definition, path), ...definition.element };
  }

  /** The type of a field. */
  type(given: unknown, path: string): Type {
    const definition = asField(given, path);
    const type =
      definition.named === undefined ? definition.type : this.#named(definition.named, path);
    for (const included of definition.includes ?? []) this.#included(included, type, path);
    if (definition.named !== undefined) return type as Type;
    if (definition.type === 'void')
      throw new TypeError(`${path}: void can only be the result of an operation.`);
    return definition.type!;
  }

  /** @throws {TypeError} for a type that does not extend the one in whose place it may come. */
  #included(included: FieldDefinition, base: Type | 'void' | undefined, path: string): void {
    const type = this.type(included, path);
    for (let at: Type | undefined = type; at !== undefined; at = this.#baseOf(at))
      if (typeof at === 'object' && typeof base === 'object' && at.ref === base.ref) return;
    const name = typeof type === 'string' ? type : type.ref;
    throw new TypeError(
      `${path}: ${name} does not extend ${typeof base === 'object' ? base.ref : base}.`,
    );
  }

  #baseOf(type: Type): Type | undefined {
    const named = typeof type === 'string' ? undefined : this.#types[type.ref];
    return named?.kind === 'object' && named.extends !== undefined
      ? { ref: named.extends }
      : undefined;
  }

  #result(operation: string, given: unknown, path: string): Pick<Operation, 'result'> {
    if (given === undefined) return { result: 'void' };
    const definition = asField(given, path);
    if (definition.type === 'void') return { result: 'void' };
    const type = this.type(definition, path);
    if (Object.keys(definition.element).length === 0) return { result: type };
    return { result: { name: `${operation}Result`, type, ...definition.element } };
  }

  #parameter(name: string, given: unknown, path: string): Parameter {
    const element = this.element(name, given, path);
    const sample = typeof element.type === 'string' ? sampleOf(element.type) : '';
    return {
      ...element,
      documentation: element.documentation ?? '',
      sample: element.sample ?? sample,
    };
  }

  #headers(
    { in: request, out: answer }: NonNullable<AnyOperationDefinition['headers']>,
    path: string,
  ) {
    const headersOf = (group: Readonly<Record<string, AnyHeaderDefinition>>, where: string) =>
      entries(group, (name, given): Header => {
        if (given?.fields === undefined)
          throw new TypeError(`${path}.${where}.${name}: this is no header; write header({ … }).`);
        const { fields, required, namespace } = given;
        const definition: TypeDefinition = {
          kind: 'object',
          name,
          fields: fields as never,
          options: {},
        };
        return {
          name,
          type: this.#named(definition, `${path}.${where}.${name}`, fields),
          ...(required === undefined ? {} : { required }),
          ...(namespace === undefined ? {} : { namespace }),
        };
      });
    return {
      ...(request === undefined ? {} : { in: headersOf(request, 'in') }),
      ...(answer === undefined ? {} : { out: headersOf(answer, 'out') }),
    };
  }

  /** @param source what makes it the same type as another of its name. */
  #named(definition: TypeDefinition, path: string, source: unknown = definition): Type {
    if (definition.kind === 'array') return this.#array(definition, path);
    const key = identifier(definition.name);
    const known = this.#sources.get(key);
    // Words like `describe` copy a field but not what it is made of.
    if (known === source) return { ref: key };
    if (known !== undefined)
      throw new TypeError(`${path}: there are two types with the name ${definition.name}.`);
    this.#sources.set(key, source);
    // Taken before its content is looked at, which may refer to it.
    this.#types[key] = { kind: 'simple', name: definition.name, base: 'string' };
    this.#types[key] = this.#make(definition, path);
    return { ref: key };
  }

  #make(definition: Exclude<TypeDefinition, { kind: 'array' }>, path: string): NamedType {
    if (definition.kind === 'enumeration') return { ...definition };
    if (definition.kind === 'simple')
      return { ...definition, base: this.type(definition.base, path) };
    return this.#object(definition, path);
  }

  #object(
    { name, base, fields, options }: TypeDefinition & { kind: 'object' },
    path: string,
  ): ObjectType {
    const { choices = [], ...said } = options;
    const extended = base === undefined ? undefined : this.type(base, path);
    if (typeof extended === 'string')
      throw new TypeError(`${path}: ${name} extends ${extended}, which is no object.`);
    const missing = choices.flat().find((key) => !Object.hasOwn(fields, key));
    if (missing !== undefined)
      throw new TypeError(`${path}.choices: there is no property ${missing}.`);
    const made: { -readonly [K in keyof ObjectType]: ObjectType[K] } = {
      kind: 'object',
      name,
      ...said,
    };
    if (extended !== undefined) made.extends = extended.ref;
    const content: Particle[] = [];
    const attributes: Attribute[] = [];
    for (const key of Object.keys(fields)) {
      const at = `${path}.${key}`;
      const given = asField(fields[key], at);
      if (given.place === 'any') {
        content.push({
          kind: 'any',
          min: 0,
          max: 'unbounded',
          ...(key === 'any' ? {} : { property: key }),
        });
      } else if (given.place === 'text') {
        if (key !== 'value')
          throw new TypeError(`${at}: the text of an object is its property "value".`);
        made.text = this.type(given, at);
      } else if (given.place === 'attribute') {
        const { as } = given.element;
        const type = this.type(given, at);
        // XmlSerializer asks for the attributes that .NET's value types are.
        const required =
          isReference(type, this.#types) || given.element.min === 0
            ? {}
            : { required: true as const };
        attributes.push({ name: key, type, ...required, ...(as === undefined ? {} : { as }) });
      } else {
        const element = this.element(key, given, at);
        const group = choices.find((each) => each.includes(key));
        if (group === undefined) content.push(element);
        else if (group[0] === key) {
          const rest = group
            .slice(1)
            .map((other) => this.element(other, fields[other], `${path}.${other}`));
          content.push({ kind: 'choice', content: [element, ...rest] });
        }
      }
    }
    if (content.length > 0) made.content = content;
    if (attributes.length > 0) made.attributes = attributes;
    return made;
  }

  #array({ item, options }: TypeDefinition & { kind: 'array' }, path: string): Type {
    const definition = asField(typeof item === 'function' ? item() : item, path);
    const type = this.type(definition, path);
    const wireName = nameOf(type, this.#types);
    const nullable = definition.element.nillable === true;
    const prefix = nullable && !isReference(type, this.#types) ? 'NullableOf' : '';
    const name = options.name ?? `ArrayOf${prefix}${pascalCase(wireName)}`;
    const mayBeNull = isReference(type, this.#types) && definition.element.required !== true;
    const nillable = nullable || mayBeNull;
    const element: Element = {
      ...definition.element,
      name: options.item ?? wireName,
      type,
      min: 0,
      max: 'unbounded',
      ...(nillable ? { nillable } : {}),
    };
    const key = identifier(name);
    const made: NamedType = { kind: 'array', name, item: element };
    const text = JSON.stringify(made);
    const known = this.#arrays.get(key);
    if (known !== undefined && known !== text)
      throw new TypeError(
        `${path}: there are two types with the name ${name}; give one another, array(…, { name: '…' }).`,
      );
    this.#arrays.set(key, text);
    this.#types[key] = made;
    return { ref: key };
  }
}

function asField(given: unknown, path: string): FieldDefinition {
  if (isField(given)) {
    if (given.later === undefined) return given;
    const { later, ...said } = given;
    const made = asField(later(), path);
    return { ...made, ...said, element: { ...made.element, ...said.element } };
  }
  const later =
    given === undefined
      ? ' One that comes later, or is the type itself, stands in a getter: get next() { return Node; }.'
      : '';
  throw new TypeError(
    `${path}: this is no type; write one like string, int, array(…) or object(…).${later}`,
  );
}

function entries<T, R>(
  group: Readonly<Record<string, T>>,
  make: (key: string, given: T) => R,
): R[] {
  return Object.entries(group).map(([key, given]) => make(key, given));
}

/** The name of a type on the wire, which is that of its element in arrays. */
function nameOf(type: Type, types: Readonly<Record<string, NamedType>>): string {
  return typeof type === 'string' ? (SHORT_NAMES[type] ?? type) : types[type.ref]!.name;
}

/** How ASP.NET names the elements of .NET's own types. */
const SHORT_NAMES: { readonly [T in ScalarType]?: string } = { xml: 'XmlElement' };

/**
 * A name that begins with a capital, as in the name of an array's type (CodeIdentifier.MakePascal).
 */
export function pascalCase(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}

/** A key of types: what TypeScript can name. */
function identifier(name: string): string {
  return name.replace(/[^\p{ID_Continue}$]/gu, '_').replace(/^(?=\d)/, '_');
}
