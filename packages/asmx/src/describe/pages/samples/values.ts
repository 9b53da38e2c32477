import { sampleOf, typeName } from '../../../contract/scalar-facts.ts';
import type { Service } from '../../../contract/service.ts';
import type {
  Attribute,
  Element,
  NamedType,
  ObjectType,
  Particle,
  Type,
} from '../../../contract/types.ts';
import { SCALARS } from '../../../lexical/scalars.ts';
import { Extensions } from '../../../values/extensions.ts';
import { XSI } from '../../../xml/namespace-names.ts';
import { escapeAttribute, escapeText } from '../../../xml/writer.ts';

/** A part of a sample: literal text, a parameter's name, or a placeholder with the value that can stand for it. */
export type SamplePart = string | { readonly key: string } | Placeholder;

export interface Placeholder {
  /** What ASP.NET shows: the type's name, or `length`. */
  readonly placeholder: string;
  /** The same place filled from the contract's sample values, encoded for where it stands. */
  readonly filled: string;
  /** Whose value it is, where the page may put the caller's own there. */
  readonly parameter?: string;
  /** How that is written there. */
  readonly writing?: Escape;
}

/** How a value is in the source of a program: in a shell's or PHP's or Delphi's single quotes, or in double ones. */
export type Escape = 'shell' | 'double' | 'php' | 'delphi';

/** How many elements of a message are written out: behind them an object is its type's name, as a text is. */
const MOST_ELEMENTS = 300;

/** How often an element is shown that may repeat: as in ASP.NET. */
const REPEATS = 2;

/** Where an element is written. */
interface Surroundings {
  /** The default namespace in scope. */
  readonly outer: string;
  /** That of elements which name none. */
  readonly inner: string;
  /** Before its line and those of its content. */
  readonly indent: string;
}

/**
 * Writes values of a contract's types as ASP.NET's pages show them: each member once, with a
 * placeholder for its text.
 */
export class SampleValues {
  readonly #types: Readonly<Record<string, NamedType>>;
  readonly #forms: NonNullable<Service['forms']>;
  readonly #namespace: string;
  readonly #families: Extensions;
  /** The types around what is written: one that refers to itself ends there. */
  readonly #open = new Set<string>();
  #elements = 0;

  constructor({ types = {}, forms = {} }: Pick<Service, 'types' | 'forms'>, namespace: string) {
    this.#types = types;
    this.#forms = forms;
    this.#namespace = namespace;
    this.#families = new Extensions(types);
  }

  /** The name and namespace that the value of a type has as a document of its own. */
  rootOf(type: Type): { readonly name: string; readonly namespace: string } {
    const named = typeof type === 'string' ? undefined : this.#types[type.ref];
    return {
      name: named?.name ?? typeName(type),
      namespace: named?.namespace ?? this.#namespace,
    };
  }

  /** An element on lines of its own, each with the line's end, as often as it is shown. */
  xml(element: Element, around: Surroundings): SamplePart[] {
    const count = (element.max ?? 1) === 1 ? 1 : REPEATS;
    return Array.from({ length: count }, () => this.#element(element, around)).flat();
  }

  #element(element: Element, { outer, inner, indent }: Surroundings): SamplePart[] {
    const { name, namespace = inner, type } = element;
    const declared = namespace === outer ? '' : ` xmlns="${escapeAttribute(namespace)}"`;
    this.#elements++;
    const key = typeof type === 'string' ? undefined : this.#shown(type.ref);
    const named = key === undefined ? undefined : this.#types[key];
    if (key === undefined || named === undefined || !this.#isWide(key, named))
      return [`${indent}<${name}${declared}>`, this.#text(element), `</${name}>\n`];
    if (this.#open.has(key))
      return [`${indent}<${name}${declared} xmlns:xsi="${XSI}" xsi:nil="true" />\n`];
    this.#open.add(key);
    const inside = { outer: namespace, inner: this.#inner(named), indent: `${indent}  ` };
    const { attributes, content } = this.#content(key, named, inside);
    this.#open.delete(key);
    const said = key === (type as { ref: string }).ref ? '' : this.#typed(named, namespace);
    const start = [`${indent}<${name}${declared}${said}`, ...attributes];
    if (content.length === 0) return [...start, ' />\n'];
    const isText = content.every((each) => typeof each === 'object');
    return isText
      ? [...start, '>', ...content, `</${name}>\n`]
      : [...start, '>\n', ...content, `${indent}</${name}>\n`];
  }

  /** A type of which members are shown, and not its name alone. */
  #isWide(key: string, { kind }: NamedType): boolean {
    if (kind !== 'array' && kind !== 'object') return false;
    return this.#elements < MOST_ELEMENTS || this.#open.has(key);
  }

  /** The type itself, or the first that may stand in place of one that is abstract. */
  #shown(key: string): string {
    const isAbstract = (each: string) => (this.#types[each] as ObjectType).abstract === true;
    if (this.#types[key]?.kind !== 'object' || !isAbstract(key)) return key;
    return this.#families.descendants(key).find((each) => !isAbstract(each)) ?? key;
  }

  #typed({ name, namespace = this.#namespace }: NamedType, outer: string): string {
    const instance = ` xmlns:xsi="${XSI}"`;
    if (namespace === outer) return `${instance} xsi:type="${name}"`;
    return `${instance} xmlns:q="${escapeAttribute(namespace)}" xsi:type="q:${name}"`;
  }

  #inner({ namespace = this.#namespace }: NamedType): string {
    return this.#forms[namespace]?.elements === 'unqualified' ? '' : namespace;
  }

  #content(
    key: string,
    named: NamedType,
    around: Surroundings,
  ): { readonly attributes: SamplePart[]; readonly content: SamplePart[] } {
    if (named.kind === 'array') return { attributes: [], content: this.xml(named.item, around) };
    const line = this.#lineOf(key);
    const attributes = line
      .flatMap(({ attributes: own = [] }) => own)
      .flatMap((each): SamplePart[] => [` ${each.name}="`, this.#text(each), '"']);
    const text = line.find((each) => each.text !== undefined)?.text;
    if (text !== undefined) return { attributes, content: [this.#text({ type: text })] };
    const content = line.flatMap((each) => {
      const inside = { ...around, inner: this.#inner(each) };
      return (each.content ?? []).flatMap((particle) => this.#particle(particle, inside));
    });
    return { attributes, content };
  }

  /** The types whose members an object has, the base first. */
  #lineOf(key: string): readonly ObjectType[] {
    return this.#families.membersOf(key).map((each) => this.#types[each] as ObjectType);
  }

  #particle(particle: Particle, around: Surroundings): SamplePart[] {
    switch (particle.kind) {
      case 'any':
        return [around.indent, { placeholder: 'xml', filled: '' }, '\n'];
      case 'choice':
        return particle.content.slice(0, 1).flatMap((each) => this.#particle(each, around));
      case 'sequence':
        return particle.content.flatMap((each) => this.#particle(each, around));
      default:
        return this.xml(particle, around);
    }
  }

  #text({
    type,
    sample,
  }: Pick<Element, 'type' | 'sample'> | (Attribute & { sample?: string })): Placeholder {
    const filled = sample === undefined || sample === '' ? this.sampleText(type) : sample;
    return { placeholder: this.#wording(type), filled: escapeText(filled) };
  }

  /** What stands for a text: its type, or what may stand there, as ASP.NET has it. */
  #wording(type: Type): string {
    const named = typeof type === 'string' ? undefined : this.#types[type.ref];
    if (named?.kind === 'enumeration') return named.values.join(named.flags ? ' ' : ' or ');
    const base = this.#madeOf(named);
    return base === undefined ? typeName(type) : this.#wording(base);
  }

  /** A plausible text of a simple type. */
  sampleText(type: Type): string {
    if (typeof type === 'string') return type === 'string' ? 'string' : sampleOf(type);
    const named = this.#types[type.ref];
    if (named?.kind === 'enumeration') return named.values[0]!;
    const base = this.#madeOf(named);
    return base === undefined ? '' : this.sampleText(base);
  }

  /** What a text of a type is a text of. */
  #madeOf(named: NamedType | undefined): Type | undefined {
    if (named?.kind === 'simple') return named.base;
    if (named?.kind === 'list') return named.item;
    return named?.kind === 'union' ? named.members[0] : undefined;
  }

  /** The value of an element in JSON. @param indent of the lines that it goes on in. */
  json(element: Element, indent: string): SamplePart[] {
    const value = this.#json(element, indent);
    return (element.max ?? 1) === 1 ? value : ['[', ...value, ']'];
  }

  #json(element: Pick<Element, 'type' | 'sample'>, indent: string): SamplePart[] {
    const { type } = element;
    if (type === 'DataSet' || type === 'DataTable') return ['{ "tables": {} }'];
    const key = typeof type === 'string' ? undefined : this.#shown(type.ref);
    const named = key === undefined ? undefined : this.#types[key];
    this.#elements++;
    if (key === undefined || named === undefined || !this.#isWide(key, named))
      return this.#jsonText(element);
    if (this.#open.has(key)) return ['null'];
    this.#open.add(key);
    const written =
      named.kind === 'array'
        ? (['[', ...this.#json(named.item, indent), ']'] as const)
        : this.#jsonObject(key, (type as { ref: string }).ref, indent);
    this.#open.delete(key);
    return [...written];
  }

  #jsonText(element: Pick<Element, 'type' | 'sample'>): SamplePart[] {
    const { type, sample } = element;
    const { placeholder } = this.#text(element);
    const filled = sample === undefined || sample === '' ? this.sampleText(type) : sample;
    if (typeof type !== 'string' && ['array', 'object'].includes(this.#types[type.ref]!.kind))
      return [{ placeholder, filled: 'null' }];
    if (this.#isBare(type)) return [{ placeholder, filled }];
    const text: SamplePart = { placeholder, filled: JSON.stringify(filled).slice(1, -1) };
    const isList = typeof type !== 'string' && this.#isFlags(type.ref);
    return isList ? ['["', text, '"]'] : ['"', text, '"'];
  }

  #isFlags(key: string): boolean {
    const named = this.#types[key];
    return named?.kind === 'list' || (named?.kind === 'enumeration' && named.flags === true);
  }

  /** Whether JSON writes a text without quotes. */
  #isBare(type: Type): boolean {
    if (typeof type === 'string')
      return SCALARS[type].json === 'number' || SCALARS[type].json === 'boolean';
    const named = this.#types[type.ref];
    return named?.kind === 'simple' && this.#isBare(named.base);
  }

  #jsonObject(key: string, declared: string, indent: string): SamplePart[] {
    const line = this.#lineOf(key);
    const inside = `${indent}  `;
    const member = (name: string, value: readonly SamplePart[]): SamplePart[] => [
      `${inside}${JSON.stringify(name)}: `,
      ...value,
    ];
    const text = line.find((each) => each.text !== undefined)?.text;
    const members = [
      ...(key === declared ? [] : [member('__type', [JSON.stringify(key)])]),
      ...line.flatMap(({ content = [] }) =>
        elementsOf(content).map((each) =>
          member(each.property ?? each.name, this.json(each, inside)),
        ),
      ),
      ...line
        .flatMap(({ attributes = [] }) => attributes)
        .map((each) => member(each.property ?? each.name, this.#json(each, inside))),
      ...(text === undefined ? [] : [member('value', this.#json({ type: text }, inside))]),
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

export function joined(lists: readonly (readonly SamplePart[])[], separator: string): SamplePart[] {
  return lists.flatMap((list, index) => (index === 0 ? list : [separator, ...list]));
}
