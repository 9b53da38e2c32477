import { sampleOf } from '@ws01/asmx/internal/contract/scalar-facts';
import { Pattern } from '@ws01/asmx/internal/lexical/pattern/pattern';
import { Extensions } from '@ws01/asmx/internal/values/extensions';
import { inBody } from '@ws01/asmx/internal/values/message-plan';
import { SOAP_ENCODING, XML, XSD, XSI } from '@ws01/asmx/internal/xml/namespace-names';
import { escapeAttribute, escapeText } from '@ws01/asmx/internal/xml/writer';
import type {
  Attribute,
  Element,
  Facets,
  NamedType,
  ObjectType,
  Operation,
  Particle,
  ScalarType,
  Service,
  Type,
} from '../normal-form.ts';
import { patternSample } from './pattern-sample.ts';

/** How deep optional parts are still written: a recursive type must come to an end. */
const MAX_DEPTH = 8;

/** How often what may repeat is written. */
const REPEATS = 2;

/** After so many elements of a message only what is required is written: optional parts of parts multiply. */
const ENOUGH_ELEMENTS = 1_000;

/** Elements of a message, levels of them, and characters of a text, at most. A contract that requires more means harm, or no client. */
const MOST = { elements: 10_000, levels: 300, chars: 100_000 } as const;

/** A message of a contract cannot be written as a sample. The message is one sentence. */
export class SampleTooLarge extends Error {
  override readonly name = 'SampleTooLarge';
}

const FAMILIES = new WeakMap<Service['types'], Extensions>();

/** Those of a contract are found once for all its messages. */
function familiesOf(types: Service['types']): Extensions {
  let families = FAMILIES.get(types);
  if (families === undefined) {
    families = new Extensions(types);
    FAMILIES.set(types, families);
  }
  return families;
}

/** Writes messages of a contract with plausible values: every member once, what may repeat twice. */
export class SampleWriter {
  readonly #types: Service['types'];
  readonly #families: Extensions;
  #elements = 0;
  /** The declaration that a value of the open element needs. */
  #prefixed = '';

  /** Whether messages are in SOAP encoding, in which anything may be null. */
  readonly #encoded: boolean;

  constructor({ types }: Pick<Service, 'types'>, encoded = false) {
    this.#encoded = encoded;
    this.#types = types;
    this.#families = familiesOf(types);
  }

  /** One element with its content. @param outer the default namespace where it stands. */
  element(element: Element, outer = '', depth = 0): string {
    this.#count(1);
    if (depth > MOST.levels)
      throw new SampleTooLarge(
        `A message of it cannot have fewer than ${MOST.levels} elements inside each other.`,
      );
    const { name, namespace, type, fixed } = element;
    const declared = namespace === outer ? '' : ` xmlns="${escapeAttribute(namespace)}"`;
    // What must be there and may be nil ends a recursive type (XML Schema 1, 2.6.2).
    const mayBeNil = element.nillable || this.#encoded;
    if (depth > MAX_DEPTH && mayBeNil && typeof type !== 'string')
      return `<${name}${declared} xmlns:xsi="${XSI}" xsi:nil="true" />`;
    const around = this.#prefixed;
    this.#prefixed = '';
    const { attributes: own, content } =
      fixed === undefined
        ? this.#content(type, namespace, depth)
        : { attributes: '', content: escapeText(fixed) };
    const attributes = this.#prefixed + own;
    this.#prefixed = around;
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
    /** Of the restrictions of the type, the outermost first. */
    const facets: Facets[] = [];
    let at: Type | undefined = type;
    let text = '';
    while (at !== undefined) {
      if (typeof at === 'string') {
        text = sampleOf(at);
        break;
      }
      const named: NamedType = this.#types[at.ref]!;
      if (
        named.kind === 'simple' &&
        (named.base === 'hexBinary' || named.base === 'base64Binary')
      ) {
        text = bytes(named.base, named.facets ?? {});
        break;
      }
      if (named.kind === 'enumeration')
        text = this.#prefixedName(named.values[0] ?? '', named.base);
      if (named.kind === 'simple') facets.push(named.facets ?? {});
      at = madeOf(named);
    }
    return facets.reduceRight(faceted, text);
  }

  /** A name in Clark's notation with a prefix, which the element around it declares. */
  #prefixedName(value: string, base: ScalarType): string {
    const name = base === 'QName' ? /^\{([^}]+)\}(.*)$/.exec(value) : null;
    if (name === null) return value;
    this.#prefixed = ` xmlns:q="${escapeAttribute(name[1]!)}"`;
    return `q:${name[2]}`;
  }

  /** @throws {SampleTooLarge} */
  #count(more: number): void {
    this.#elements += more;
    if (this.#elements <= MOST.elements) return;
    throw new SampleTooLarge(`A message of it cannot have fewer than ${MOST.elements} elements.`);
  }

  #content(
    type: Type,
    namespace: string,
    depth: number,
  ): { readonly attributes: string; readonly content: string } {
    if (typeof type === 'string') return { attributes: '', content: this.#scalar(type) };
    const named = this.#types[type.ref]!;
    if (named.kind === 'array') {
      const { item, rank = 1 } = named;
      // As many as it has dimensions: one in each but the last.
      const sizes = `[${'1,'.repeat(rank - 1)}${item.max === 'unbounded' ? REPEATS : item.max}]`;
      const attributes =
        rank === 1
          ? ''
          : ` xmlns:e="${SOAP_ENCODING}" xmlns:x="${XSD}" e:arrayType="x:anyType${sizes}"`;
      return { attributes, content: this.elements(item, namespace, rank > 1 ? 0 : depth + 1) };
    }
    if (named.kind !== 'object') return { attributes: '', content: escapeText(this.text(type)) };
    if (!named.abstract) return this.#object(type.ref, namespace, depth);
    const key = this.#concrete(type.ref);
    if (key === undefined) return { attributes: '', content: '' };
    const derived = this.#types[key] as ObjectType;
    const { attributes, content } = this.#object(key, namespace, depth);
    const instance = ` xmlns:xsi="${XSI}"`;
    const typeName = ` xmlns:d="${escapeAttribute(derived.namespace)}" xsi:type="d:${derived.name}"`;
    return { attributes: `${instance}${typeName}${attributes}`, content };
  }

  #scalar(type: ScalarType): string {
    if (type === 'xml') return '<sample xmlns="urn:sample">text</sample>';
    if (type === 'DataSet') return sampleRows('NewDataSet', '');
    if (type === 'DataTable') return sampleRows('DocumentElement', ' msdata:MainDataTable="Table"');
    return escapeText(sampleOf(type));
  }

  #object(key: string, namespace: string, depth: number) {
    const line = this.#families.membersOf(key).map((each) => this.#types[each] as ObjectType);
    const attributes = line
      .flatMap(({ attributes }) => attributes)
      .map((attribute, index) => this.#attribute(attribute, index));
    const text = line.find((each) => each.text !== undefined)?.text;
    const content =
      text === undefined
        ? line
            .map((each) =>
              each.content
                .map((particle) => this.#particle(particle, namespace, depth + 1))
                .join(''),
            )
            .join('')
        : escapeText(this.text(text));
    return { attributes: attributes.join(''), content };
  }

  /** The first type that may replace an abstract one. */
  #concrete(key: string): string | undefined {
    return this.#families
      .descendants(key)
      .find((each) => !(this.#types[each] as ObjectType).abstract);
  }

  #particle(particle: Particle, namespace: string, depth: number): string {
    switch (particle.kind) {
      case 'any':
        this.#count(particle.min);
        return '<sample xmlns="urn:sample">text</sample>'.repeat(particle.min);
      case 'choice': {
        if (particle.min === 0 && (depth > MAX_DEPTH || this.#elements > ENOUGH_ELEMENTS))
          return '';
        const branch = particle.content.find((each) => !this.#endless(each)) ?? particle.content[0];
        return branch === undefined ? '' : this.#particle(branch, namespace, depth);
      }
      case 'sequence':
        if (particle.min === 0 && (depth > MAX_DEPTH || this.#elements > ENOUGH_ELEMENTS))
          return '';
        return particle.content.map((each) => this.#particle(each, namespace, depth)).join('');
      default:
        return this.elements(particle, namespace, depth);
    }
  }

  /** Whether what a branch requires leads back to itself, as far as elements outside of groups show. */
  #endless(branch: Particle): boolean {
    const requiredBy = (particles: readonly Particle[]) =>
      particles.flatMap((each) => {
        if (
          'content' in each ||
          each.kind === 'any' ||
          each.min === 0 ||
          typeof each.type === 'string'
        )
          return [];
        return this.#types[each.type.ref]?.kind === 'object' ? [each.type.ref] : [];
      });
    const above = new Set<string>();
    const done = new Set<string>();
    const open = requiredBy([branch]);
    for (let key = open.at(-1); key !== undefined; key = open.at(-1)) {
      if (above.has(key) || done.has(key)) {
        open.pop();
        above.delete(key);
        done.add(key);
        continue;
      }
      above.add(key);
      const next = requiredBy((this.#types[key] as ObjectType).content);
      if (next.some((each) => above.has(each))) return true;
      open.push(...next);
    }
    return false;
  }

  /** @param index of the attribute in its element: each has a prefix of its own. */
  #attribute({ name, namespace, type, fixed }: Attribute, index: number): string {
    const value = escapeAttribute(fixed ?? this.text(type));
    if (namespace === '') return ` ${name}="${value}"`;
    if (namespace === XML)
      return ` xml:${name}="${name === 'lang' ? 'en' : name === 'space' ? 'preserve' : value}"`;
    return ` xmlns:a${index}="${escapeAttribute(namespace)}" a${index}:${name}="${value}"`;
  }
}

/** What a text of a simple type is a text of; `undefined` for what says its texts itself. */
function madeOf(type: NamedType): Type | undefined {
  if (type.kind === 'simple') return type.base;
  if (type.kind === 'list') return type.item;
  return type.kind === 'union' ? type.members[0] : undefined;
}

/** A value of bytes within its bounds, which count bytes. */
function bytes(type: Type, { length, minLength, maxLength }: Facets): string {
  const count = length ?? Math.min(maxLength ?? 3, Math.max(minLength ?? 0, 3));
  if (count > MOST.chars)
    throw new SampleTooLarge(`A value of it cannot have fewer than ${MOST.chars} bytes.`);
  return Buffer.alloc(count, 'A').toString(type === 'hexBinary' ? 'hex' : 'base64');
}

/** A table with a row, as .NET writes it: its schema, then what it holds. @param inside the element around the rows. */
function sampleRows(inside: string, facts: string): string {
  const msdata = 'xmlns:msdata="urn:schemas-microsoft-com:xml-msdata"';
  const column = '<xs:element name="Name" type="xs:string" minOccurs="0" />';
  const row = `<xs:complexType><xs:sequence>${column}</xs:sequence></xs:complexType>`;
  const table = `<xs:element name="Table">${row}</xs:element>`;
  const tables = `<xs:choice minOccurs="0" maxOccurs="unbounded">${table}</xs:choice>`;
  const root = `name="NewDataSet" msdata:IsDataSet="true"${facts}`;
  const set = `<xs:element ${root}><xs:complexType>${tables}</xs:complexType></xs:element>`;
  const content = `<Table diffgr:id="Table1" msdata:rowOrder="0"><Name>text</Name></Table>`;
  return (
    `<xs:schema id="NewDataSet" xmlns="" xmlns:xs="${XSD}" ${msdata}>${set}</xs:schema>` +
    `<diffgr:diffgram xmlns:diffgr="urn:schemas-microsoft-com:xml-diffgram-v1" ${msdata}>` +
    `<${inside} xmlns="">${content}</${inside}></diffgr:diffgram>`
  );
}

/** A number with as many digits as it may have. */
function shortened(
  text: string,
  { totalDigits = Number.POSITIVE_INFINITY, fractionDigits }: Facets,
): string {
  const [integer = '', fraction = ''] = text.split('.');
  const whole = integer.slice(0, totalDigits);
  const rest = fraction.slice(
    0,
    Math.min(fractionDigits ?? fraction.length, totalDigits - whole.length),
  );
  return rest === '' ? whole : `${whole}.${rest}`;
}

function isMatch(text: string, patterns: readonly string[]): boolean {
  try {
    return patterns.every((each) => new Pattern(each).matches(text));
  } catch {
    return false;
  }
}

/** A text within its bounds. */
function faceted(given: string, facets: Facets): string {
  const isNumber = facets.totalDigits !== undefined || facets.fractionDigits !== undefined;
  const text = isNumber ? shortened(given, facets) : given;
  const {
    length,
    minLength,
    maxLength,
    minInclusive,
    minExclusive,
    maxInclusive,
    maxExclusive,
    patterns,
  } = facets;
  const least = length ?? minLength ?? 0;
  if (least > MOST.chars)
    throw new SampleTooLarge(`A text of it cannot have fewer than ${MOST.chars} characters.`);
  if (patterns?.[0] !== undefined && !isMatch(text, patterns)) {
    const sample = patternSample(patterns[0]);
    if (sample !== undefined) return sample.padEnd(least, '1');
  }
  if (minInclusive !== undefined) return minInclusive;
  if (maxInclusive !== undefined) return maxInclusive;
  if (minExclusive !== undefined && /^-?\d+$/.test(minExclusive))
    return String(BigInt(minExclusive) + 1n);
  if (maxExclusive !== undefined && /^-?\d+$/.test(maxExclusive))
    return String(BigInt(maxExclusive) - 1n);
  return text.padEnd(least, 'x').slice(0, length ?? maxLength ?? Number.POSITIVE_INFINITY);
}

/** What a message of an operation holds in its body. @throws {SampleTooLarge} */
export function sampleBody(
  service: Pick<Service, 'types'>,
  { input, output, parameters, result, out, style, use }: Operation,
  kind: 'input' | 'output' = 'input',
): string {
  const results = result === undefined ? out : [result, ...out];
  const [body, elements] = kind === 'input' ? [input, parameters] : [output, results];
  if (body === undefined) return '';
  const writer = new SampleWriter(service, use === 'encoded');
  const inside = elements.filter(inBody);
  if (style === 'bare') return inside.map((element) => writer.element(element)).join('');
  const outer = body.namespace;
  const content = inside.map((element) => writer.elements(element, outer)).join('');
  return `<${body.name} xmlns="${escapeAttribute(outer)}">${content}</${body.name}>`;
}
