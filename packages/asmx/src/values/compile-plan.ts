import type { Service } from '../contract/service.ts';
import type { Attribute, DateTimeForm, Element, NamedType, ObjectType, Particle, Type } from '../contract/types.ts';
import { LexicalError } from '../lexical/lexical-error.ts';
import { SCALARS } from '../lexical/scalars.ts';
import { checkText } from '../lexical/text.ts';
import { XSD } from '../xml/namespace-names.ts';
import { Extensions } from './extensions.ts';
import { objectPlan } from './object-plan.ts';
import {
  type AnyTypePlan,
  type AttributePlan,
  clark,
  type ElementPlan,
  leavesOf,
  type ObjectPlan,
  type ParticlePlan,
  type Plan,
  type SimplePlan,
  tagsOf,
} from './plan.ts';
import { enumerationPlan, listPlan, restrictedPlan, scalarPlan, unionPlan } from './simple-plan.ts';

type Writable<T> = { -readonly [K in keyof T]: T[K] };

/** The surroundings of elements. In a group that repeats they are lists. */
interface Surroundings {
  readonly namespace: string;
  readonly path: string;
  readonly grouped?: 'choice' | 'repeated' | undefined;
}

/** Compiles the plans of a contract's types, each once. @throws {TypeError} with the path of an unsupported type. */
export class PlanCompiler {
  readonly #service: Service;
  readonly #namespace: string;
  readonly #types: Readonly<Record<string, NamedType>>;
  readonly #encoded: boolean;
  readonly #plans = new Map<string, Plan>();
  readonly #anyType: Writable<AnyTypePlan>;
  readonly #extensions: Extensions;

  /** @param encoded for messages in SOAP encoding, whose elements are in no namespace. */
  constructor(service: Service, namespace: string, encoded: boolean) {
    this.#encoded = encoded;
    this.#service = service;
    this.#namespace = namespace;
    this.#types = service.types ?? {};
    this.#anyType = { kind: 'any', name: 'anyType', namespace: XSD, byTypeName: new Map(), byKey: new Map() };
    this.#extensions = new Extensions(this.#types);
  }

  /** Makes the plans of all types first, so that an error in an unused type is found, too. */
  compileAll(): void {
    const byTypeName = new Map<string, Plan>();
    const byKey = new Map<string, ObjectPlan>();
    for (const scalar of Object.keys(SCALARS)) {
      const plan = this.#plan(scalar as Type, scalar === 'dateTime' ? 'date' : undefined, 'types');
      if (plan.kind === 'simple') byTypeName.set(clark(plan.namespace, plan.name), plan);
    }
    for (const key of Object.keys(this.#types)) {
      const plan = this.#plan({ ref: key }, undefined, `types.${key}`);
      if (plan.kind === 'object') byKey.set(key, plan);
      byTypeName.set(clark(plan.namespace, plan.name), plan);
    }
    this.#fillAll();
    this.#anyType.byTypeName = byTypeName;
    this.#anyType.byKey = byKey;
  }

  /** The plan of a type. @param as for a dateTime. @param path where the type stands, for errors. */
  #plan(type: Type, as: DateTimeForm | undefined, path: string): Plan {
    if (typeof type !== 'string') return this.#named(type?.ref, path);
    switch (type) {
      case 'xml':
        return { kind: 'xml', name: '', namespace: '' };
      case 'anyType':
        return this.#anyType;
      case 'DataSet':
      case 'DataTable':
        return { kind: 'dataset', name: type, namespace: this.#namespace, table: type === 'DataTable' };
    }
    if (!Object.hasOwn(SCALARS, type)) throw new TypeError(`${path}: there is no type ${JSON.stringify(type)}.`);
    return scalarPlan(type, as);
  }

  /** The plan of an object that is no type of the contract: a message. */
  message(elements: readonly Element[], namespace: string, path: string): ObjectPlan {
    const surroundings = { namespace, path };
    const content = elements.map((each, index) =>
      this.element(each, { ...surroundings, path: `${path}.${each?.name ?? index}` }),
    );
    return objectPlan(
      {
        kind: 'object',
        name: '',
        namespace,
        key: '',
        abstract: false,
        content,
        attributes: [],
        text: undefined,
        mixed: false,
      },
      path,
    );
  }

  element(element: Element, { namespace, path, grouped }: Surroundings): ElementPlan {
    if (typeof element?.name !== 'string' || element.name === '')
      throw new TypeError(`${path}: an element must have a name.`);
    const plan = bounded(this.#plan(element.type, element.as, path), element);
    const most = element.max === 'unbounded' ? Number.POSITIVE_INFINITY : (element.max ?? 1);
    const repeated = most > 1 || grouped === 'repeated';
    const nillable = element.nillable === true;
    const simple = plan.kind === 'simple' ? plan : undefined;
    const isValueType = simple !== undefined && !simple.reference;
    const least = element.min ?? (nillable ? 1 : isValueType ? 1 : 0);
    const given = element.default ?? element.fixed;
    // The prefix of a name has a meaning only in the old schema.
    const byDefault =
      given !== undefined && simple !== undefined && !simple.hasNames ? parseGiven(simple, given, path) : undefined;
    const always = isValueType && least > 0 && !repeated && !nillable && grouped === undefined;
    const wireName = { name: element.name, namespace: element.namespace ?? namespace };
    return {
      kind: 'element',
      ...wireName,
      tags: tagsOf(wireName),
      property: element.property ?? element.name,
      plan,
      repeated,
      nillable,
      optional: least === 0 || grouped !== undefined || !isValueType,
      always: least > 0 && grouped === undefined,
      absent: repeated ? undefined : (byDefault ?? (always ? simple.absent : undefined)),
      usual:
        byDefault !== undefined && element.default !== undefined && least === 0 && !repeated
          ? simple!.format(byDefault)
          : undefined,
      maxLength: element.maxLength,
      singleLine: element.singleLine === true,
    };
  }

  #named(key: string, path: string): Plan {
    const known = this.#plans.get(key);
    if (known !== undefined) return known;
    const type = typeof key === 'string' && Object.hasOwn(this.#types, key) ? this.#types[key] : undefined;
    if (type === undefined) throw new TypeError(`${path}: there is no type ${JSON.stringify(key)} among the types.`);
    const named = { name: type.name, namespace: type.namespace ?? this.#namespace };
    switch (type.kind) {
      case 'array': {
        const plan: Writable<Plan & { kind: 'array' }> = {
          kind: 'array',
          ...named,
          item: undefined as never,
          leaves: undefined as never,
          encoded: type.encoded === true,
        };
        this.#plans.set(key, plan);
        const at = `types.${key}.item`;
        const item = this.element(type.item, {
          namespace: this.#elementNamespace(named.namespace, type.encoded),
          path: at,
        });
        plan.item = {
          ...item,
          repeated: false,
          absent: item.nillable ? null : item.plan.kind === 'simple' ? item.plan.absent : undefined,
        };
        plan.leaves = leavesOf([plan.item], true);
        return plan;
      }
      case 'object':
        return this.#object(key, type, named);
      default: {
        const plan = this.#simple(type, named, `types.${key}`);
        this.#plans.set(key, plan);
        return plan;
      }
    }
  }

  #simple(
    type: Exclude<NamedType, { kind: 'array' | 'object' }>,
    named: { name: string; namespace: string },
    path: string,
  ): SimplePlan {
    switch (type.kind) {
      case 'enumeration':
        if (type.values.length === 0) throw new TypeError(`${path}.values: an enumeration must have a value.`);
        return enumerationPlan(type, named);
      case 'list':
        return listPlan(type, this.#simplePlan(type.item, `${path}.item`), named);
      case 'union':
        return unionPlan(
          type,
          type.members.map((each, index) => this.#simplePlan(each, `${path}.members.${index}`)),
          named,
        );
      case 'simple':
        return restrictedPlan(type, this.#simplePlan(type.base, `${path}.base`), named);
      default:
        throw new TypeError(`${path}.kind: there is no kind ${JSON.stringify((type as NamedType).kind)}.`);
    }
  }

  #simplePlan(type: Type, path: string, as?: DateTimeForm): SimplePlan {
    // A type that is made of itself would never end.
    if (typeof type !== 'string' && this.#path.includes(type.ref))
      throw new TypeError(`${path}: the type ${type.ref} is made of itself.`);
    const key = typeof type === 'string' ? undefined : type.ref;
    if (key !== undefined) this.#path.push(key);
    try {
      const plan = this.#plan(type, as, path);
      if (plan.kind === 'simple') return plan;
      throw new TypeError(`${path}: here must stand a type that is written as a text.`);
    } finally {
      if (key !== undefined) this.#path.pop();
    }
  }
  readonly #path: string[] = [];

  /**
   * Makes the plan of an object, to be filled when no other plan is in progress. A type that refers to it needs only
   * the plan itself; a type that extends it needs its members.
   */
  #object(key: string, type: ObjectType, named: { name: string; namespace: string }): ObjectPlan {
    const plan = { kind: 'object', key, ...named } as Writable<ObjectPlan>;
    this.#plans.set(key, plan);
    this.#unfilled.set(key, { plan, type });
    return plan;
  }
  readonly #unfilled = new Map<string, { readonly plan: Writable<ObjectPlan>; readonly type: ObjectType }>();

  /** Fills the objects that were made, and those that they refer to. */
  #fillAll(): void {
    for (const key of this.#unfilled.keys()) this.#fill(key);
  }

  #fill(key: string): void {
    const made = this.#unfilled.get(key);
    if (made === undefined) return;
    this.#unfilled.delete(key);
    const { plan, type } = made;
    const path = `types.${key}`;
    const base = type.extends === undefined ? undefined : this.#base(type.extends, key, path);
    const surroundings = { namespace: this.#elementNamespace(plan.namespace), path };
    const own = (type.content ?? []).map((particle, index) => this.#particle(particle, surroundings, index));
    const { name, namespace } = plan;
    Object.assign(
      plan,
      objectPlan(
        {
          kind: 'object',
          key,
          name,
          namespace,
          abstract: type.abstract === true,
          content: [...(base?.content ?? []), ...own],
          attributes: [
            ...(base?.attributes ?? []),
            ...(type.attributes ?? []).map((each) => this.#attribute(each, path)),
          ],
          text: type.text === undefined ? base?.text : this.#simplePlan(type.text, `${path}.text`),
          mixed: type.mixed === true || base?.mixed === true,
        },
        path,
      ),
    );
    plan.polymorphic = type.extends !== undefined || this.#extensions.descendants(key).length > 0;
    plan.family = this.#family(key, plan);
  }

  #base(key: string, of: string, path: string): ObjectPlan {
    if (this.#extensions.isCircular(key, of)) throw new TypeError(`${path}.extends: the type extends itself.`);
    const plan = this.#named(key, `${path}.extends`);
    if (plan.kind !== 'object') throw new TypeError(`${path}.extends: ${key} is no object type.`);
    this.#fill(key);
    return plan;
  }

  #family(key: string, plan: ObjectPlan): ReadonlyMap<string, ObjectPlan> {
    return new Map([
      [key, plan],
      ...this.#extensions
        .descendants(key)
        .map((each) => [each, this.#named(each, `types.${each}`) as ObjectPlan] as const),
    ]);
  }

  #particle(particle: Particle, surroundings: Surroundings, index: number): ParticlePlan {
    const path = `${surroundings.path}.content.${index}`;
    if (particle.kind === 'any') {
      const repeated = particle.max === 'unbounded' || (particle.max ?? 1) > 1;
      return { kind: 'any', property: particle.property ?? 'any', repeated };
    }
    if (particle.kind === 'choice' || particle.kind === 'sequence') {
      const repeated = particle.max === 'unbounded' || (particle.max ?? 1) > 1 || surroundings.grouped === 'repeated';
      const grouped = repeated
        ? 'repeated'
        : particle.kind === 'choice' || particle.min === 0
          ? 'choice'
          : surroundings.grouped;
      const inner: Surroundings = { ...surroundings, path, grouped };
      return {
        kind: particle.kind,
        repeated,
        content: particle.content.map((each, at) => this.#particle(each, inner, at)),
      };
    }
    return this.element(particle as Element, { ...surroundings, path });
  }

  #attribute(attribute: Attribute, path: string): AttributePlan {
    const { name, namespace, property, type, as, required, default: byDefault, fixed } = attribute;
    const at = `${path}.attributes.${name}`;
    const plan = this.#simplePlan(type, at, as);
    // The prefix of a name has a meaning only in the old schema.
    const given = plan.hasNames ? undefined : (byDefault ?? fixed);
    const absent = given === undefined ? (required === true ? plan.absent : undefined) : parseGiven(plan, given, at);
    return {
      name,
      namespace: namespace ?? '',
      property: property ?? name,
      plan,
      required: required === true,
      absent,
      usual: given !== undefined && byDefault !== undefined && required !== true ? plan.format(absent) : undefined,
    };
  }

  /** The namespace of a type's elements. */
  #elementNamespace(namespace: string, encoded = false): string {
    return encoded || this.#encoded || this.#service.forms?.[namespace]?.elements === 'unqualified' ? '' : namespace;
  }
}

/** The plan of an element's texts. What is written keeps the element's own bounds; what is read is checked with them. */
function bounded(plan: Plan, { maxLength, singleLine = false }: Element): Plan {
  if (plan.kind !== 'simple' || (maxLength === undefined && !singleLine)) return plan;
  return {
    ...plan,
    format(value, name) {
      if (typeof value === 'string') checkText(value, { maxLength, singleLine });
      return plan.format(value, name);
    },
  };
}

/** The value of a default, or of what is fixed. @throws {TypeError} */
function parseGiven(plan: SimplePlan, text: string, path: string): unknown {
  try {
    return plan.parse(text, { form: 'element', timeZone: 'UTC', now: () => 0 });
  } catch (error) {
    if (error instanceof LexicalError) throw new TypeError(`${path}.default: ${error.reason}`);
    throw error;
  }
}
