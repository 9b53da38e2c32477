import type { Operation } from '../../contract/service.ts';
import type {
  Any,
  ArrayType,
  Attribute,
  Element,
  NamedType,
  Particle,
  Type,
} from '../../contract/types.ts';
import { SOAP_ENCODING, XML, XSD, XSI } from '../../xml/namespace-names.ts';
import { escapeAttribute, escapeText } from '../../xml/writer.ts';
import { anyOf, MARKUP } from './markup.ts';
import type { Placeholder, SamplePart } from './parts.ts';
import { isSaid, MOST_SHOWN, type SampleTypes } from './types.ts';

/** How often what may repeat is written: as in ASP.NET. */
const REPEATS = 2;

/** How deep optional parts of a message are still written: a recursive type must come to an end. */
const MAX_DEPTH = 8;

/**
 * After so many elements of a message only what is required is written: optional parts of parts
 * multiply.
 */
const ENOUGH_ELEMENTS = 1_000;

/**
 * Elements of a message, levels of them, and characters of a text, at most. A contract that
 * requires more means harm, or no client.
 */
export const MOST = { elements: 10_000, levels: 300, chars: 100_000 } as const;

/** A message of a contract cannot be written as a sample. The message is one sentence. */
export class SampleTooLarge extends Error {
  override readonly name = 'SampleTooLarge';
}

/** Where an element is written. */
export interface Placement {
  /** The default namespace in scope. */
  readonly outer: string;
  /** That of elements which name none. */
  readonly inner: string;
  /** That of the schema of the type around it, if there is one. */
  readonly target?: string;
  /** Before its line and those of its content. */
  readonly indent: string;
}

/** What is between the tags of an element, and in the first. */
interface Inside {
  readonly attributes: readonly SamplePart[];
  readonly content: readonly SamplePart[];
}

export interface SampleLayout {
  /**
   * On lines of their own, as ASP.NET's pages show them, whatever their types ask for: each member
   * once, one that refers to itself as nil. Otherwise a message that a service takes.
   */
  readonly isPage: boolean;
  /** Whether messages are in SOAP encoding, in which anything may be null. */
  readonly encoded?: boolean;
}

/**
 * Writes elements of a contract with plausible values: every member once, what may repeat twice.
 */
export class SampleXml {
  readonly #types: SampleTypes;
  readonly #layout: SampleLayout;
  /** What ends a line, and how much further the lines inside an element stand. */
  readonly #end: string;
  readonly #step: string;
  /** The types around what is written. */
  readonly #open = new Set<string>();
  #elements = 0;
  /** The declaration that a value of the open element needs. */
  #prefixed = '';

  constructor(types: SampleTypes, layout: SampleLayout) {
    this.#types = types;
    this.#layout = layout;
    this.#end = layout.isPage ? '\n' : '';
    this.#step = layout.isPage ? '  ' : '';
  }

  /**
   * What a message has in its body.
   * @param name that of the body's element. @param inner the namespace of elements that name none.
   * @throws {SampleTooLarge}
   */
  body(
    elements: readonly Element[],
    { style }: Pick<Operation, 'style'>,
    { name, namespace }: { readonly name: string; readonly namespace: string },
    { inner, indent }: Omit<Placement, 'outer'>,
  ): SamplePart[] {
    if (style === 'bare') {
      const [only, second] = elements;
      // One has the name of the body's element, several have their own.
      const isAlone = only !== undefined && second === undefined;
      const named = isAlone ? [{ ...only, name, namespace }] : elements;
      return named.flatMap((each) => this.element(each, { outer: '', inner, indent }));
    }
    const around = { outer: namespace, inner, indent: indent + this.#step };
    const children = elements.flatMap((each) => this.elements(each, around));
    const start = `${indent}<${name} xmlns="${escapeAttribute(namespace)}"`;
    if (children.length === 0) return [`${start} />${this.#end}`];
    const end = `${indent}</${name}>${this.#end}`;
    return [`${start}>${this.#end}`, ...children, end];
  }

  /** An element as often as it is written where it may repeat. @throws {SampleTooLarge} */
  elements(element: Element, around: Placement, depth = 0): SamplePart[] {
    const count = this.#countOf(element, depth);
    return Array.from({ length: count }, () => this.element(element, around, depth)).flat();
  }

  #countOf({ min = 0, max = 1 }: Element, depth: number): number {
    if (this.#layout.isPage) return max === 1 ? 1 : REPEATS;
    const most = max === 'unbounded' ? REPEATS : Math.min(max, REPEATS);
    const count = this.#isBrief(depth) ? min : Math.max(min, most);
    if (count > MOST.elements) this.#count(count);
    return count;
  }

  /** Whether optional parts are left out. */
  #isBrief(depth: number): boolean {
    if (this.#layout.isPage) return false;
    return depth > MAX_DEPTH || this.#elements > ENOUGH_ELEMENTS;
  }

  #count(more: number): void {
    this.#elements += more;
    if (this.#layout.isPage || this.#elements <= MOST.elements) return;
    throw new SampleTooLarge(`A message of it cannot have fewer than ${MOST.elements} elements.`);
  }

  /** One element. @throws {SampleTooLarge} */
  element(element: Element, { outer, inner, indent }: Placement, depth = 0): SamplePart[] {
    this.#count(1);
    if (depth > MOST.levels)
      throw new SampleTooLarge(
        `A message of it cannot have fewer than ${MOST.levels} elements inside each other.`,
      );
    const { name, namespace = inner } = element;
    const declared = namespace === outer ? '' : ` xmlns="${escapeAttribute(namespace)}"`;
    const start = `${indent}<${name}${declared}`;
    if (this.#endsAt(element, depth))
      return [`${start} xmlns:xsi="${XSI}" xsi:nil="true" />${this.#end}`];
    const around = this.#prefixed;
    this.#prefixed = '';
    const { attributes, content } = this.#inside(element, namespace, indent + this.#step, depth);
    const head = [start, this.#prefixed, ...attributes];
    this.#prefixed = around;
    if (content.length === 0) return [...head, ` />${this.#end}`];
    const isText = content.every((each) => typeof each === 'object');
    return isText
      ? [...head, '>', ...content, `</${name}>${this.#end}`]
      : [...head, `>${this.#end}`, ...content, `${indent}</${name}>${this.#end}`];
  }

  /**
   * Whether a recursive type comes to its end: where it may be nil (XML Schema 1, 2.6.2), on a page
   * anywhere.
   */
  #endsAt({ type, nillable }: Element, depth: number): boolean {
    if (typeof type === 'string') return false;
    if (this.#layout.isPage) return this.#open.has(this.#types.shown(type.ref));
    return depth > MAX_DEPTH && (nillable === true || this.#layout.encoded === true);
  }

  #inside(element: Element, namespace: string, indent: string, depth: number): Inside {
    const { type, fixed } = element;
    if (fixed !== undefined) return textOnly({ placeholder: fixed, filled: escapeText(fixed) });
    const key = typeof type === 'string' ? '' : this.#types.shown(type.ref);
    const named = this.#types.named[key];
    if (named?.kind !== 'array' && named?.kind !== 'object') return textOnly(this.#text(element));
    if (this.#layout.isPage && this.#elements >= MOST_SHOWN) return textOnly(this.#text({ type }));
    const around = { outer: namespace, inner: this.#types.inner(named), indent };
    this.#open.add(key);
    const inside =
      named.kind === 'array' ? this.#array(named, around, depth) : this.#object(key, around, depth);
    this.#open.delete(key);
    if (key === (type as { readonly ref: string }).ref) return inside;
    return { ...inside, attributes: [this.#typed(named, namespace), ...inside.attributes] };
  }

  #typed(named: NamedType, outer: string): string {
    const namespace = this.#types.namespaceOf(named);
    const instance = ` xmlns:xsi="${XSI}"`;
    if (namespace === outer) return `${instance} xsi:type="${named.name}"`;
    return `${instance} xmlns:q="${escapeAttribute(namespace)}" xsi:type="q:${named.name}"`;
  }

  #array({ item, rank = 1 }: ArrayType, around: Placement, depth: number): Inside {
    if (rank === 1) return { attributes: [], content: this.elements(item, around, depth + 1) };
    // As many as it has dimensions: one in each but the last.
    const sizes = `[${'1,'.repeat(rank - 1)}${item.max === 'unbounded' ? REPEATS : item.max}]`;
    const type = ` xmlns:e="${SOAP_ENCODING}" xmlns:x="${XSD}" e:arrayType="x:anyType${sizes}"`;
    return { attributes: [type], content: this.elements(item, around) };
  }

  #object(key: string, around: Placement, depth: number): Inside {
    if (this.#types.isAbstract(key) && !this.#layout.isPage) return NOTHING;
    const line = this.#types.lineOf(key);
    const attributes = this.#types
      .attributesOf(key)
      .flatMap((attribute, index) => this.#attribute(attribute, index));
    const text = line.find((each) => each.text !== undefined)?.text;
    if (text !== undefined) return { attributes, content: [this.#text({ type: text })] };
    const content = line.flatMap((each) => {
      const [inner, target] = [this.#types.inner(each), this.#types.namespaceOf(each)];
      const inside = { ...around, inner, target };
      return (each.content ?? []).flatMap((particle) =>
        this.#particle(particle, inside, depth + 1),
      );
    });
    return { attributes, content };
  }

  #particle(particle: Particle, around: Placement, depth: number): SamplePart[] {
    if (particle.kind === 'any') return this.#any(particle, around);
    if (!('content' in particle)) return this.elements(particle, around, depth);
    const { kind, min, content } = particle;
    if (min === 0 && this.#isBrief(depth)) return [];
    const branch = content.find((each) => !this.#endless(each)) ?? content[0];
    const written = kind === 'sequence' || branch === undefined ? content : [branch];
    return written.flatMap((each) => this.#particle(each, around, depth));
  }

  #any({ min = 1, namespace }: Any, { indent, target = '' }: Placement): SamplePart[] {
    if (this.#layout.isPage) return [indent, { placeholder: 'xml', filled: '' }, this.#end];
    this.#count(min);
    return [anyOf(namespace, target).repeat(min)];
  }

  /**
   * Whether what a branch requires leads back to itself, as far as elements outside of groups show.
   */
  #endless(branch: Particle): boolean {
    const above = new Set<string>();
    const done = new Set<string>();
    const open = this.#requiredBy([branch]);
    for (let key = open.at(-1); key !== undefined; key = open.at(-1)) {
      if (above.has(key) || done.has(key)) {
        open.pop();
        above.delete(key);
        done.add(key);
        continue;
      }
      above.add(key);
      const next = this.#requiredBy(this.#types.lineOf(key).at(-1)?.content ?? []);
      if (next.some((each) => above.has(each))) return true;
      open.push(...next);
    }
    return false;
  }

  /** The types of objects that must be there. */
  #requiredBy(particles: readonly Particle[]): string[] {
    return particles.flatMap((each) => {
      if ('content' in each || each.kind === 'any') return [];
      if (each.min === 0 || typeof each.type === 'string') return [];
      return this.#types.named[each.type.ref]?.kind === 'object' ? [each.type.ref] : [];
    });
  }

  /** @param index of the attribute in its element: each has a prefix of its own. */
  #attribute({ name, namespace = '', type, fixed }: Attribute, index: number): SamplePart[] {
    if (namespace === XML && name === 'lang') return [' xml:lang="en"'];
    if (namespace === XML && name === 'space') return [' xml:space="preserve"'];
    const value: SamplePart =
      fixed === undefined
        ? this.#text({ type }, escapeAttribute)
        : { placeholder: fixed, filled: escapeAttribute(fixed) };
    if (namespace === '') return [` ${name}="`, value, '"'];
    if (namespace === XML) return [` xml:${name}="`, value, '"'];
    const declared = ` xmlns:a${index}="${escapeAttribute(namespace)}"`;
    return [`${declared} a${index}:${name}="`, value, '"'];
  }

  #text({ type, sample }: Pick<Element, 'type' | 'sample'>, escaped = escapeText): Placeholder {
    const placeholder = this.#types.wording(type);
    const markup = typeof type === 'string' ? MARKUP[type] : undefined;
    if (markup !== undefined) return { placeholder, filled: markup };
    return { placeholder, filled: escaped(isSaid(type, sample) ? sample : this.#textOf(type)) };
  }

  /** A name gets a prefix, which the element around it declares. */
  #textOf(type: Type): string {
    const text = this.#types.text(type, (clark) => {
      const name = /^\{([^}]+)\}(.*)$/.exec(clark);
      if (name === null) return clark;
      this.#prefixed = ` xmlns:n="${escapeAttribute(name[1]!)}"`;
      return `n:${name[2]}`;
    });
    if (text.length <= MOST.chars) return text;
    throw new SampleTooLarge(`A text of it cannot have fewer than ${MOST.chars} characters.`);
  }
}

const NOTHING: Inside = { attributes: [], content: [] };

function textOnly(text: Placeholder): Inside {
  return { attributes: [], content: [text] };
}
