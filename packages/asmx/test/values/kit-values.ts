import type { Service } from '../../src/contract/service.ts';
import type {
  Element,
  EnumerationType,
  NamedType,
  ObjectType,
  Particle,
  ScalarType,
  Type,
} from '../../src/contract/types.ts';
import type { Random } from '../kit/random.ts';
import type { PartOf } from './kit.ts';
import { isWithin, lineOf } from './kit-contracts.ts';
import { ANY, SCALARS } from './kit-scalars.ts';

/** A value as handlers have it, and as a client writes it: the attributes and the content of its element. */
interface Made {
  readonly value: unknown;
  readonly attributes: string;
  readonly content: string;
}

/** An element with its value. */
interface MadeElement {
  readonly value: unknown;
  readonly xml: string;
}

const XSD = 'http://www.w3.org/2001/XMLSchema';
const MICROSOFT = 'http://microsoft.com/wsdl/types/';
const SWA = 'http://ws-i.org/profiles/basic/1.1/xsd';
const ENCODING = 'http://schemas.xmlsoap.org/soap/encoding/';
const ENCODING12 = 'http://www.w3.org/2003/05/soap-encoding';

const typed = (namespace: string, name: string) => ` xmlns:t="${namespace}" xsi:type="t:${name}"`;

/** Values of a contract by chance, written by a client that shares no code with the engine. */
export class ForeignWriter {
  /** What is written stands beside the message: the parts to which it refers. */
  readonly parts: PartOf[] = [];
  /** Elements behind the message, to which it refers. */
  behind = '';
  /** Whether all that was written is as its XML Schema has it. */
  isValid = true;
  readonly #random: Random;
  readonly #types: Readonly<Record<string, NamedType>>;
  readonly #forms: NonNullable<Service['forms']>;
  #isEncoded: boolean;
  /** How many objects are open: deep in others they are plain. */
  #depth = 0;
  #count = 0;

  constructor(random: Random, { types = {}, forms = {} }: Service, isEncoded: boolean) {
    this.#random = random;
    this.#types = types;
    this.#forms = forms;
    this.#isEncoded = isEncoded;
  }

  #chance(of: number): boolean {
    return this.#random.below(of) === 0;
  }

  /** Writes in another use. */
  inUse<T>(isEncoded: boolean, write: () => T): T {
    const before = this.#isEncoded;
    this.#isEncoded = isEncoded;
    try {
      return write();
    } finally {
      this.#isEncoded = before;
    }
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

  /** An element with a value. */
  element({ name, type, namespace: own }: Element, namespace: string): MadeElement {
    const made = this.#value(type);
    const { attributes, content } = this.#behind(type, made);
    const space = own ?? namespace;
    return {
      value: made.value,
      xml: `<${name} xmlns="${space}"${attributes}>${content}</${name}>`,
    };
  }

  #occurrences(element: Element, namespace: string, into: Record<string, unknown>): string {
    const { name, min = 1, max = 1, nillable, namespace: own = namespace } = element;
    if (max === 'unbounded') {
      const made = Array.from({ length: this.#random.below(4) + min }, () =>
        nillable && this.#chance(4) ? this.#nil(element, own) : this.element(element, namespace),
      );
      if (made.length > 0) into[name] = made.map(({ value }) => value);
      return made.map(({ xml }) => xml).join('');
    }
    if (min === 0 && this.#chance(3)) return '';
    if (nillable && this.#chance(3)) {
      into[name] = null;
      return this.#nil(element, own).xml;
    }
    const { value, xml } = this.element(element, namespace);
    into[name] = value;
    return xml;
  }

  #nil({ name, type }: Element, namespace: string): MadeElement {
    // XML Schema has no nil of an abstract type; .NET writes it.
    const named = typeof type === 'string' ? undefined : this.#types[type.ref];
    if (named?.kind === 'object' && named.abstract) this.isValid = false;
    return { value: null, xml: `<${name} xmlns="${namespace}" xsi:nil="true" />` };
  }

  /** In SOAP encoding a value may stand behind the message, and be referred to. */
  #behind(type: Type, made: Made): Pick<Made, 'attributes' | 'content'> {
    const kind = typeof type === 'string' ? undefined : this.#types[type.ref]!.kind;
    const isReferred = this.#isEncoded && (kind === 'object' || kind === 'array');
    if (!isReferred || !this.#chance(4)) return made;
    const id = `r${this.#count++}`;
    const is12 = this.#chance(2);
    const [of, to] = is12
      ? [` xmlns:f="${ENCODING12}" f:id="${id}"`, ` xmlns:f="${ENCODING12}" f:ref="${id}"`]
      : [` id="${id}"`, ` href="#${id}"`];
    this.behind += `<multiRef${of}${made.attributes}>${made.content}</multiRef>`;
    return { attributes: to, content: '' };
  }

  #scalar(scalar: ScalarType): Made {
    if (scalar === 'QName') return this.#name();
    if (scalar === 'swaRef') return this.#part();
    const { text, value = text, isForeign } = this.#random.of(SCALARS[scalar]!);
    if (isForeign) this.isValid = false;
    const space = scalar === 'guid' || scalar === 'char' ? MICROSOFT : XSD;
    return { value, attributes: this.#isEncoded ? typed(space, scalar) : '', content: text };
  }

  /** A name under a prefix that nothing else has. */
  #name(): Made {
    const prefix = `${this.#random.of(['p', 'ü', 'a.b-'])}${this.#count++}`;
    const type = this.#isEncoded ? typed(XSD, 'QName') : '';
    return {
      value: '{urn:names}x',
      attributes: `${type} xmlns:${prefix}="urn:names"`,
      content: `${prefix}:x`,
    };
  }

  /** Bytes in a part of their own. */
  #part(): Made {
    const id = `part=${this.#count++}@x`;
    this.parts.push([id, 'a/b', id]);
    return {
      value: new Uint8Array(Buffer.from(id)),
      attributes: this.#isEncoded ? typed(SWA, 'swaRef') : '',
      content: `cid:${encodeURIComponent(id)}`,
    };
  }

  #value(type: Type): Made {
    if (type === 'anyType') return this.#any();
    if (type === 'xml') {
      const content = `<x xmlns="urn:free">${this.#count++}<y>&amp;</y></x>`;
      return { value: content, attributes: '', content };
    }
    if (typeof type === 'string') return this.#scalar(type);
    const named = this.#types[type.ref]!;
    const attributes = this.#isEncoded ? typed(named.namespace!, named.name) : '';
    switch (named.kind) {
      case 'enumeration':
        return { attributes, ...(named.flags ? this.#flags(named) : this.#one(named)) };
      case 'simple': {
        const made = this.#scalar(named.base as ScalarType);
        const declared = made.attributes.replace(/^.* xsi:type="[^"]*"/, '');
        return { ...made, attributes: attributes + declared };
      }
      case 'list': {
        const items = Array.from({ length: this.#random.below(3) }, () =>
          this.#scalar(named.item as ScalarType),
        );
        return {
          value: items.map(({ value }) => value),
          attributes: items.map((each) => each.attributes).join(''),
          content: items.map(({ content }) => content).join(' '),
        };
      }
      case 'union': {
        const text = this.#random.of(['5', 'true', 'free:text', 'a b']);
        return { value: text, attributes: '', content: text };
      }
      case 'array':
        return this.#array(named);
      case 'object':
        return this.#object(type.ref);
    }
  }

  #one({ values }: EnumerationType): Pick<Made, 'value' | 'content'> {
    const value = this.#random.of(values);
    return { value, content: value };
  }

  #flags({ values, zero }: EnumerationType): Pick<Made, 'value' | 'content'> {
    const set = values.filter((each) => each !== zero && this.#chance(2));
    const isEmpty = set.length === 0 && zero !== undefined;
    return { value: set, content: isEmpty ? zero : set.join(' ') };
  }

  #array(array: NamedType & { readonly kind: 'array' }): Made {
    const { item, encoded = false, rank = 1 } = array;
    const space = encoded ? '' : this.#inside(array);
    const sizes = Array.from({ length: rank }, () => this.#random.below(3));
    const isEmpty = sizes.includes(0);
    const all = isEmpty ? sizes.map(() => 0) : sizes;
    const cell = (): MadeElement => {
      if (!item.nillable || !this.#chance(3)) return this.element(item, space);
      return this.#nil(item, space);
    };
    const items = Array.from({ length: all.reduce((a, b) => a * b, 1) }, cell);
    const content = items.map(({ xml }) => xml).join('');
    const [, columns = 0] = all;
    const values = items.map(({ value }) => value);
    const value =
      rank === 1
        ? values
        : Array.from({ length: all[0]! }, (_, at) =>
            values.slice(at * columns, (at + 1) * columns),
          );
    const attributes = encoded ? this.#arrayType(item.type, all) : '';
    return { value, attributes, content };
  }

  /** SOAP 1.1, 5.4.2. */
  #arrayType(type: Type, sizes: readonly number[]): string {
    let brackets = `[${sizes.join(',')}]`;
    let inner = type;
    while (typeof inner !== 'string') {
      const named: NamedType = this.#types[inner.ref]!;
      if (named.kind !== 'array') break;
      brackets = `[${','.repeat((named.rank ?? 1) - 1)}]${brackets}`;
      inner = named.item.type;
    }
    const [space, name] =
      typeof inner === 'string'
        ? [inner === 'guid' || inner === 'char' ? MICROSOFT : inner === 'swaRef' ? SWA : XSD, inner]
        : [this.#types[inner.ref]!.namespace!, this.#types[inner.ref]!.name];
    return ` xmlns:e="${ENCODING}" xmlns:i="${space}" xsi:type="e:Array" e:arrayType="i:${name}${brackets}"`;
  }

  #inside({ namespace }: NamedType): string {
    const isUnqualified = this.#forms[namespace!]?.elements === 'unqualified';
    return this.#isEncoded || isUnqualified ? '' : namespace!;
  }

  #any(): Made {
    const objects = Object.keys(this.#types).filter((key) => {
      const type = this.#types[key]!;
      return type.kind === 'object' && !type.abstract;
    });
    if (objects.length > 0 && this.#depth < 3 && this.#chance(2)) {
      const key = this.#random.of(objects);
      const made = this.#object(key, true);
      return { ...made, value: { ...(made.value as object), $type: key } };
    }
    const [name, text, value] = this.#random.of(ANY);
    return { value, attributes: typed(XSD, name), content: text };
  }

  #object(declared: string, isTyped = false): Made {
    const types = this.#types;
    const objects = Object.entries(types).filter(([, type]) => type.kind === 'object');
    const family = objects
      .filter(([key, type]) => !(type as ObjectType).abstract && isWithin(types, key, declared))
      .map(([key]) => key);
    const isPlain = isTyped || this.#depth > 2;
    const plain = (types[declared] as ObjectType).abstract ? `${declared}Heir` : declared;
    const key = isPlain ? plain : this.#random.of(family);
    const type = types[key] as ObjectType;
    const isExtended = objects.some(([, each]) => (each as ObjectType).extends === key);
    const value: Record<string, unknown> =
      type.extends !== undefined || isExtended ? { $type: key } : {};
    const isSaid = key !== declared || isTyped || this.#isEncoded;
    let attributes = isSaid ? typed(type.namespace!, type.name) : '';
    let content = '';
    this.#depth++;
    for (const each of lineOf(types, key)) {
      attributes += this.#attributes(each, value);
      if (each.text !== undefined) {
        const made = this.#scalar(each.text as ScalarType);
        value.value = made.value;
        content = made.content;
        attributes += made.attributes;
      }
      if (each.mixed) {
        content = `a <b xmlns="urn:free">${this.#count++}</b> c`;
        value.xml = content;
        this.isValid = false;
      }
      for (const particle of each.content ?? [])
        content += this.#particle(particle, this.#inside(each), value);
    }
    this.#depth--;
    return { value, attributes, content };
  }

  #attributes(
    { attributes = [], anyAttribute }: ObjectType,
    value: Record<string, unknown>,
  ): string {
    let written = '';
    for (const { name, namespace, type } of attributes) {
      if (this.#chance(3)) continue;
      const made = this.#value(type);
      value[name] = made.value;
      // A tab in an attribute is a blank, unless it is written by its number.
      const text = made.content.replaceAll('\t', '&#9;');
      const qualified = namespace === undefined ? name : `${name}:${name}`;
      const declared = namespace === undefined ? '' : ` xmlns:${name}="${namespace}"`;
      written += `${made.attributes}${declared} ${qualified}="${text}"`;
    }
    if (typeof anyAttribute === 'string' && this.#chance(2)) {
      value[anyAttribute] = { plain: '1', '{urn:x}more': 'a b' };
      written += ' plain="1" xmlns:x="urn:x" x:more="a b"';
      this.isValid = false;
    }
    return written;
  }

  #particle(particle: Particle, namespace: string, value: Record<string, unknown>): string {
    if (particle.kind === 'any') return this.#fragments(particle, value);
    if (particle.kind !== 'choice' && particle.kind !== 'sequence')
      return this.#occurrences(particle as Element, namespace, value);
    const { kind, content, property, max } = particle;
    const branch = (): readonly Particle[] =>
      kind === 'choice' ? [this.#random.of(content)] : content;
    const round = (into: Record<string, unknown>) =>
      branch()
        .map((each) => this.#given(each, namespace, into))
        .join('');
    if (max === undefined) return particle.min === 0 && this.#chance(3) ? '' : round(value);
    const rounds = Array.from({ length: this.#random.below(4) }, () => {
      const into: Record<string, unknown> = {};
      return { xml: round(into), into };
    });
    if (rounds.length > 0) value[property!] = rounds.map(({ into }) => into);
    return rounds.map(({ xml }) => xml).join('');
  }

  /** A particle of a group, which is there. */
  #given(particle: Particle, namespace: string, into: Record<string, unknown>): string {
    if (particle.kind !== undefined && particle.kind !== 'element')
      return this.#particle(particle, namespace, into);
    const { name } = particle;
    const made = this.element(particle, namespace);
    into[name] = made.value;
    return made.xml;
  }

  #fragments(
    { property, max, namespace }: Particle & { readonly kind: 'any' },
    value: Record<string, unknown>,
  ): string {
    const count = this.#random.below(max === undefined ? 2 : 3);
    const fragments = Array.from({ length: count }, (_, at) => {
      const inside = `at="${at}"><y>&amp;</y></x>`;
      return namespace === 'urn:free'
        ? { text: `<x xmlns="urn:free" ${inside}`, xml: `<x xmlns="urn:free" ${inside}` }
        : { text: `<x ${inside}`, xml: `<x xmlns="" ${inside}` };
    });
    if (fragments.length === 0) return '';
    const texts = fragments.map(({ text }) => text);
    value[property!] = max === undefined ? texts[0] : texts;
    return fragments.map(({ xml }) => xml).join('');
  }
}
