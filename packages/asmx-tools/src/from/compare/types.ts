import type {
  Any,
  Attribute,
  Element,
  NamedType,
  ObjectType,
  Occurs,
  Particle,
  Service,
  Type,
} from '../normal-form.ts';
import {
  type Aspect,
  type Difference,
  NEW_CLIENTS,
  NOTHING,
  reportTo,
  SOAP,
  shownNamespace,
  TYPED,
} from './difference.ts';
import { paired } from './paired.ts';

/** What has a value where it is absent. */
type Initial = Pick<Element | Attribute, 'default' | 'fixed'>;

type Named = Pick<Element, 'name' | 'namespace'>;

/** Compares elements and the types they lead to. Each pair of types is compared once. */
export class TypeComparison {
  readonly differences: Difference[] = [];
  readonly #reported = reportTo(this.differences);
  readonly #old: Service;
  readonly #ours: Service;
  readonly #met = new Set<string>();
  /**
   * Pairs of types that are still to be compared: how deep types lie in each other costs no stack.
   */
  readonly #open: (() => void)[] = [];
  /** Namespaces that differ as a whole; the comparison reports each once. */
  readonly #renamed: ReadonlyMap<string, string>;
  /** Whether what is compared is in SOAP encoding, which writes the name of each type. */
  encoded = false;

  constructor(old: Service, ours: Service, renamed: ReadonlyMap<string, string>) {
    this.#old = old;
    this.#ours = ours;
    this.#renamed = renamed;
  }

  /**
   * Lists of elements in order: parameters, results, the members of a type.
   * @param prefix `parameter `, `type Forecast/`.
   */
  elements(
    operation: string,
    prefix: string,
    old: readonly Element[],
    ours: readonly Element[],
  ): void {
    const { partners, added } = paired(old, ours, this.sameNamespace);
    const more = new Set(added);
    for (const [index, element] of old.entries()) {
      const subject = `${prefix}${element.name}`;
      const partner = partners[index];
      if (partner !== undefined) {
        this.element(operation, subject, element, partner);
        continue;
      }
      const lower = element.name.toLowerCase();
      const like = added.find((each) => each.name.toLowerCase() === lower && more.has(each));
      if (like === undefined) {
        const shown = shownType(this.#old, element);
        this.#report(operation, subject, 'presence', shown, NOTHING, 'every client');
      } else {
        this.#report(operation, subject, 'name', element.name, like.name, SOAP);
        more.delete(like);
      }
    }
    for (const element of more) {
      const [subject, shown] = [`${prefix}${element.name}`, shownType(this.#ours, element)];
      this.#report(operation, subject, 'presence', NOTHING, shown);
    }
    const moved = inOtherOrder(partners, ours);
    if (moved === undefined) return;
    const subject = prefix.endsWith('/') ? prefix.slice(0, -1) : 'order';
    const [before, after] = moved;
    this.#report(operation, subject, 'order', before, after, 'clients that go by position');
  }

  /** One element: namespace, type, how often, whether null. */
  element(operation: string, subject: string, old: Element, ours: Element): void {
    this.#namespaces(operation, subject, old, ours, SOAP);
    this.#occurs(operation, subject, old, ours);
    const nil = (element: Element) => (element.nillable ? 'may be nil' : 'never nil');
    this.#report(operation, subject, 'nullability', nil(old), nil(ours));
    this.#defaults(operation, subject, old, ours);
    const place = ({ attachment }: Element) =>
      attachment === undefined ? 'in the body' : `an attachment of ${attachment.join(', ')}`;
    this.#report(operation, subject, 'style', place(old), place(ours), SOAP);
    const [theirs, own] = [schemaOf(old, this.#old), schemaOf(ours, this.#ours)];
    if (theirs !== own) {
      const [before, after] = [theirs && 'a typed one', own && 'of another schema'];
      this.#report(operation, `${subject} DataSet`, 'type', before || NOTHING, after || NOTHING);
    }
    this.type(operation, subject, old.type, ours.type);
  }

  #defaults(operation: string, subject: string, old: Initial, ours: Initial): void {
    const initial = ({ fixed, default: value = NOTHING }: Initial) =>
      fixed === undefined ? value : `always ${fixed}`;
    this.#report(operation, `${subject} default`, 'default', initial(old), initial(ours));
  }

  /** Compares the types that were met. To be called after what leads to them. */
  settle(): void {
    for (let next = this.#open.pop(); next !== undefined; next = this.#open.pop()) next();
  }

  /** Two types in the same place. */
  type(operation: string, subject: string, old: Type, ours: Type): void {
    if (typeof old === 'string' || typeof ours === 'string') {
      this.#report(operation, subject, 'type', nameOf(this.#old, old), nameOf(this.#ours, ours));
      return;
    }
    const { encoded } = this;
    const pair = `${old.ref} ${ours.ref} ${encoded}`;
    if (this.#met.has(pair)) return;
    this.#met.add(pair);
    this.#open.push(() => {
      this.encoded = encoded;
      this.#named(operation, subject, this.#old.types[old.ref]!, this.#ours.types[ours.ref]!);
    });
  }

  readonly sameNamespace = (old: string, ours: string): boolean =>
    old === ours || this.#renamed.get(old) === ours;

  #named(operation: string, subject: string, old: NamedType, ours: NamedType): void {
    const where = `type ${old.name}`;
    this.#names(where, old, ours);
    const [before, after] = [asObject(old), asObject(ours)];
    if (before !== undefined && after !== undefined) {
      this.#objects(where, before, after);
      return;
    }
    if (old.kind !== ours.kind || (old.kind === 'array' && kindOf(old) !== kindOf(ours))) {
      this.#report(operation, subject, 'type', kindOf(old), kindOf(ours));
    } else if (old.kind === 'array' && ours.kind === 'array') {
      // What items of encoded arrays are called is nothing to clients.
      this.type('', `${where} item`, old.item.type, ours.item.type);
    } else if (old.kind === 'enumeration' && ours.kind === 'enumeration') {
      this.#values(where, old.values, ours.values);
      this.type('', where, old.base, ours.base);
      this.#report('', where, 'type', kindOf(old), kindOf(ours));
    } else if (old.kind === 'simple' && ours.kind === 'simple') {
      const facets = ({ facets = {} }: typeof old) => JSON.stringify(facets);
      this.#report('', where, 'type', facets(old), facets(ours));
      this.type('', where, old.base, ours.base);
    } else if (old.kind === 'list' && ours.kind === 'list') {
      this.type('', `${where} item`, old.item, ours.item);
    } else if (old.kind === 'union' && ours.kind === 'union') {
      const count = ({ members }: typeof old) => `${members.length} members`;
      this.#report('', where, 'type', count(old), count(ours));
      for (const [index, member] of old.members.entries()) {
        const own = ours.members[index];
        if (own !== undefined) this.type('', `${where} member ${index + 1}`, member, own);
      }
    }
  }

  /**
   * The names of types are on the wire in xsi:type: of a family, and in SOAP encoding, where arrays
   * have none.
   */
  #names(where: string, old: NamedType, ours: NamedType): void {
    const isWritten = this.encoded ? old.kind !== 'array' : this.#isOfFamily(old, ours);
    if (old.anonymous || (ours.anonymous && !isWritten)) return;
    const who = isWritten ? SOAP : NEW_CLIENTS;
    this.#report('', where, 'name', old.name, ours.name, who);
    this.#namespaces('', where, old, ours, who);
  }

  #namespaces(operation: string, subject: string, old: Named, ours: Named, who: string): void {
    if (this.sameNamespace(old.namespace, ours.namespace)) return;
    const [before, after] = [shownNamespace(old.namespace), shownNamespace(ours.namespace)];
    this.#report(operation, subject, 'namespace', before, after, who);
  }

  #isOfFamily(old: NamedType, ours: NamedType): boolean {
    if (old.kind !== 'object') return false;
    const isBase = familyOf(this.#old, old).length + familyOf(this.#ours, ours).length > 0;
    return isBase || old.extends !== undefined;
  }

  #values(where: string, old: readonly string[], ours: readonly string[]): void {
    for (const value of old) {
      if (!ours.includes(value))
        this.#report('', `${where}/${value}`, 'presence', 'a value', NOTHING);
    }
    for (const value of ours) {
      if (!old.includes(value))
        this.#report('', `${where}/${value}`, 'presence', NOTHING, 'a value');
    }
  }

  #objects(where: string, old: ObjectType, ours: ObjectType): void {
    this.#content(where, old.content, ours.content);
    this.#attributes(where, old.attributes, ours.attributes);
    const facts = (type: ObjectType) =>
      [
        type.all ? 'in any order' : 'in order',
        ...(type.abstract ? ['abstract'] : []),
        ...(type.restricts ? ['restricting its base'] : []),
        ...(type.mixed ? ['mixed with text'] : []),
        ...(type.anyAttribute ? ['any attribute'] : []),
      ].join(', ');
    this.#report('', where, 'type', facts(old), facts(ours));
    if (old.text !== undefined && ours.text !== undefined) {
      const [before, after] = [textType(old.text, this.#old), textType(ours.text, this.#ours)];
      this.type('', `${where} text`, before, after);
    } else {
      const text = ({ text }: ObjectType) => (text === undefined ? NOTHING : 'text');
      this.#report('', `${where} text`, 'type', text(old), text(ours));
    }
    this.#bases(where, old, ours);
  }

  #bases(where: string, old: ObjectType, ours: ObjectType): void {
    if (old.extends !== undefined && ours.extends !== undefined) {
      this.type('', `${where} base`, { ref: old.extends }, { ref: ours.extends });
    } else {
      const base = ({ extends: base = NOTHING }: ObjectType) => base;
      this.#report('', `${where} base`, 'type', base(old), base(ours));
    }
    const heirs = familyOf(this.#old, old);
    const { partners, added } = paired(heirs, familyOf(this.#ours, ours), this.sameNamespace);
    for (const [index, { name, ref }] of heirs.entries()) {
      const own = partners[index];
      if (own === undefined)
        this.#report('', `type ${name}`, 'presence', `extends ${old.name}`, NOTHING, SOAP);
      else this.type('', `type ${name}`, { ref }, { ref: own.ref });
    }
    for (const { name } of added)
      this.#report('', `type ${name}`, 'presence', NOTHING, `extends ${ours.name}`, '');
  }

  #content(where: string, old: readonly Particle[], ours: readonly Particle[]): void {
    if (old.every(isElement) && ours.every(isElement)) {
      this.elements('', `${where}/`, old, ours);
      return;
    }
    const [before, after] = [shownContent(old), shownContent(ours)];
    this.#report('', where, 'order', before, after);
    if (before === after) this.#same(where, old, ours);
  }

  /** Contents of one shape, part by part. */
  #same(where: string, old: readonly Particle[], ours: readonly Particle[]): void {
    for (const [index, particle] of old.entries()) {
      const own = ours[index]!;
      if (isElement(particle) && isElement(own))
        this.element('', `${where}/${particle.name}`, particle, own);
      else if ('content' in particle && 'content' in own)
        this.#same(where, particle.content, own.content);
    }
  }

  #attributes(where: string, old: readonly Attribute[], ours: readonly Attribute[]): void {
    const { partners, added } = paired(old, ours, this.sameNamespace);
    for (const [index, attribute] of old.entries()) {
      const subject = `${where}/@${attribute.name}`;
      const match = partners[index];
      if (match === undefined) {
        this.#report('', subject, 'presence', 'an attribute', NOTHING, SOAP);
        continue;
      }
      this.#namespaces('', subject, attribute, match, SOAP);
      const use = ({ required }: Attribute) => (required ? 'required' : 'optional');
      this.#report('', subject, 'nullability', use(attribute), use(match));
      this.#defaults('', subject, attribute, match);
      this.type('', subject, attribute.type, match.type);
    }
    for (const { name } of added)
      this.#report('', `${where}/@${name}`, 'presence', NOTHING, 'an attribute');
  }

  #occurs(operation: string, subject: string, old: Element, ours: Element): void {
    const isOnce = old.max === 1 || ours.max === 1;
    const most = ({ max }: Element) => {
      if (!isOnce) return `at most ${max}`;
      return max === 1 ? 'once' : 'repeated';
    };
    this.#report(operation, subject, 'occurrence', most(old), most(ours));
    const least = ({ min }: Element) => {
      if (min === 0) return 'may be absent';
      return min === 1 ? 'always there' : `at least ${min}`;
    };
    this.#report(operation, subject, 'nullability', least(old), least(ours));
  }

  #report(
    operation: string,
    subject: string,
    aspect: Aspect,
    old: string,
    ours: string,
    noticedBy = TYPED,
  ): void {
    this.#reported(operation, subject, aspect, old, ours, noticedBy);
  }
}

function nameOf(service: Service, type: Type): string {
  return typeof type === 'string' ? type : service.types[type.ref]!.name;
}

function shownType(service: Service, { type, max }: Element): string {
  return `${nameOf(service, type)}${max === 1 ? '' : '[]'}`;
}

function isElement(particle: Particle): particle is Element {
  return particle.kind === undefined || particle.kind === 'element';
}

/**
 * An array is an object with one element that repeats: on the wire there is no difference, but for
 * encoded ones.
 */
function asObject(type: NamedType): ObjectType | undefined {
  if (type.kind === 'object') return type;
  if (type.kind !== 'array' || type.encoded) return undefined;
  return {
    kind: 'object',
    name: type.name,
    namespace: type.namespace,
    content: [type.item],
    attributes: [],
  };
}

/** The type of a text: what restricts nothing is as its base, for no message names it. */
function textType(given: Type, { types }: Service): Type {
  let type = given;
  while (typeof type !== 'string') {
    const named: NamedType = types[type.ref]!;
    if (named.kind !== 'simple' || named.facets !== undefined) return type;
    type = named.base;
  }
  return type;
}

/** A type that extends another one directly. */
interface Heir {
  readonly name: string;
  readonly namespace: string;
  readonly ref: string;
}

const FAMILIES = new WeakMap<Service, ReadonlyMap<NamedType | undefined, readonly Heir[]>>();
const NO_HEIRS: readonly Heir[] = [];

/** The types that extend one directly. */
function familyOf(service: Service, base: NamedType): readonly Heir[] {
  let families = FAMILIES.get(service);
  if (families === undefined) {
    families = familiesOf(service);
    FAMILIES.set(service, families);
  }
  return families.get(base) ?? NO_HEIRS;
}

function familiesOf({ types }: Service): ReadonlyMap<NamedType | undefined, readonly Heir[]> {
  const families = new Map<NamedType | undefined, Heir[]>();
  for (const [ref, type] of Object.entries(types)) {
    if (type.kind !== 'object' || type.extends === undefined) continue;
    const { name, namespace } = type;
    const base = types[type.extends];
    const known = families.get(base);
    if (known === undefined) families.set(base, [{ name, namespace, ref }]);
    else known.push({ name, namespace, ref });
  }
  return families;
}

/**
 * The names of those that both have, in the old order and in ours; `undefined` where the order is
 * the same.
 */
function inOtherOrder(
  partners: readonly (Element | undefined)[],
  ours: readonly Element[],
): readonly [old: string, ours: string] | undefined {
  const kept = partners.filter((each) => each !== undefined);
  const places = new Map(ours.map((each, index) => [each, index]));
  const sorted = kept.toSorted((a, b) => places.get(a)! - places.get(b)!);
  if (kept.every((each, index) => each === sorted[index])) return undefined;
  const names = (list: readonly Element[]) => list.map(({ name }) => name).join(', ');
  const full = (list: readonly Element[]) =>
    list.map(({ name, namespace }) => `{${namespace}}${name}`).join(', ');
  const shown = names(kept) === names(sorted) ? full : names;
  return [shown(kept), shown(sorted)];
}

function kindOf(type: NamedType): string {
  if (type.kind === 'enumeration')
    return type.flags ? 'a list of enumerated values' : 'an enumeration';
  if (type.kind === 'array') {
    if (!type.encoded) return 'an array';
    const { rank = 1 } = type;
    return rank === 1 ? 'an encoded array' : `an encoded array of ${rank} dimensions`;
  }
  return { simple: 'a restricted text', list: 'a list', union: 'a union', object: 'an object' }[
    type.kind
  ];
}

function shownContent(content: readonly Particle[]): string {
  const shown = content.map((particle): string => {
    switch (particle.kind) {
      case 'any':
        return `any${shownCount(particle.min, particle.max)}${shownAny(particle)}`;
      case 'sequence':
        return `(${shownContent(particle.content)})${shownCount(particle.min, particle.max)}`;
      case 'choice': {
        const branches = particle.content.map((each) => shownContent([each]));
        return `(${branches.join(' | ')})${shownCount(particle.min, particle.max)}`;
      }
      default:
        return particle.name;
    }
  });
  return shown.length === 0 ? 'empty' : shown.join(', ');
}

/** Which elements may stand there, if not all of them. */
function shownAny({ namespace = '##any', processContents = 'strict' }: Any): string {
  const said = [namespace, processContents].filter((each) => each !== '##any' && each !== 'strict');
  return said.length === 0 ? '' : ` ${said.join(' ')}`;
}

function shownCount(min: number, max: Occurs): string {
  if (max === 1) return min === 0 ? '?' : '';
  if (max !== 'unbounded') return `{${min},${max}}`;
  return min === 0 ? '*' : '+';
}

/** The schema of a typed DataSet, without what may be written otherwise; `''` for none. */
function schemaOf({ dataSet = '' }: Element, { dataSets = {} }: Service): string {
  const { schema = '' } = dataSets[dataSet] ?? {};
  return schema.replaceAll(/ xmlns(?::[\w.-]+)?="[^"]*"/g, '').replaceAll(/>\s+</g, '><');
}
