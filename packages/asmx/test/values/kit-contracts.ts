import type { Service } from '../../src/contract/service.ts';
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

/** A value as handlers have it, and as a client writes it: the attributes and the content of its element. */
interface Made {
  readonly value: unknown;
  readonly attributes: string;
  readonly content: string;
}

/** Texts of scalars, with the values that they are; dates by their texts. */
const SCALARS: readonly (readonly [ScalarType, readonly (readonly [string, unknown])[]])[] = [
  [
    'string',
    [
      ['a &amp; b', 'a & b'],
      [' x\ty ', ' x\ty '],
      ['', ''],
      ['ü😀', 'ü😀'],
      ['&lt;', '<'],
    ],
  ],
  [
    'int',
    [
      ['-5', -5],
      ['2147483647', 2147483647],
    ],
  ],
  ['long', [['9223372036854775807', 9223372036854775807n]]],
  [
    'integer',
    [
      ['123456789012345678901234567890', 123456789012345678901234567890n],
      ['', ''],
    ],
  ],
  [
    'decimal',
    [
      ['1.50', '1.50'],
      ['-0.1', '-0.1'],
    ],
  ],
  [
    'boolean',
    [
      ['true', true],
      ['false', false],
    ],
  ],
  [
    'double',
    [
      ['2.5', 2.5],
      ['INF', Number.POSITIVE_INFINITY],
    ],
  ],
  ['unsignedByte', [['255', 255]]],
  [
    'dateTime',
    [
      ['2024-12-31T23:59:59.9999999', null],
      ['2024-07-01T01:02:03+02:00', null],
      ['2024-02-29T12:00:00Z', null],
      ['0001-01-01T00:00:00', null],
    ],
  ],
  [
    'date',
    [
      ['2024-02-29', '2024-02-29'],
      ['2024-02-29+02:00', '2024-02-29+02:00'],
    ],
  ],
  [
    'duration',
    [
      ['P1DT2H', 'P1DT2H'],
      ['', ''],
    ],
  ],
  ['guid', [['0f8fad5b-d9cb-469f-a165-70867728950e', '0f8fad5b-d9cb-469f-a165-70867728950e']]],
  [
    'char',
    [
      ['0', '\0'],
      ['97', 'a'],
    ],
  ],
  [
    'base64Binary',
    [
      ['AQID', Uint8Array.of(1, 2, 3)],
      ['', new Uint8Array()],
    ],
  ],
  ['hexBinary', [['0AFF', Uint8Array.of(10, 255)]]],
];

const XSD = 'http://www.w3.org/2001/XMLSchema';
const MICROSOFT = 'http://microsoft.com/wsdl/types/';
const NAMESPACES = ['urn:gen', 'urn:gen:other'];

/** A date by what must come back. */
const dateText = (text: string) => ({ date: text });

/** A contract made by chance, and values of it, written by a client that shares no code with the engine. */
export class GeneratedContract {
  readonly service: Service;
  readonly #random: Random;
  readonly #types: Record<string, NamedType> = {};
  readonly #encoded: boolean;
  /** How many objects are open: deep in others they are plain. */
  #depth = 0;

  constructor(random: Random) {
    this.#random = random;
    const style = random.of(['wrapped', 'bare', 'rpc'] as const);
    this.#encoded = style === 'rpc' && random.below(2) === 0;
    for (let index = 0; index < 6; index++) this.#addType(index);
    const elements = style === 'bare' ? 1 : 1 + random.below(3);
    const parameters = this.#elements(elements, 'p').map((each) => ({
      ...each,
      documentation: '',
      sample: '',
    }));
    const answer: Element[] = parameters.map(
      ({ documentation: _, sample: _sample, ...each }) => each,
    );
    const named =
      style === 'bare' ? answer.map((each) => ({ ...each, name: 'EchoResponse' })) : answer;
    const [result, ...out] = named;
    const headers = this.#encoded
      ? []
      : this.#elements(random.below(2), 'h').map(({ max: _, ...each }) => each);
    this.service = {
      name: 'Generated',
      namespace: NAMESPACES[0]!,
      dateTimes: 'date',
      types: this.#types,
      operations: [
        {
          name: 'Echo',
          documentation: '',
          style,
          use: this.#encoded ? 'encoded' : 'literal',
          parameters,
          result: result!,
          out,
          ...(headers.length === 0 ? {} : { headers: { in: headers, out: headers } }),
        },
      ],
    };
  }

  get encoded(): boolean {
    return this.#encoded;
  }

  #chance(of: number): boolean {
    return this.#random.below(of) === 0;
  }

  #addType(index: number): void {
    const key = `T${index}`;
    const namespace = this.#random.of(NAMESPACES);
    const named = { name: key, namespace };
    const scalar = () => this.#random.of(SCALARS)[0];
    const kind = this.#random.below(this.#encoded ? 6 : 9);
    if (kind === 0)
      this.#types[key] = { kind: 'enumeration', ...named, values: ['One', 'two 2', 'Drei'] };
    else if (kind === 1)
      this.#types[key] = {
        kind: 'simple',
        ...named,
        base: this.#random.of(['string', 'dateTime', 'decimal'] as const),
      };
    else if (kind === 2) {
      const [item] = this.#elements(1, 'i');
      this.#types[key] = { kind: 'array', ...named, item: { ...item!, min: 0, max: 'unbounded' } };
    } else if (kind === 6)
      this.#types[key] = {
        kind: 'object',
        ...named,
        text: scalar(),
        attributes: this.#attributes(),
      };
    else if (kind === 7)
      this.#types[key] = {
        kind: 'list',
        ...named,
        item: this.#random.of(['int', 'boolean', 'date'] as const),
      };
    else this.#addObject(key, named);
  }

  #addObject(key: string, named: { readonly name: string; readonly namespace: string }): void {
    const content: Particle[] = [...this.#elements(1 + this.#random.below(4), `${key}e`)];
    if (!this.#encoded) {
      if (this.#chance(3))
        content.push({ kind: 'choice', min: 0, content: this.#elements(3, `${key}c`, true) });
      if (this.#chance(3))
        content.push({
          kind: this.#random.of(['choice', 'sequence'] as const),
          property: `${key}rounds`,
          min: 0,
          max: 'unbounded',
          content: this.#elements(3, `${key}r`, true),
        });
      if (this.#chance(4))
        content.push({
          kind: 'any',
          min: 0,
          max: 'unbounded',
          namespace: '##other',
          property: `${key}any`,
        });
    }
    const base = Object.entries(this.#types).find(
      ([, type]) =>
        type.kind === 'object' &&
        type.text === undefined &&
        type.content?.every((each) => each.kind !== 'any'),
    );
    const isExtending = base !== undefined && this.#chance(3);
    const isOpen =
      isExtending && this.#lineOf(base[0]).some((each) => each.anyAttribute !== undefined);
    this.#types[key] = {
      kind: 'object',
      ...named,
      content,
      ...(isExtending ? { extends: base[0] } : {}),
      ...(this.#encoded ? {} : { attributes: this.#attributes(key) }),
      ...(!this.#encoded && !isOpen && this.#chance(4) ? { anyAttribute: `${key}others` } : {}),
    };
  }

  #attributes(prefix = ''): Attribute[] {
    return Array.from({ length: this.#random.below(3) }, (_, index) => ({
      name: `${prefix}a${index}`,
      type: this.#random.of(SCALARS.filter(([type]) => type !== 'base64Binary'))[0],
      ...(this.#chance(3) ? { namespace: 'urn:gen:attribute' } : {}),
    }));
  }

  #elements(count: number, prefix: string, once = false): Element[] {
    return Array.from({ length: count }, (_, index) => {
      const keys = Object.keys(this.#types);
      const isNamed = keys.length > 0 && this.#chance(2);
      const type: Type = isNamed
        ? { ref: this.#random.of(keys) }
        : this.#chance(8) && !this.#encoded
          ? 'anyType'
          : this.#random.of(SCALARS)[0];
      return {
        name: `${prefix}${index}`,
        type,
        min: once || prefix === 'i' ? 1 : this.#random.below(2),
        ...(this.#chance(3) ? { nillable: true as const } : {}),
        ...(!once && prefix !== 'p' && prefix !== 'i' && this.#chance(4)
          ? { max: 'unbounded' as const }
          : {}),
      };
    });
  }

  /** Values of elements by their properties, and their text. @param namespace that they are in. */
  members(
    elements: readonly Element[],
    namespace: string,
  ): { readonly value: Record<string, unknown>; readonly xml: string } {
    const value: Record<string, unknown> = {};
    const xml = elements.map((each) => this.#occurrences(each, namespace, value)).join('');
    return { value, xml };
  }

  #occurrences(element: Element, namespace: string, into: Record<string, unknown>): string {
    const { name, min = 1, max = 1, nillable } = element;
    if (max === 'unbounded') {
      const made = Array.from({ length: this.#random.below(4) }, () =>
        this.element(element, namespace),
      );
      if (made.length > 0) into[name] = made.map(({ value }) => value);
      return made.map(({ xml }) => xml).join('');
    }
    if (min === 0 && this.#chance(3)) return '';
    if (nillable && this.#chance(3)) {
      into[name] = null;
      return `<${name} xmlns="${namespace}" xsi:nil="true" />`;
    }
    const { value, xml } = this.element(element, namespace);
    into[name] = value;
    return xml;
  }

  /** An element with a value. */
  element(
    { name, type }: Element,
    namespace: string,
  ): { readonly value: unknown; readonly xml: string } {
    const { value, attributes, content } = this.#value(type);
    return { value, xml: `<${name} xmlns="${namespace}"${attributes}>${content}</${name}>` };
  }

  #scalar(scalar: ScalarType): Made {
    const [, forms] = SCALARS.find(([type]) => type === scalar)!;
    const [text, value] = this.#random.of(forms);
    const attributes = this.#encoded
      ? typed(scalar === 'guid' || scalar === 'char' ? MICROSOFT : XSD, scalar)
      : '';
    return { value: scalar === 'dateTime' ? dateText(text) : value, attributes, content: text };
  }

  #value(type: Type): Made {
    if (type === 'anyType') return this.#any();
    if (typeof type === 'string') return this.#scalar(type);
    const named = this.#types[type.ref]!;
    const attributes = this.#encoded ? typed(named.namespace!, named.name) : '';
    switch (named.kind) {
      case 'enumeration': {
        const value = this.#random.of(named.values);
        return { value, attributes, content: value };
      }
      case 'simple':
        return { ...this.#scalar(named.base as ScalarType), attributes };
      case 'list': {
        const items = Array.from({ length: this.#random.below(3) }, () =>
          this.#scalar(LISTED.get(named.item as string)!),
        );
        return {
          value: items.map(({ value }) => value),
          attributes: '',
          content: items.map(({ content }) => content).join(' '),
        };
      }
      case 'array': {
        const items = Array.from({ length: this.#random.below(3) }, () =>
          named.item.nillable && this.#chance(3)
            ? {
                value: null,
                xml: `<${named.item.name} xmlns="${this.#inside(named)}" xsi:nil="true" />`,
              }
            : this.element(named.item, this.#inside(named)),
        );
        return {
          value: items.map(({ value }) => value),
          attributes: '',
          content: items.map(({ xml }) => xml).join(''),
        };
      }
      case 'object':
        return this.#object(type.ref);
      default:
        throw new Error(`No ${named.kind} is made.`);
    }
  }

  #inside({ namespace }: NamedType): string {
    return this.#encoded ? '' : namespace!;
  }

  #any(): Made {
    const objects = Object.keys(this.#types).filter((key) => this.#types[key]!.kind === 'object');
    if (objects.length > 0 && this.#depth < 3 && this.#chance(2)) {
      const key = this.#random.of(objects);
      const made = this.#object(key, true);
      return { ...made, value: { ...(made.value as object), $type: key } };
    }
    const [name, text, value] = this.#random.of([
      ['int', '5', 5],
      ['string', 'a &amp; b', 'a & b'],
      ['decimal', '1.50', { $type: 'decimal', value: '1.50' }],
      ['short', '5', { $type: 'short', value: 5 }],
      ['float', '0.5', { $type: 'float', value: 0.5 }],
      ['dateTime', '2024-12-31T00:00:00', dateText('2024-12-31T00:00:00')],
    ] as const);
    return { value, attributes: typed(XSD, name), content: text };
  }

  #lineOf(key: string): ObjectType[] {
    const type = this.#types[key] as ObjectType;
    return type.extends === undefined ? [type] : [...this.#lineOf(type.extends), type];
  }

  #extends(key: string, base: string): boolean {
    const of = (this.#types[key] as ObjectType).extends;
    return key === base || (of !== undefined && this.#extends(of, base));
  }

  #object(declared: string, isTyped = false): Made {
    const family = Object.keys(this.#types).filter(
      (key) => this.#types[key]!.kind === 'object' && this.#extends(key, declared),
    );
    const key = isTyped || this.#depth > 3 ? declared : this.#random.of(family);
    const type = this.#types[key] as ObjectType;
    const isExtended = Object.values(this.#types).some(
      (each) => each.kind === 'object' && each.extends === key,
    );
    const value: Record<string, unknown> =
      type.extends !== undefined || isExtended ? { $type: key } : {};
    let attributes =
      key !== declared || isTyped || this.#encoded ? typed(type.namespace!, type.name) : '';
    let content = '';
    this.#depth++;
    for (const each of this.#lineOf(key)) {
      for (const { name, namespace, type: of } of each.attributes ?? []) {
        if (this.#chance(3)) continue;
        const made = this.#scalar(of as ScalarType);
        value[name] = made.value;
        // A tab in an attribute is a blank, unless it is written by its number.
        const text = made.content.replaceAll('\t', '&#9;');
        attributes +=
          namespace === undefined
            ? ` ${name}="${text}"`
            : ` xmlns:a="${namespace}" a:${name}="${text}"`
                .replaceAll('a:', `${name}:`)
                .replace('xmlns:a=', `xmlns:${name}=`);
      }
      if (typeof each.anyAttribute === 'string' && this.#chance(2)) {
        value[each.anyAttribute] = { plain: '1', '{urn:x}more': 'a b' };
        attributes += ' plain="1" xmlns:x="urn:x" x:more="a b"';
      }
      if (each.text !== undefined) {
        const made = this.#scalar(each.text as ScalarType);
        value.value = made.value;
        content = made.content;
      }
      for (const particle of each.content ?? [])
        content += this.#particle(particle, this.#inside(each), value);
    }
    this.#depth--;
    return { value, attributes, content };
  }

  #particle(particle: Particle, namespace: string, value: Record<string, unknown>): string {
    if (particle.kind === 'any') {
      const inside = '<y>&amp;</y>';
      const fragments = Array.from({ length: this.#random.below(3) }, (_, at) =>
        this.#chance(2)
          ? {
              value: `<x xmlns="urn:free" at="${at}">${inside}</x>`,
              xml: `<x xmlns="urn:free" at="${at}">${inside}</x>`,
            }
          : { value: `<x at="${at}">${inside}</x>`, xml: `<x xmlns="" at="${at}">${inside}</x>` },
      );
      if (fragments.length > 0) value[particle.property!] = fragments.map((each) => each.value);
      return fragments.map(({ xml }) => xml).join('');
    }
    if (particle.kind !== 'choice' && particle.kind !== 'sequence')
      return this.#occurrences(particle as Element, namespace, value);
    const { kind, content, property, max } = particle;
    const round = (into: Record<string, unknown>) =>
      (kind === 'choice' ? [this.#random.of(content)] : content)
        .map((each) => {
          const { name } = each as Element;
          const made = this.element(each as Element, namespace);
          into[name] = made.value;
          return made.xml;
        })
        .join('');
    if (max === undefined) return this.#chance(3) ? '' : round(value);
    const rounds = Array.from({ length: this.#random.below(4) }, () => {
      const into: Record<string, unknown> = {};
      return { into, xml: round(into) };
    });
    if (rounds.length > 0) value[property!] = rounds.map(({ into }) => into);
    return rounds.map(({ xml }) => xml).join('');
  }
}

/** Items of lists have no blanks and are not empty. */
const LISTED = new Map<string, ScalarType>([
  ['int', 'int'],
  ['boolean', 'boolean'],
  ['date', 'date'],
]);

const typed = (namespace: string, name: string) => ` xmlns:t="${namespace}" xsi:type="t:${name}"`;
