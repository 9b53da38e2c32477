import type { Service } from '../contract/service.ts';
import type {
  DateTimeForm,
  Element,
  NamedType,
  ObjectType,
  Particle,
  Type,
} from '../contract/types.ts';
import { SCALARS } from '../lexical/scalars.ts';
import { XSD } from '../xml/namespace-names.ts';
import {
  attributePlan,
  elementPlan,
  type Surroundings,
  type TypePlans,
} from './compile-element.ts';
import { simpleInOrder } from './compile-simple.ts';
import { Extensions } from './extensions.ts';
import { MemberNames, objectPlan } from './object-plan.ts';
import {
  type AnyTypePlan,
  type AttributePlan,
  clark,
  type ElementPlan,
  type Family,
  type Lookup,
  leavesOf,
  type ObjectPlan,
  type ParticlePlan,
  type Plan,
  type SimplePlan,
  type TypedPlan,
} from './plan.ts';
import { inForm, scalarPlan } from './simple-plan.ts';
import { textPlanOf } from './value-reading.ts';

/** What an object type has beside its bases. */
interface Parts {
  readonly content: readonly ParticlePlan[];
  readonly attributes: readonly AttributePlan[];
  readonly text: SimplePlan | undefined;
  readonly mixed: boolean;
  readonly anyAttribute: string | undefined;
}

/** Of what has elements alone. */
const NO_PARTS = { attributes: [], text: undefined, mixed: false, anyAttribute: undefined };

const NOTHING: Lookup<never> = { get: () => undefined };

type Writable<T> = { -readonly [K in keyof T]: T[K] };

/**
 * Compiles the plans of a contract's types, each once.
 * @throws {TypeError} with the path of an unsupported type.
 */
export class PlanCompiler {
  /** Whether something must be there, in what was compiled so far. */
  hasMandatory = false;
  readonly #service: Service;
  readonly #namespace: string;
  readonly #types: Readonly<Record<string, NamedType>>;
  readonly #encoded: boolean;
  readonly #plans = new Map<string, Plan>();
  /** Keys of the types by their names on the wire. */
  readonly #byTypeName = new Map<string, string[]>();
  /** Arrays and objects whose parts are not read yet. */
  readonly #unread = new Set<string>();
  /** The parts of each object type without those of its bases. */
  readonly #parts = new Map<string, Parts>();
  /**
   * Objects that are not complete: only what an `xsi:type` or `$type` names is completed when it is
   * first needed.
   */
  readonly #incomplete = new Map<string, Writable<ObjectPlan>>();
  /** Types of elements: their plans are complete before the first request. */
  readonly #used = new Set<string>();
  /** Whether the parts of all types are there. */
  #isRead = false;
  readonly #anyType: Writable<AnyTypePlan>;
  readonly #extensions: Extensions;
  readonly #typePlans: TypePlans = {
    ofElement: (element, path) => this.#ofElement(element, path),
    ofText: (type, path, as) => this.#ofText(type, path, as),
  };

  /** @param encoded for messages in SOAP encoding, whose elements are in no namespace. */
  constructor(service: Service, namespace: string, encoded: boolean) {
    this.#encoded = encoded;
    this.#service = service;
    this.#namespace = namespace;
    this.#types = service.types ?? {};
    this.#anyType = {
      kind: 'any',
      name: 'anyType',
      namespace: XSD,
      byTypeName: NOTHING,
      byType: NOTHING,
    };
    this.#extensions = new Extensions(this.#types);
  }

  /** Makes the plans of all types first, so that an error in an unused type is found, too. */
  compileAll(): void {
    const scalars = new Map<string, TypedPlan>();
    for (const scalar of Object.keys(SCALARS)) {
      const plan = this.#plan(scalar as Type, scalar === 'dateTime' ? 'date' : undefined, 'types');
      if (plan.kind !== 'simple') continue;
      const wireName = clark(plan.namespace, plan.name);
      const isTaken = Object.hasOwn(this.#types, scalar);
      scalars.set(wireName, { plan, $type: isTaken ? wireName : scalar });
    }
    for (const key of Object.keys(this.#types)) {
      const { namespace, name } = this.#plan({ ref: key }, undefined, `types.${key}`);
      const wireName = clark(namespace, name);
      const known = this.#byTypeName.get(wireName);
      if (known === undefined) this.#byTypeName.set(wireName, [key]);
      else known.push(key);
    }
    this.#readParts();
    this.#checkProperties();
    this.#anyType.byTypeName = {
      get: (name) => {
        const key = this.#byTypeName.get(name)?.at(-1);
        return key === undefined ? scalars.get(name) : { plan: this.#complete(key), $type: key };
      },
    };
    const byType = new Map([...scalars.values()].map(({ plan, $type }) => [$type, plan]));
    this.#anyType.byType = {
      get: (key) => (this.#plans.has(key) ? this.#complete(key) : byType.get(key)),
    };
    this.#isRead = true;
    for (const key of this.#used) this.#complete(key);
  }

  /** Has the plan of an element's type completed before the first request. */
  #use(key: string): void {
    if (this.#isRead) this.#complete(key);
    else this.#used.add(key);
  }

  /**
   * The plan of a type.
   * @param as for a dateTime.
   * @param path where the type stands, for errors.
   */
  #plan(type: Type, as: DateTimeForm | undefined, path: string): Plan {
    if (typeof type !== 'string') {
      const named = this.#named(type?.ref, path);
      return as === undefined || named.kind !== 'simple' ? named : inForm(named, as);
    }
    switch (type) {
      case 'xml':
        return { kind: 'xml', name: '', namespace: '' };
      case 'anyType':
        return this.#anyType;
      case 'DataSet':
      case 'DataTable':
        return {
          kind: 'dataset',
          name: type,
          namespace: this.#namespace,
          table: type === 'DataTable',
        };
    }
    if (!Object.hasOwn(SCALARS, type))
      throw new TypeError(`${path}: there is no type ${JSON.stringify(type)}.`);
    return scalarPlan(type, as ?? this.#service.dateTimes);
  }

  /**
   * The plan of an object that is no type of the contract: a message. Those of its elements that
   * stand beside the envelope are not in its content. @param surroundings of its elements.
   */
  message(elements: readonly Element[], surroundings: Surroundings): ObjectPlan {
    const { namespace, path } = surroundings;
    const all = elements.map((each, index) =>
      this.element(each, {
        ...surroundings,
        path: `${path}.${each?.name ?? index}`,
        inMessage: true,
      }),
    );
    new MemberNames().open({ ...NO_PARTS, content: all }, path);
    const content = all.filter(({ attachment }) => attachment === undefined);
    const parts = { ...NO_PARTS, content };
    const facts = { kind: 'object', name: '', namespace, key: '', abstract: false } as const;
    const plan = objectPlan({ ...facts, ...parts });
    return content.length === all.length ? plan : { ...plan, elements: all };
  }

  element(element: Element, surroundings: Surroundings): ElementPlan {
    const plan = elementPlan(element, surroundings, this.#typePlans);
    this.hasMandatory ||= plan.mandatory;
    return plan;
  }

  #ofElement(element: Element, path: string): Plan {
    const plan = this.#typed(this.#plan(element.type, element.as, path), element, path);
    if (plan.kind === 'object') this.#use(plan.key);
    return plan;
  }

  /** A typed DataSet has a name and a namespace. @throws {TypeError} */
  #typed(plan: Plan, { dataSet }: Element, path: string): Plan {
    if (dataSet === undefined || plan.kind !== 'dataset') return plan;
    const schema = this.#service.dataSets?.[dataSet];
    if (schema === undefined)
      throw new TypeError(`${path}.dataSet: the contract has no schema ${dataSet} in dataSets.`);
    return { ...plan, typed: { name: dataSet, namespace: schema.namespace } };
  }

  /**
   * The plan of a named type. That of an array or object has no parts yet; types may refer to each
   * other as they like.
   */
  #named(key: string, path: string): Plan {
    const known = this.#plans.get(key);
    if (known !== undefined) return known;
    const type =
      typeof key === 'string' && Object.hasOwn(this.#types, key) ? this.#types[key] : undefined;
    if (type === undefined)
      throw new TypeError(`${path}: there is no type ${JSON.stringify(key)} among the types.`);
    if (type.kind !== 'array' && type.kind !== 'object') {
      const types = { types: this.#types, namespace: this.#namespace, plans: this.#plans };
      return simpleInOrder(key, { ...types, ofText: this.#typePlans.ofText });
    }
    const named = { name: type.name, namespace: type.namespace ?? this.#namespace };
    const plan =
      type.kind === 'object'
        ? // With all its properties: V8 makes a slow object of one that gets many later.
          (objectPlan({
            kind: 'object',
            key,
            ...named,
            abstract: false,
            content: [],
            ...NO_PARTS,
          }) as Writable<ObjectPlan>)
        : ({ kind: 'array', ...named, encoded: type.encoded === true, rank: 1 } as Writable<
            Plan & { kind: 'array' }
          >);
    this.#plans.set(key, plan);
    this.#unread.add(key);
    if (plan.kind === 'object') this.#incomplete.set(key, plan);
    return plan;
  }

  #ofText(type: Type, path: string, as?: DateTimeForm): SimplePlan {
    const plan = this.#plan(type, as, path);
    if (plan.kind === 'simple') return plan;
    throw new TypeError(`${path}: here must stand a type that is written as a text.`);
  }

  /** Reads the parts of arrays and objects, and of those that they refer to. */
  #readParts(): void {
    for (const key of this.#unread) {
      const type = this.#types[key]!;
      if (type.kind === 'array') this.#fillArray(key, type);
      else if (type.kind === 'object') this.#parts.set(key, this.#partsOf(key, type));
      this.#unread.delete(key);
    }
  }

  #fillArray(key: string, type: NamedType & { kind: 'array' }): void {
    const plan = this.#plans.get(key) as Writable<Plan & { kind: 'array' }>;
    const path = `types.${key}.item`;
    const item = this.element(type.item, {
      namespace: this.#elementNamespace(plan.namespace, type.encoded),
      path,
    });
    const simple = item.plan.kind === 'simple' ? item.plan : undefined;
    const absent = item.nillable ? null : simple?.absent;
    const text = simple && textPlanOf(simple, { ...type.item, absent });
    plan.item = { ...item, repeated: false, absent, nil: absent ?? null, text };
    plan.leaves = leavesOf([plan.item], true);
    for (const { rank = 1 } = type; plan.rank < rank; plan.rank++)
      plan.item = {
        ...plan.item,
        plan: { ...plan },
        absent: undefined,
        nil: null,
        text: undefined,
      };
  }

  #partsOf(key: string, type: ObjectType): Parts {
    const path = `types.${key}`;
    if (type.extends !== undefined) {
      if (this.#extensions.isCircular(type.extends, key))
        throw new TypeError(`${path}.extends: the type extends itself.`);
      if (this.#named(type.extends, `${path}.extends`).kind !== 'object')
        throw new TypeError(`${path}.extends: ${type.extends} is no object type.`);
    }
    const target = type.namespace ?? this.#namespace;
    const namespace = this.#elementNamespace(target);
    return {
      content: (type.content ?? []).map((particle, index) =>
        this.#particle(particle, { namespace, target, path }, index),
      ),
      attributes: (type.attributes ?? []).map((each) => attributePlan(each, path, this.#typePlans)),
      text: type.text === undefined ? undefined : this.#ofText(type.text, `${path}.text`),
      mixed: type.mixed === true,
      anyAttribute: anyAttributeOf(type),
    };
  }

  /** @throws {TypeError} when two members of a type, with those of its bases, have one property. */
  #checkProperties(): void {
    const members = new MemberNames();
    for (const key of this.#parts.keys()) {
      const type = this.#types[key] as ObjectType;
      if (type.extends !== undefined) continue;
      this.#extensions.visit(key, {
        enter: (each) => members.open(this.#parts.get(each)!, `types.${each}`),
        leave: () => members.close(),
      });
    }
  }

  /** The plan of a type; that of an object with its parts and those of its bases. */
  #complete(key: string): Plan {
    const plan = this.#plans.get(key)!;
    if (!this.#incomplete.delete(key) || plan.kind !== 'object') return plan;
    const line = this.#extensions.membersOf(key).map((each) => this.#parts.get(each)!);
    const { name, namespace } = plan;
    const type = this.#types[key] as ObjectType;
    const made = objectPlan({
      kind: 'object',
      key,
      name,
      namespace,
      abstract: type.abstract === true,
      content: line.flatMap(({ content }) => content),
      attributes: line.flatMap(({ attributes }) => attributes),
      text: line.findLast(({ text }) => text !== undefined)?.text,
      mixed: line.some(({ mixed }) => mixed),
      anyAttribute: line.find(({ anyAttribute }) => anyAttribute !== undefined)?.anyAttribute,
    });
    const polymorphic = type.extends !== undefined || this.#extensions.isExtended(key);
    Object.assign(plan, made, { polymorphic, family: this.#family(key) });
    return plan;
  }

  #family(key: string): Family {
    const within = (each: string) =>
      this.#extensions.isWithin(each, key) ? (this.#complete(each) as ObjectPlan) : undefined;
    return {
      get: within,
      named: (wireName) => {
        const found = this.#byTypeName
          .get(wireName)
          ?.find((each) => this.#extensions.isWithin(each, key));
        return found === undefined ? undefined : within(found);
      },
    };
  }

  #particle(particle: Particle, surroundings: Surroundings, index: number): ParticlePlan {
    const path = `${surroundings.path}.content.${index}`;
    if (particle.kind === 'any') {
      const repeated = particle.max === 'unbounded' || (particle.max ?? 1) > 1;
      const { property = 'any', namespace } = particle;
      const allows = allowing(namespace, surroundings.target ?? this.#namespace);
      return { kind: 'any', property, repeated, allows };
    }
    if (particle.kind === 'choice' || particle.kind === 'sequence') {
      const { kind, min, max = 1, property = 'items', content } = particle;
      const repeats = max === 'unbounded' || max > 1;
      // What is in no group of a round is there in each.
      const grouped =
        kind === 'choice' || (repeats ? false : min === 0 || surroundings.grouped === true);
      const inner: Surroundings = { ...surroundings, path, grouped };
      const group = { kind, content: content.map((each, at) => this.#particle(each, inner, at)) };
      if (!repeats) return group;
      const { namespace } = surroundings;
      const plan = objectPlan({
        ...NO_PARTS,
        kind: 'object',
        name: '',
        namespace,
        key: '',
        abstract: false,
        content: [group],
      });
      return { kind: 'rounds', property, plan };
    }
    return this.element(particle as Element, { ...surroundings, path });
  }

  /** The namespace of a type's elements. */
  #elementNamespace(namespace: string, encoded = false): string {
    return encoded || this.#encoded || this.#service.forms?.[namespace]?.elements === 'unqualified'
      ? ''
      : namespace;
  }
}

/**
 * The namespaces in which any element may be (XML Schema part 1, 3.10).
 * @param target that of the schema.
 */
function allowing(said = '##any', target: string): (namespace: string) => boolean {
  if (said === '##any') return () => true;
  if (said === '##other') return (namespace) => namespace !== target && namespace !== '';
  const names: Readonly<Record<string, string>> = { '##targetNamespace': target, '##local': '' };
  const listed = new Set(said.split(/\s+/).map((each) => names[each] ?? each));
  return (namespace) => listed.has(namespace);
}

/**
 * The property of an object type that has the attributes which no type declares; `undefined` where
 * it allows none.
 */
export function anyAttributeOf({ anyAttribute }: ObjectType): string | undefined {
  return anyAttribute === true ? 'attributes' : anyAttribute;
}
