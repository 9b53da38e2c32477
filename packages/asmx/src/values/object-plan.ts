import {
  type AnyPlan,
  clark,
  type ElementPlan,
  type Family,
  leavesOf,
  type ObjectPlan,
  type ParticlePlan,
} from './plan.ts';

/** Of what has no type of its own: a message. */
const NO_FAMILY: Family = { get: () => undefined, named: () => undefined };

/** The properties of an object type's members and, around them, those of its bases. */
export class MemberNames {
  /** What has each property: an element by its name, or an attribute. */
  readonly #owners = new Map<string, string>();
  /** Of each open type, the properties that it added. */
  readonly #opened: string[][] = [];

  /** Begins a type that extends the one that is open. @throws {TypeError} when two members have one property. */
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
    for (const { property, namespace, name } of elementsOf(content))
      this.#take(property, clark(namespace, name), path);
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
/** A derived type may allow them again: they are one property. */
const ANY_ATTRIBUTE = '@';

function elementsOf(particles: readonly ParticlePlan[]): readonly ElementPlan[] {
  return particles.flatMap((particle) =>
    particle.kind === 'element'
      ? [particle]
      : particle.kind === 'any'
        ? []
        : elementsOf(particle.content),
  );
}

function anyOf(particles: readonly ParticlePlan[]): AnyPlan | undefined {
  for (const particle of particles) {
    const found =
      particle.kind === 'any'
        ? particle
        : particle.kind === 'element'
          ? undefined
          : anyOf(particle.content);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Makes the plan of an object that extends nothing and that nothing extends. Its elements include those in groups. */
export function objectPlan(
  made: Omit<
    ObjectPlan,
    'byName' | 'elements' | 'defaults' | 'leaves' | 'hasNames' | 'any' | 'polymorphic' | 'family'
  >,
): ObjectPlan {
  const byName = new Map<string, ElementPlan[]>();
  for (const element of elementsOf(made.content)) {
    const same = byName.get(element.name);
    if (same === undefined) byName.set(element.name, [element]);
    else if (
      !same.some(
        ({ namespace, property }) =>
          namespace === element.namespace && property === element.property,
      )
    )
      same.push(element);
  }
  const distinct = [...byName.values()].flat();
  return {
    ...made,
    byName,
    elements: distinct,
    defaults: distinct.filter(({ absent }) => absent !== undefined),
    leaves: leavesOf(distinct),
    hasNames: made.text?.hasNames === true || made.attributes.some(({ plan }) => plan.hasNames),
    any: anyOf(made.content),
    polymorphic: false,
    family: NO_FAMILY,
  };
}
