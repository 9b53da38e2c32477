import type { MessagePlan } from './message-plan.ts';
import type { ObjectPlan, ParticlePlan, Plan } from './plan.ts';

/** How deep a result is looked at: it may contain itself. */
const LEVELS = 16;

/**
 * The members of a handler's result that its contract has no place for, by path: they do not reach
 * the client. Of a list the first item is looked at, because all of them are made in one place.
 */
export function unknownMembers(message: MessagePlan, returned: unknown): readonly string[] {
  const { result, out, response } = message;
  const found: string[] = [];
  if (out.length === 0) {
    if (result !== undefined) lookAt(result.plan, result.repeated, returned, result.property);
    return found;
  }
  const { value, out: parts } = returned as { readonly value?: unknown; readonly out: object };
  if (result !== undefined) lookAt(result.plan, result.repeated, value, result.property);
  lookInto({ ...response, elements: out }, parts, 'out', 1);
  return found;

  function lookAt(plan: Plan, isList: boolean, value: unknown, path: string, level = 0): void {
    if (isList || plan.kind === 'array') {
      if (!Array.isArray(value) || value.length === 0) return;
      const item = plan.kind === 'array' && !isList ? plan.item : undefined;
      lookAt(item?.plan ?? plan, item?.repeated ?? false, value[0], `${path}[0]`, level + 1);
    } else if (plan.kind === 'object') lookInto(plan, value, path, level);
  }

  function lookInto(declared: ObjectPlan, value: unknown, path: string, level: number): void {
    if (typeof value !== 'object' || value === null || level > LEVELS) return;
    const { $type } = value as { readonly $type?: unknown };
    const plan = declared.family.get(String($type)) ?? declared;
    const names = namesOf(plan);
    for (const [key, member] of Object.entries(value)) {
      if (member === undefined) continue;
      const element = plan.elements.find(({ property }) => property === key);
      const at = `${path}.${key}`;
      if (element !== undefined) lookAt(element.plan, element.repeated, member, at, level + 1);
      else if (!names.has(key) && typeof member !== 'function') found.push(at);
    }
  }
}

/** The properties of an object that are none of its elements. */
function namesOf(plan: ObjectPlan): ReadonlySet<string> {
  const names = new Set(['$type', ...plan.attributes.map(({ property }) => property)]);
  if (plan.anyAttribute !== undefined) names.add(plan.anyAttribute);
  if (plan.text !== undefined) names.add('value');
  if (plan.mixed) names.add('xml');
  const visit = (particles: readonly ParticlePlan[]): void => {
    for (const particle of particles) {
      if ('property' in particle) names.add(particle.property);
      else visit(particle.content);
    }
  };
  visit(plan.content);
  return names;
}
