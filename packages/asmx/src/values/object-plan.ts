import { type AnyPlan, type ElementPlan, leavesOf, type ObjectPlan, type ParticlePlan } from './plan.ts';

/**
 * Makes the plan of an object that extends nothing and that nothing extends. Its elements include those in groups.
 * @throws {TypeError} when two members have one property.
 */
export function objectPlan(
  made: Omit<ObjectPlan, 'byName' | 'elements' | 'defaults' | 'leaves' | 'any' | 'polymorphic' | 'family'>,
  path: string,
): ObjectPlan {
  const elements: ElementPlan[] = [];
  let any: AnyPlan | undefined;
  const collect = (particles: readonly ParticlePlan[]): void => {
    for (const particle of particles) {
      if (particle.kind === 'element') elements.push(particle);
      else if (particle.kind === 'any') any ??= particle;
      else collect(particle.content);
    }
  };
  collect(made.content);
  const byName = new Map<string, ElementPlan[]>();
  const properties = new Set<string>(made.attributes.map(({ property }) => property));
  for (const element of elements) {
    const same = byName.get(element.name);
    if (same?.some(({ namespace, property }) => namespace === element.namespace && property === element.property))
      continue;
    if (properties.has(element.property))
      throw new TypeError(`${path}: the property ${element.property} stands there twice.`);
    properties.add(element.property);
    if (same === undefined) byName.set(element.name, [element]);
    else same.push(element);
  }
  const distinct = [...byName.values()].flat();
  return {
    ...made,
    byName,
    elements: distinct,
    defaults: distinct.filter(({ absent }) => absent !== undefined),
    leaves: leavesOf(distinct),
    any,
    polymorphic: false,
    family: new Map(),
  };
}
