import {
  clark,
  type ElementPlan,
  type Family,
  leavesOf,
  type ObjectPlan,
  type ParticlePlan,
} from './plan.ts';
import { textPlanOf } from './value-reading.ts';

/** Of what has no type of its own: a message. */
const NO_FAMILY: Family = { get: () => undefined, named: () => undefined };

/** The properties of an object type's members and, around them, those of its bases. */
export class MemberNames {
  /** What has each property: an element by its name, or an attribute. */
  readonly #owners = new Map<string, string>();
  /** Of each open type, the properties that it added. */
  readonly #opened: string[][] = [];

  /**
   * Begins a type that extends the one that is open.
   * @throws {TypeError} when two members have one property.
   */
  open(
    {
      content,
      attributes,
      anyAttribute,
    }: Pick<ObjectPlan, 'content' | 'attributes' | 'anyAttribute'>,
    path: string,
  ): void {
    this.#opened.push([]);
    if (anyAttribute !== undefined) this.#take(anyAttribute, ANY_ATTRIBUTE, path);
    for (const { property } of attributes) this.#take(property, ATTRIBUTE, path);
    for (const { property } of allOf('rounds', content)) this.#take(property, ROUNDS, path);
    for (const { property, namespace, name, within } of elementsOf(content))
      if (within === undefined) this.#take(property, clark(namespace, name), path);
  }

  /** Ends it: its properties are free again. */
  close(): void {
    for (const property of this.#opened.pop()!) this.#owners.delete(property);
  }

  #take(property: string, owner: string, path: string): void {
    const known = this.#owners.get(property);
    // An element may stand in several groups.
    if (known === owner) return;
    if (known !== undefined)
      throw new TypeError(`${path}: the property ${property} stands there twice.`);
    this.#owners.set(property, owner);
    this.#opened.at(-1)!.push(property);
  }
}

const ATTRIBUTE = '';
const ROUNDS = '*';
/** A derived type may allow them again: they are one property. */
const ANY_ATTRIBUTE = '@';

/** The elements of particles; those of a group that repeats with that group. */
function elementsOf(particles: readonly ParticlePlan[]): readonly ElementPlan[] {
  return particles.flatMap((particle) => {
    switch (particle.kind) {
      case 'element':
        return [particle];
      case 'any':
        return [];
      case 'rounds':
        return elementsOf(particle.plan.content).map((each) => ({ ...each, within: particle }));
      default:
        return elementsOf(particle.content);
    }
  });
}

/** The particles of one kind, wherever in groups that do not repeat. */
function allOf<K extends 'any' | 'rounds'>(
  kind: K,
  particles: readonly ParticlePlan[],
): readonly (ParticlePlan & { readonly kind: K })[] {
  return particles.flatMap((particle) => {
    if (particle.kind === kind) return [particle as ParticlePlan & { readonly kind: K }];
    return 'content' in particle ? allOf(kind, particle.content) : [];
  });
}

/** The properties that particles have, in their order. */
export function propertiesOf(particles: readonly ParticlePlan[]): readonly string[] {
  return particles.flatMap((particle) =>
    'content' in particle ? propertiesOf(particle.content) : [particle.property],
  );
}

/**
 * Makes the plan of an object that extends nothing and that nothing extends. Its elements include
 * those in groups.
 */
export function objectPlan(
  made: Omit<
    ObjectPlan,
    | 'byName'
    | 'elements'
    | 'defaults'
    | 'leaves'
    | 'hasNames'
    | 'textPlan'
    | 'any'
    | 'rounds'
    | 'polymorphic'
    | 'family'
  >,
): ObjectPlan {
  const byName = new Map<string, ElementPlan[]>();
  for (const element of elementsOf(made.content)) {
    const same = byName.get(element.name);
    if (same === undefined) byName.set(element.name, [element]);
    else if (
      !same.some(
        ({ namespace, property, within }) =>
          namespace === element.namespace &&
          property === element.property &&
          within?.property === element.within?.property,
      )
    )
      same.push(element);
  }
  const { text } = made;
  const distinct = [...byName.values()].flat().filter(({ within }) => within === undefined);
  return {
    ...made,
    byName,
    elements: distinct,
    defaults: distinct.filter(({ absent, grouped }) => absent !== undefined && !grouped),
    // Which of several with one name is meant depends on those before it.
    leaves: leavesOf(distinct.filter(({ name }) => byName.get(name)!.length === 1)),
    textPlan: text && textPlanOf(text, { absent: text.absent, isContent: true }),
    hasNames: text?.hasNames === true || made.attributes.some(({ plan }) => plan.hasNames),
    any: allOf('any', made.content),
    rounds: allOf('rounds', made.content),
    polymorphic: false,
    family: NO_FAMILY,
  };
}
