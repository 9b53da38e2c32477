import type { Element, Particle, Type } from '../../contract/types.ts';
import { SCALARS } from '../../lexical/scalars.ts';
import { joined, type SamplePart } from './parts.ts';
import { isSaid, MOST_SHOWN, type SampleTypes } from './types.ts';

/**
 * Writes values of a contract's types in JSON: each member once, with a placeholder for its text.
 */
export class SampleJson {
  readonly #types: SampleTypes;
  /** The types around what is written: one that refers to itself ends there. */
  readonly #open = new Set<string>();
  #elements = 0;

  constructor(types: SampleTypes) {
    this.#types = types;
  }

  /** The value of an element. @param indent of the lines that it goes on in. */
  element(element: Element, indent: string): SamplePart[] {
    const value = this.#value(element, indent);
    return (element.max ?? 1) === 1 ? value : ['[', ...value, ']'];
  }

  #value(element: Pick<Element, 'type' | 'sample'>, indent: string): SamplePart[] {
    const { type } = element;
    if (type === 'DataSet' || type === 'DataTable') return ['{ "tables": {} }'];
    this.#elements++;
    if (typeof type === 'string') return this.#text(element);
    const key = this.#types.shown(type.ref);
    const named = this.#types.named[key];
    if (named?.kind !== 'array' && named?.kind !== 'object') return this.#text(element);
    if (this.#open.has(key)) return ['null'];
    if (this.#elements >= MOST_SHOWN)
      return [{ placeholder: this.#types.wording(type), filled: 'null' }];
    this.#open.add(key);
    const written =
      named.kind === 'array'
        ? ['[', ...this.#value(named.item, indent), ']']
        : this.#object(key, type.ref, indent);
    this.#open.delete(key);
    return written;
  }

  #text({ type, sample }: Pick<Element, 'type' | 'sample'>): SamplePart[] {
    const placeholder = this.#types.wording(type);
    const filled = isSaid(type, sample) ? sample : this.#types.text(type);
    if (this.#isBare(type) && filled !== '') return [{ placeholder, filled }];
    const text: SamplePart = { placeholder, filled: JSON.stringify(filled).slice(1, -1) };
    return this.#isList(type) ? ['["', text, '"]'] : ['"', text, '"'];
  }

  #isList(type: Type): boolean {
    const named = typeof type === 'string' ? undefined : this.#types.named[type.ref];
    return named?.kind === 'list' || (named?.kind === 'enumeration' && named.flags === true);
  }

  /** Whether a text stands without quotes. */
  #isBare(type: Type): boolean {
    if (typeof type === 'string') return ['number', 'boolean'].includes(SCALARS[type].json);
    const named = this.#types.named[type.ref];
    return named?.kind === 'simple' && this.#isBare(named.base);
  }

  #object(key: string, declared: string, indent: string): SamplePart[] {
    const line = this.#types.lineOf(key);
    const inside = `${indent}  `;
    const member = (name: string, value: readonly SamplePart[]): SamplePart[] => [
      `${inside}${JSON.stringify(name)}: `,
      ...value,
    ];
    const elements = line.flatMap(({ content = [] }) => elementsOf(content));
    const attributes = this.#types.attributesOf(key);
    const text = line.find((each) => each.text !== undefined)?.text;
    const members = [
      ...(key === declared ? [] : [member('__type', [JSON.stringify(key)])]),
      ...elements.map((each) => member(each.property ?? each.name, this.element(each, inside))),
      ...attributes.map((each) => member(each.property ?? each.name, this.#value(each, inside))),
      ...(text === undefined ? [] : [member('value', this.#value({ type: text }, inside))]),
    ];
    if (members.length === 0) return ['{}'];
    return ['{\n', ...joined(members, ',\n'), `\n${indent}}`];
  }
}

/** Elements that are shown: of a choice the first branch. */
function elementsOf(particles: readonly Particle[]): readonly Element[] {
  return particles.flatMap((particle): readonly Element[] => {
    switch (particle.kind) {
      case 'any':
        return [];
      case 'choice':
        return elementsOf(particle.content.slice(0, 1));
      case 'sequence':
        return elementsOf(particle.content);
      default:
        return [particle];
    }
  });
}
