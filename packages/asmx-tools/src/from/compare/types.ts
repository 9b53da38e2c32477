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
import { type Aspect, type Difference, NEW_CLIENTS, NOTHING } from './difference.ts';

/** Who notices that an element has another type, may be absent, or stands elsewhere. */
const TYPED = 'clients with generated types';
const SOAP = 'SOAP clients';

/** What has a value where it is absent. */
type Initial = Pick<Element | Attribute, 'default' | 'fixed'>;

/** Compares elements and the types they lead to. Each pair of types is compared once. */
export class TypeComparison {
  readonly differences: Difference[] = [];
  readonly #old: Service;
  readonly #ours: Service;
  readonly #met = new Set<string>();
  /** Pairs of types that are still to be compared: how deep types lie in each other costs no stack. */
  readonly #open: (() => void)[] = [];
  /** Namespaces that differ as a whole; the comparison reports each once. */
  readonly #renamed: ReadonlyMap<string, string>;

  constructor(old: Service, ours: Service, renamed: ReadonlyMap<string, string>) {
    this.#old = old;
    this.#ours = ours;
    this.#renamed = renamed;
  }

  /** Lists of elements in order: parameters, results, the members of a type. @param prefix `parameter `, `type Forecast/`. */
  elements(
    operation: string,
    prefix: string,
    old: readonly Element[],
    ours: readonly Element[],
  ): void {
    const own = new Map(ours.map((element) => [element.name, element]));
    const known = new Map(old.map((element) => [element.name, element]));
    for (const element of old) {
      const subject = `${prefix}${element.name}`;
      const match = own.get(element.name);
      if (match !== undefined) {
        this.element(operation, subject, element, match);
        continue;
      }
      const like = ours.find(
        ({ name }) => name.toLowerCase() === element.name.toLowerCase() && !known.has(name),
      );
      if (like === undefined)
        this.#report(operation, subject, 'presence', this.#shown(element), NOTHING, 'every client');
      else this.#report(operation, subject, 'name', element.name, like.name, SOAP);
    }
    for (const element of ours) {
      if (
        known.has(element.name) ||
        old.some(({ name }) => name.toLowerCase() === element.name.toLowerCase())
      )
        continue;
      this.#report(
        operation,
        `${prefix}${element.name}`,
        'presence',
        NOTHING,
        this.#shownOurs(element),
        TYPED,
      );
    }
    const order = (list: readonly Element[], other: ReadonlyMap<string, Element>) =>
      list.map(({ name }) => name).filter((name) => other.has(name));
    const [before, after] = [order(old, own).join(', '), order(ours, known).join(', ')];
    if (before !== after) {
      const subject = prefix.endsWith('/') ? prefix.slice(0, -1) : 'order';
      this.#report(operation, subject, 'order', before, after, 'clients that go by position');
    }
  }

  /** One element: namespace, type, how often, whether null. */
  element(operation: string, subject: string, old: Element, ours: Element): void {
    if (!this.sameNamespace(old.namespace, ours.namespace)) {
      this.#report(
        operation,
        subject,
        'namespace',
        shownNamespace(old.namespace),
        shownNamespace(ours.namespace),
        SOAP,
      );
    }
    this.#occurs(operation, subject, old, ours);
    const nil = (element: Element) => (element.nillable ? 'may be nil' : 'never nil');
    if (nil(old) !== nil(ours))
      this.#report(operation, subject, 'nullability', nil(old), nil(ours), TYPED);
    this.#defaults(operation, subject, old, ours);
    const place = ({ attachment }: Element) =>
      attachment === undefined ? 'in the body' : `an attachment of ${attachment.join(', ')}`;
    if (place(old) !== place(ours))
      this.#report(operation, subject, 'style', place(old), place(ours), SOAP);
    const [theirs, own] = [schemaOf(old, this.#old), schemaOf(ours, this.#ours)];
    if (theirs !== own) {
      const [before, after] = [theirs && 'a typed one', own && 'of another schema'];
      this.#report(
        operation,
        `${subject} DataSet`,
        'type',
        before || NOTHING,
        after || NOTHING,
        TYPED,
      );
    }
    this.type(operation, subject, old.type, ours.type);
  }

  #defaults(operation: string, subject: string, old: Initial, ours: Initial): void {
    const initial = (of: Initial) => of.fixed ?? of.default ?? NOTHING;
    if (initial(old) !== initial(ours))
      this.#report(operation, `${subject} default`, 'default', initial(old), initial(ours), TYPED);
  }

  /** Compares the types that were met. To be called after what leads to them. */
  settle(): void {
    for (let next = this.#open.pop(); next !== undefined; next = this.#open.pop()) next();
  }

  /** Two types in the same place. */
  type(operation: string, subject: string, old: Type, ours: Type): void {
    if (typeof old === 'string' || typeof ours === 'string') {
      const [before, after] = [this.#nameOf(this.#old, old), this.#nameOf(this.#ours, ours)];
      if (before !== after) this.#report(operation, subject, 'type', before, after, TYPED);
      return;
    }
    const pair = `${old.ref} ${ours.ref}`;
    if (this.#met.has(pair)) return;
    this.#met.add(pair);
    this.#open.push(() =>
      this.#named(operation, subject, this.#old.types[old.ref]!, this.#ours.types[ours.ref]!),
    );
  }

  sameNamespace(old: string, ours: string): boolean {
    return old === ours || this.#renamed.get(old) === ours;
  }

  #named(operation: string, subject: string, old: NamedType, ours: NamedType): void {
    const where = `type ${old.name}`;
    if (old.name !== ours.name && !old.anonymous && !ours.anonymous)
      this.#report('', where, 'name', old.name, ours.name, NEW_CLIENTS);
    const [before, after] = [asObject(old), asObject(ours)];
    if (before !== undefined && after !== undefined) {
      this.#objects(where, before, after);
      return;
    }
    if (old.kind !== ours.kind || (old.kind === 'array' && kindOf(old) !== kindOf(ours))) {
      this.#report(operation, subject, 'type', kindOf(old), kindOf(ours), TYPED);
    } else if (old.kind === 'array' && ours.kind === 'array') {
      // What items of encoded arrays are called is nothing to clients.
      this.type('', `${where} item`, old.item.type, ours.item.type);
    } else if (old.kind === 'enumeration' && ours.kind === 'enumeration') {
      this.#values(where, old.values, ours.values);
      this.type('', where, old.base, ours.base);
      if (old.flags !== ours.flags)
        this.#report('', where, 'type', kindOf(old), kindOf(ours), TYPED);
    } else if (old.kind === 'simple' && ours.kind === 'simple') {
      const [facets, own] = [JSON.stringify(old.facets ?? {}), JSON.stringify(ours.facets ?? {})];
      if (facets !== own) this.#report('', where, 'type', facets, own, TYPED);
      this.type('', where, old.base, ours.base);
    } else if (old.kind === 'list' && ours.kind === 'list') {
      this.type('', `${where} item`, old.item, ours.item);
    } else if (old.kind === 'union' && ours.kind === 'union') {
      if (old.members.length !== ours.members.length) {
        this.#report(
          '',
          where,
          'type',
          `${old.members.length} members`,
          `${ours.members.length} members`,
          TYPED,
        );
      }
      for (const [index, member] of old.members.entries()) {
        const own = ours.members[index];
        if (own !== undefined) this.type('', `${where} member ${index + 1}`, member, own);
      }
    }
  }

  #values(where: string, old: readonly string[], ours: readonly string[]): void {
    for (const value of old) {
      if (!ours.includes(value))
        this.#report('', `${where}/${value}`, 'presence', 'a value', NOTHING, TYPED);
    }
    for (const value of ours) {
      if (!old.includes(value))
        this.#report('', `${where}/${value}`, 'presence', NOTHING, 'a value', TYPED);
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
    if (facts(old) !== facts(ours)) this.#report('', where, 'type', facts(old), facts(ours), TYPED);
    if (old.text !== undefined && ours.text !== undefined)
      this.type('', `${where} text`, old.text, ours.text);
    else if (old.text !== ours.text) {
      this.#report(
        '',
        `${where} text`,
        'type',
        old.text ? 'text' : NOTHING,
        ours.text ? 'text' : NOTHING,
        TYPED,
      );
    }
    this.#bases(where, old, ours);
  }

  /** xsi:type names the types of a family: their names count. */
  #bases(where: string, old: ObjectType, ours: ObjectType): void {
    if (old.extends !== undefined && ours.extends !== undefined) {
      this.type('', `${where} base`, { ref: old.extends }, { ref: ours.extends });
    } else if (old.extends !== ours.extends) {
      this.#report(
        '',
        `${where} base`,
        'type',
        old.extends ?? NOTHING,
        ours.extends ?? NOTHING,
        TYPED,
      );
    }
    const [before, after] = [familyOf(this.#old, old), familyOf(this.#ours, ours)];
    if (before.size === 0 && after.size === 0 && old.extends === undefined) return;
    if (old.name !== ours.name && !old.anonymous)
      this.#report('', where, 'name', old.name, ours.name, SOAP);
    for (const [name, type] of before) {
      const own = after.get(name);
      if (own === undefined)
        this.#report('', `type ${name}`, 'presence', `extends ${old.name}`, NOTHING, SOAP);
      else this.type('', `type ${name}`, { ref: type }, { ref: own });
    }
    for (const name of after.keys()) {
      if (!before.has(name))
        this.#report('', `type ${name}`, 'presence', NOTHING, `extends ${ours.name}`, '');
    }
  }

  #content(where: string, old: readonly Particle[], ours: readonly Particle[]): void {
    if (old.every(isElement) && ours.every(isElement)) {
      this.elements('', `${where}/`, old, ours);
      return;
    }
    const [before, after] = [shownContent(old), shownContent(ours)];
    if (before !== after) this.#report('', where, 'order', before, after, TYPED);
    else this.#same(where, old, ours);
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
    const own = new Map(ours.map((attribute) => [attribute.name, attribute]));
    for (const attribute of old) {
      const subject = `${where}/@${attribute.name}`;
      const match = own.get(attribute.name);
      own.delete(attribute.name);
      if (match === undefined) {
        this.#report('', subject, 'presence', 'an attribute', NOTHING, SOAP);
        continue;
      }
      if (!this.sameNamespace(attribute.namespace, match.namespace)) {
        const [before, after] = [
          shownNamespace(attribute.namespace),
          shownNamespace(match.namespace),
        ];
        this.#report('', subject, 'namespace', before, after, SOAP);
      }
      const use = ({ required }: Attribute) => (required ? 'required' : 'optional');
      if (use(attribute) !== use(match))
        this.#report('', subject, 'nullability', use(attribute), use(match), TYPED);
      this.#defaults('', subject, attribute, match);
      this.type('', subject, attribute.type, match.type);
    }
    for (const name of own.keys())
      this.#report('', `${where}/@${name}`, 'presence', NOTHING, 'an attribute', TYPED);
  }

  #occurs(operation: string, subject: string, old: Element, ours: Element): void {
    if ((old.max === 1) !== (ours.max === 1)) {
      this.#report(operation, subject, 'occurrence', shownMax(old.max), shownMax(ours.max), TYPED);
    } else if (old.max !== ours.max) {
      this.#report(
        operation,
        subject,
        'occurrence',
        `at most ${old.max}`,
        `at most ${ours.max}`,
        TYPED,
      );
    }
    const least = ({ min }: Element) =>
      min === 0 ? 'may be absent' : min === 1 ? 'always there' : `at least ${min}`;
    if (old.min !== ours.min)
      this.#report(operation, subject, 'nullability', least(old), least(ours), TYPED);
  }

  #shown(element: Element): string {
    return `${this.#nameOf(this.#old, element.type)}${element.max === 1 ? '' : '[]'}`;
  }

  #shownOurs(element: Element): string {
    return `${this.#nameOf(this.#ours, element.type)}${element.max === 1 ? '' : '[]'}`;
  }

  #nameOf(service: Service, type: Type): string {
    return typeof type === 'string' ? type : service.types[type.ref]!.name;
  }

  #report(
    operation: string,
    subject: string,
    aspect: Aspect,
    old: string,
    ours: string,
    noticedBy: string,
  ): void {
    this.differences.push({ operation, subject, aspect, old, ours, noticedBy });
  }
}

function isElement(particle: Particle): particle is Element {
  return particle.kind === undefined || particle.kind === 'element';
}

/** An array is an object with one element that repeats: on the wire there is no difference, but for encoded ones. */
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

/** By type, the names and keys of those that extend it directly. */
type Families = ReadonlyMap<NamedType | undefined, ReadonlyMap<string, string>>;

const FAMILIES = new WeakMap<Service, Families>();
const NO_FAMILY: ReadonlyMap<string, string> = new Map();

/** The names and keys of the types that extend one directly. */
function familyOf(service: Service, base: ObjectType): ReadonlyMap<string, string> {
  let families = FAMILIES.get(service);
  if (families === undefined) {
    families = familiesOf(service);
    FAMILIES.set(service, families);
  }
  return families.get(base) ?? NO_FAMILY;
}

function familiesOf({ types }: Service): Families {
  const families = new Map<NamedType | undefined, Map<string, string>>();
  for (const [key, type] of Object.entries(types)) {
    if (type.kind !== 'object' || type.extends === undefined) continue;
    const base = types[type.extends];
    const known = families.get(base) ?? new Map<string, string>();
    families.set(base, known.set(type.name, key));
  }
  return families;
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
  return max === 'unbounded' ? (min === 0 ? '*' : '+') : `{${min},${max}}`;
}

function shownMax(max: Occurs): string {
  return max === 1 ? 'once' : 'repeated';
}

export function shownNamespace(namespace: string): string {
  return namespace === '' ? 'no namespace' : namespace;
}

/** The schema of a typed DataSet, without what may be written otherwise; `''` for none. */
function schemaOf({ dataSet = '' }: Element, { dataSets = {} }: Service): string {
  const { schema = '' } = dataSets[dataSet] ?? {};
  return schema.replaceAll(/ xmlns(?::[\w.-]+)?="[^"]*"/g, '').replaceAll(/>\s+</g, '><');
}
