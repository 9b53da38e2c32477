import type { ElementPlan, ObjectPlan, Plan } from './plan.ts';

/**
 * The path of the first value, in the order of the contract, that must be there and is not;
 * `undefined` for none.
 * @param values by property. Their depth is bounded, because they were read.
 */
export function missingIn(
  elements: readonly ElementPlan[],
  values: Readonly<Record<string, unknown>>,
  path = '',
): string | undefined {
  for (const element of elements) {
    const { property, plan, repeated, mandatory } = element;
    const value = values[property];
    const here = path === '' ? property : `${path}.${property}`;
    if (value === undefined && mandatory) return here;
    const found = repeated
      ? missingInItems(element, value, here)
      : missingInside(plan, value, here);
    if (found !== undefined) return found;
  }
  return undefined;
}

function missingInside(plan: Plan, value: unknown, path: string): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (plan.kind === 'array') return missingInItems(plan.item, value, path);
  if (plan.kind !== 'object') return undefined;
  const members = value as Readonly<Record<string, unknown>>;
  const actual: ObjectPlan = plan.family.get(String(members.$type)) ?? plan;
  return missingIn(actual.elements, members, path);
}

function missingInItems(element: ElementPlan, items: unknown, path: string): string | undefined {
  if (!Array.isArray(items)) return undefined;
  const mayBeNull = !element.mandatory || element.nillable;
  for (const [at, item] of items.entries()) {
    const here = `${path}[${at}]`;
    if (item === null && !mayBeNull) return here;
    const found = missingInside(element.plan, item, here);
    if (found !== undefined) return found;
  }
  return undefined;
}
