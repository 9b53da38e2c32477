import { sampleOf } from '../../contract/scalar-facts.ts';
import { escapeAttribute, escapeText } from '../../xml/writer.ts';
import type { Attribute, Element, Facets, ObjectType, Particle, ScalarType, Service, Type } from '../normal-form.ts';
import { patternSample } from './pattern-sample.ts';

/** How deep optional parts are still written: a recursive type must come to an end. */
const MAX_DEPTH = 8;

/** How often what may repeat is written. */
const REPEATS = 2;

/** After so many elements of a message only what is required is written: optional parts of parts multiply. */
const ENOUGH_ELEMENTS = 1_000;

/** Elements of a message, and characters of a text, at most. A contract that requires more means harm, or no client. */
const MOST = { elements: 10_000, chars: 100_000 } as const;

/** A message of a contract cannot be written as a sample. The message is one sentence. */
export class SampleTooLarge extends Error {
  override readonly name = 'SampleTooLarge';
}

/** Writes messages of a contract with plausible values: every member once, what may repeat twice. */
export class SampleWriter {
  readonly #types: Service['types'];
  #elements = 0;

  constructor({ types }: Pick<Service, 'types'>) {
    this.#types = types;
  }

  /** One element with its content. @param outer the default namespace where it stands. */
  element(element: Element, outer = '', depth = 0): string {
    this.#count(1);
    const { name, namespace, type, fixed } = element;
    const declared = namespace === outer ? '' : ` xmlns="${escapeAttribute(namespace)}"`;
    const { attributes, content } =
      fixed === undefined ? this.#content(type, namespace, depth) : { attributes: '', content: escapeText(fixed) };
    return content === ''
      ? `<${name}${declared}${attributes} />`
      : `<${name}${declared}${attributes}>${content}</${name}>`;
  }

  /** As often as it is written where it may repeat. */
  elements(element: Element, outer: string, depth = 0): string {
    const isBrief = depth > MAX_DEPTH || this.#elements > ENOUGH_ELEMENTS;
    const most = element.max === 'unbounded' ? REPEATS : Math.min(element.max, REPEATS);
    const count = isBrief ? element.min : Math.max(element.min, most);
    if (count > MOST.elements) this.#count(count);
    return Array.from({ length: count }, () => this.element(element, outer, depth)).join('');
  }

  /** The text of a value of a simple type. */
  text(type: Type): string {
    if (typeof type === 'string') return sampleOf(type);
    const named = this.#types[type.ref]!;
    switch (named.kind) {
      case 'enumeration':
        return named.values[0] ?? '';
      case 'simple':
        if (named.base === 'hexBinary' || named.base === 'base64Binary') return bytes(named.base, named.facets ?? {});
        return faceted(this.text(named.base), named.facets ?? {});
      case 'list':
        return this.text(named.item);
      case 'union':
        return named.members[0] === undefined ? '' : this.text(named.members[0]);
      default:
        return '';
    }
  }

  /** @throws {SampleTooLarge} */
  #count(more: number): void {
    this.#elements += more;
    if (this.#elements <= MOST.elements) return;
    throw new SampleTooLarge(`A message of it cannot have fewer than ${MOST.elements} elements.`);
  }

  #content(type: Type, namespace: string, depth: number): { readonly attributes: string; readonly content: string } {
    if (typeof type === 'string') return { attributes: '', content: this.#scalar(type) };
    const named = this.#types[type.ref]!;
    if (named.kind === 'array') {
      return { attributes: '', content: this.elements(named.item, namespace, depth + 1) };
    }
    if (named.kind !== 'object') return { attributes: '', content: escapeText(this.text(type)) };
    if (!named.abstract) return this.#object(named, namespace, depth);
    const [key, derived] = this.#concrete(type.ref) ?? [];
    if (key === undefined || derived === undefined) return { attributes: '', content: '' };
    const { attributes, content } = this.#object(derived, namespace, depth);
    const instance = ' xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"';
    const typeName = ` xmlns:d="${escapeAttribute(derived.namespace)}" xsi:type="d:${derived.name}"`;
    return { attributes: `${instance}${typeName}${attributes}`, content };
  }

  #scalar(type: ScalarType): string {
    if (type === 'xml') return '<sample xmlns="urn:sample">text</sample>';
    // An empty data set is the least that can be written without a schema.
    return type === 'DataSet' || type === 'DataTable' ? '' : escapeText(sampleOf(type));
  }

  #object(type: ObjectType, namespace: string, depth: number) {
    const line = this.#lineOf(type);
    const attributes = line
      .flatMap(({ attributes }) => attributes)
      .map((attribute, index) => this.#attribute(attribute, index));
    const text = line.find((each) => each.text !== undefined)?.text;
    const content =
      text === undefined
        ? line
            .map((each) => each.content.map((particle) => this.#particle(particle, namespace, depth + 1)).join(''))
            .join('')
        : escapeText(this.text(text));
    return { attributes: attributes.join(''), content };
  }

  /** A type and those it extends, the outermost base first. */
  #lineOf(type: ObjectType): ObjectType[] {
    const base = type.extends === undefined ? undefined : this.#types[type.extends];
    return base?.kind === 'object' ? [...this.#lineOf(base), type] : [type];
  }

  #concrete(key: string): [string, ObjectType] | undefined {
    for (const [derived, type] of Object.entries(this.#types)) {
      if (type.kind !== 'object' || type.extends !== key) continue;
      const found: [string, ObjectType] | undefined = type.abstract ? this.#concrete(derived) : [derived, type];
      if (found !== undefined) return found;
    }
    return undefined;
  }

  #particle(particle: Particle, namespace: string, depth: number): string {
    switch (particle.kind) {
      case 'any':
        this.#count(particle.min);
        return '<sample xmlns="urn:sample">text</sample>'.repeat(particle.min);
      case 'choice': {
        if (particle.min === 0 && (depth > MAX_DEPTH || this.#elements > ENOUGH_ELEMENTS)) return '';
        const branch = particle.content.find((each) => !this.#endless(each)) ?? particle.content[0];
        return branch === undefined ? '' : this.#particle(branch, namespace, depth);
      }
      case 'sequence':
        if (particle.min === 0 && (depth > MAX_DEPTH || this.#elements > ENOUGH_ELEMENTS)) return '';
        return particle.content.map((each) => this.#particle(each, namespace, depth)).join('');
      default:
        return this.elements(particle, namespace, depth);
    }
  }

  /** Whether a branch always leads back to a type that has it, as far as its first element shows. */
  #endless(particle: Particle, seen: ReadonlySet<string> = new Set()): boolean {
    if ('content' in particle || particle.kind === 'any') return false;
    if (particle.min === 0 || typeof particle.type === 'string') return false;
    const { ref } = particle.type;
    if (seen.has(ref)) return true;
    const type = this.#types[ref];
    return type?.kind === 'object' && type.content.some((each) => this.#endless(each, new Set([...seen, ref])));
  }

  /** @param index of the attribute in its element: each has a prefix of its own. */
  #attribute({ name, namespace, type, fixed }: Attribute, index: number): string {
    const value = escapeAttribute(fixed ?? this.text(type));
    if (namespace === '') return ` ${name}="${value}"`;
    if (namespace === 'http://www.w3.org/XML/1998/namespace')
      return ` xml:${name}="${name === 'lang' ? 'en' : name === 'space' ? 'preserve' : value}"`;
    return ` xmlns:a${index}="${escapeAttribute(namespace)}" a${index}:${name}="${value}"`;
  }
}

/** A value of bytes within its bounds, which count bytes. */
function bytes(type: Type, { length, minLength, maxLength }: Facets): string {
  const count = length ?? Math.min(maxLength ?? 3, Math.max(minLength ?? 0, 3));
  if (count > MOST.chars) throw new SampleTooLarge(`A value of it cannot have fewer than ${MOST.chars} bytes.`);
  return Buffer.alloc(count, 'A').toString(type === 'hexBinary' ? 'hex' : 'base64');
}

/** A text within its bounds. */
function faceted(text: string, facets: Facets): string {
  const { length, minLength, maxLength, minInclusive, minExclusive, maxInclusive, maxExclusive, patterns } = facets;
  const least = length ?? minLength ?? 0;
  if (least > MOST.chars) throw new SampleTooLarge(`A text of it cannot have fewer than ${MOST.chars} characters.`);
  if (patterns?.[0] !== undefined) {
    const sample = patternSample(patterns[0]);
    if (sample !== undefined) return sample.padEnd(least, '1');
  }
  if (minInclusive !== undefined) return minInclusive;
  if (maxInclusive !== undefined) return maxInclusive;
  if (minExclusive !== undefined && /^-?\d+$/.test(minExclusive)) return String(BigInt(minExclusive) + 1n);
  if (maxExclusive !== undefined && /^-?\d+$/.test(maxExclusive)) return String(BigInt(maxExclusive) - 1n);
  return text.padEnd(least, 'x').slice(0, length ?? maxLength ?? Number.POSITIVE_INFINITY);
}

/** What a message of an operation holds in its body. @throws {SampleTooLarge} */
export function sampleBody(service: Service, operation: Service['operations'][number]): string {
  const writer = new SampleWriter(service);
  const { input, parameters, style } = operation;
  if (style === 'bare') return parameters.map((element) => writer.element(element)).join('');
  const outer = input.namespace;
  const content = parameters.map((element) => writer.elements(element, outer)).join('');
  return `<${input.name} xmlns="${escapeAttribute(outer)}">${content}</${input.name}>`;
}
