import type { Header, Operation, Service } from '../../src/contract/service.ts';
import type {
  Attribute,
  Element,
  NamedType,
  ObjectType,
  Particle,
  ScalarType,
  Type,
} from '../../src/contract/types.ts';
import type { Random } from '../kit/random.ts';
import { LISTED, SCALARS } from './kit-scalars.ts';

export const NAMESPACE = 'urn:gen';
const NAMESPACES = [NAMESPACE, 'urn:gen:other'];

type Types = Record<string, NamedType>;

/** A contract made by chance: the operation `Echo` gives back what it gets, `Fail` in the detail of a fault. */
export function generatedService(random: Random): Service {
  return new ContractMaker(random).service();
}

/** A type and those whose members it has, the outermost base first. */
export function lineOf(types: Readonly<Types>, key: string): readonly ObjectType[] {
  const type = types[key] as ObjectType;
  if (type.extends === undefined || type.restricts) return [type];
  return [...lineOf(types, type.extends), type];
}

/** Whether a type is another one, or its heir. */
export function isWithin(types: Readonly<Types>, key: string, base: string): boolean {
  const of = (types[key] as ObjectType).extends;
  return key === base || (of !== undefined && isWithin(types, of, base));
}

class ContractMaker {
  readonly #random: Random;
  readonly #types: Types = {};
  readonly #style: NonNullable<Operation['style']>;
  readonly #isEncoded: boolean;
  readonly #forms: NonNullable<Service['forms']>;
  /** Whether some values stand in parts beside the message. */
  readonly #hasParts: boolean;

  constructor(random: Random) {
    this.#random = random;
    this.#style = random.of(['wrapped', 'bare', 'rpc'] as const);
    this.#isEncoded = this.#style === 'rpc' && this.#chance(2);
    this.#hasParts = this.#chance(4);
    const unqualified = NAMESPACES.filter(() => this.#chance(4));
    this.#forms = Object.fromEntries(
      unqualified.map((each) => [each, { elements: 'unqualified' }] as const),
    );
  }

  service(): Service {
    for (let index = 0; index < 6; index++) this.#addType(`T${index}`);
    const style = this.#style;
    const use = this.#isEncoded ? 'encoded' : 'literal';
    const elements = this.#elements(1 + this.#random.below(3), 'p');
    const isOne = style === 'bare' && elements.length === 1;
    const [result, ...out] = isOne ? [{ ...elements[0]!, name: 'EchoResponse' }] : elements;
    const said = { documentation: '', sample: '' };
    const headers = this.#headers();
    const [detail] = this.#elements(1, 'd');
    const facts = { documentation: '', use } as const;
    const echo: Operation = {
      ...{ ...facts, name: 'Echo', style, result: result!, out },
      parameters: elements.map((each) => ({ ...each, ...said })),
      ...(headers.length === 0 ? {} : { headers: { in: headers, out: headers } }),
    };
    const { nillable: _, ...always } = detail!;
    const fail: Operation = {
      ...{ ...facts, name: 'Fail', style: style === 'bare' ? 'wrapped' : style },
      parameters: [{ ...always, min: 1, ...said }],
      faults: [{ name: 'Broken', element: { ...always, name: 'BrokenDetail', min: 1 } }],
    };
    return {
      ...{ name: 'Generated', namespace: NAMESPACE, dateTimes: 'date' },
      types: this.#types,
      forms: this.#forms,
      operations: [echo, fail],
    };
  }

  #chance(of: number): boolean {
    return this.#random.below(of) === 0;
  }

  #headers(): readonly Header[] {
    const isLiteral = this.#isEncoded && this.#chance(2);
    const all = this.#elements(this.#random.below(3), 'h');
    if (isLiteral) return all.map((each) => ({ ...each, use: 'literal' }));
    // A part of SOAP encoding does not say that it may be nil.
    return this.#isEncoded ? all.map(({ nillable: _, ...each }) => each) : all;
  }

  #scalar(): ScalarType {
    if (this.#chance(10)) return 'QName';
    if (this.#hasParts && this.#chance(5)) return 'swaRef';
    return this.#random.of(Object.keys(SCALARS) as ScalarType[]);
  }

  #addType(key: string): void {
    const named = { name: key, namespace: this.#random.of(NAMESPACES) };
    const kind = this.#random.below(this.#isEncoded ? 9 : 13);
    const made = this.#simple(kind, named) ?? this.#literal(kind, key, named);
    if (made !== undefined) this.#types[key] = made;
    else this.#addObject(key, named);
  }

  /** Types of literal and of encoded contracts. */
  #simple(kind: number, named: { name: string; namespace: string }): NamedType | undefined {
    switch (kind) {
      case 0:
        return { kind: 'enumeration', ...named, values: ['One', 'two 2', 'Drei'] };
      case 1:
        return {
          ...{ kind: 'simple', ...named },
          base: this.#random.of(['string', 'dateTime', 'decimal', 'QName'] as const),
        };
      case 2: {
        const [item] = this.#elements(1, 'i');
        const many = { ...item!, min: 0, max: 'unbounded' } as const;
        if (!this.#isEncoded) return { kind: 'array', ...named, item: many };
        const rank = this.#chance(2) ? { rank: 2 } : {};
        return {
          ...{ kind: 'array', ...named, encoded: true, ...rank },
          // What items are called, and whether they may be null, nobody says of an encoded array.
          item: { ...many, name: 'item', nillable: true },
        };
      }
      case 3: {
        const zero = this.#random.of([undefined, 'None', 'Nobody']);
        const values = ['Read', 'Write', ...(zero === undefined ? [] : [zero]), 'Own'];
        const said = zero === undefined ? {} : { zero };
        return { kind: 'enumeration', ...named, values, flags: true, ...said };
      }
      default:
        return undefined;
    }
  }

  #literal(
    kind: number,
    key: string,
    named: { name: string; namespace: string },
  ): NamedType | undefined {
    switch (kind) {
      case 9:
        return {
          ...{ kind: 'object', ...named },
          ...{ text: this.#scalar(), attributes: this.#attributes(key) },
        };
      case 10:
        return { kind: 'list', ...named, item: this.#random.of(LISTED) };
      case 11:
        return { kind: 'object', ...named, mixed: true, attributes: this.#attributes(key) };
      case 12:
        return { kind: 'union', ...named, members: ['int', 'boolean', 'token'] };
      default:
        return undefined;
    }
  }

  #addObject(key: string, named: { readonly name: string; readonly namespace: string }): void {
    const bases = Object.entries(this.#types).filter(
      ([, type]) => type.kind === 'object' && type.text === undefined && !type.mixed,
    );
    const [base] = bases.length > 0 && this.#chance(3) ? this.#random.of(bases) : [];
    const line = base === undefined ? [] : lineOf(this.#types, base);
    const isClosed = line.some(({ content }) => content?.some((each) => each.kind === 'any'));
    const { namespace } = line[0] ?? named;
    // Elements of a base are in its namespace.
    const isAlike = line.every((each) => each.namespace === namespace);
    if (base !== undefined && isAlike && this.#chance(3)) {
      this.#types[key] = this.#restricted({ name: key, namespace: namespace! }, base, line);
      return;
    }
    const isLocal = [named, ...line].some((each) => this.#forms[each.namespace!] !== undefined);
    const content = this.#content(key, isLocal, isClosed);
    const isOpen = line.some((each) => each.anyAttribute !== undefined);
    this.#types[key] = {
      ...{ kind: 'object', ...named, content },
      ...(base === undefined || isClosed ? {} : { extends: base }),
      ...(this.#isEncoded ? {} : { attributes: this.#attributes(key) }),
      ...(!this.#isEncoded && !isOpen && this.#chance(4) ? { anyAttribute: `${key}others` } : {}),
    };
    if (!this.#chance(6) || this.#isEncoded) return;
    // An heir of scalars alone: types in each other have an end.
    this.#types[key] = { ...(this.#types[key] as ObjectType), abstract: true };
    const member = { name: `${key}only`, type: 'int', min: 1 } as const;
    this.#types[`${key}Heir`] = {
      ...{ kind: 'object', name: `${key}Heir`, namespace: named.namespace },
      ...{ extends: key, content: [member] },
    };
  }

  /** What a base has, without some of what may be absent. */
  #restricted(
    named: { readonly name: string; readonly namespace: string },
    base: string,
    line: readonly ObjectType[],
  ): ObjectType {
    const kept = (particle: Particle) => particle.min !== 0 || this.#chance(2);
    const content = line.flatMap((type) => (type.content ?? []).filter(kept));
    const attributes = line.flatMap((type) => type.attributes ?? []);
    return { kind: 'object', ...named, extends: base, restricts: true, content, attributes };
  }

  /**
   * @param isLocal whether elements of it, or of a base, are in no namespace.
   * @param isClosed whether a base has a place for any element.
   */
  #content(key: string, isLocal: boolean, isClosed: boolean): readonly Particle[] {
    const content: Particle[] = [...this.#elements(1 + this.#random.below(4), `${key}e`)];
    if (this.#isEncoded) return content;
    if (this.#chance(3)) content.push({ kind: 'choice', min: 0, content: this.#branches(key) });
    if (this.#chance(3))
      content.push({
        ...{ kind: this.#random.of(['choice', 'sequence'] as const), property: `${key}rounds` },
        ...{ min: 0, max: 'unbounded', content: this.#elements(3, `${key}r`, true) },
      });
    if (!isClosed && this.#chance(4))
      content.push({
        ...{ kind: 'any', property: `${key}any`, min: 0, processContents: 'skip' },
        ...(this.#chance(3) ? {} : { max: 'unbounded' as const }),
        // Nothing else there may be in the namespace of what may be any.
        namespace: isLocal || this.#chance(2) ? 'urn:free' : '##local',
      });
    return content;
  }

  /** Of a choice: elements, or some of them together. */
  #branches(key: string): readonly Particle[] {
    const [first, second, third] = this.#elements(3, `${key}c`, true);
    if (this.#chance(2)) return [first!, second!, third!];
    return [first!, { kind: 'sequence', content: [second!, third!] }];
  }

  #attributes(prefix: string): Attribute[] {
    return Array.from({ length: this.#random.below(3) }, (_, index) => ({
      name: `${prefix}a${index}`,
      type: this.#attributeType(),
      ...(this.#chance(3) ? { namespace: 'urn:gen:attribute' } : {}),
    }));
  }

  #attributeType(): Type {
    const lists = Object.keys(this.#types).filter((key) => this.#types[key]!.kind === 'list');
    if (lists.length > 0 && this.#chance(3)) return { ref: this.#random.of(lists) };
    const scalar = this.#scalar();
    return scalar === 'base64Binary' || scalar === 'swaRef' ? 'int' : scalar;
  }

  /** @param once whether each is there, once. */
  #elements(count: number, prefix: string, once = false): Element[] {
    return Array.from({ length: count }, (_, index) => {
      const isMember = prefix.startsWith('T');
      const isGlobal = prefix === 'h' || (prefix === 'p' && this.#style !== 'wrapped');
      const isPart = prefix === 'p' && this.#style === 'rpc';
      const isMany = !once && isMember && this.#chance(4);
      return {
        name: `${prefix}${index}`,
        type: this.#type(),
        // Global elements and parts do not say how often they stand somewhere; parts, whether they may be nil.
        min: once || prefix === 'i' || isGlobal ? 1 : this.#random.below(2),
        ...(this.#chance(3) && !isPart ? { nillable: true as const } : {}),
        ...(isMany ? { max: 'unbounded' as const } : {}),
        ...(isMember && !this.#isEncoded && this.#chance(8) ? { namespace: 'urn:gen:third' } : {}),
      };
    });
  }

  #type(): Type {
    const keys = Object.keys(this.#types);
    if (keys.length > 0 && this.#chance(2)) return { ref: this.#random.of(keys) };
    if (this.#isEncoded || !this.#chance(6)) return this.#scalar();
    return this.#chance(3) ? 'xml' : 'anyType';
  }
}
