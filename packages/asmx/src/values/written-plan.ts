import { shown } from '../lexical/numbers.ts';
import { propertiesOf } from './object-plan.ts';
import type { ArrayPlan, ObjectPlan, ParticlePlan } from './plan.ts';
import { ResultError, type ResultPath } from './result-error.ts';

/** The plan of the type that an object says it has. @throws {ResultError} */
export function actualPlan(
  declared: ObjectPlan,
  value: Readonly<Record<string, unknown>>,
  path: string | ResultPath,
): ObjectPlan {
  if (!declared.polymorphic) return declared;
  const { $type } = value;
  const plan = $type === undefined ? declared : declared.family.get(String($type));
  if (plan === undefined)
    throw new ResultError(
      path,
      `its $type ${JSON.stringify($type)} does not extend ${declared.key}.`,
    );
  if (plan.abstract)
    throw new ResultError(path, `the type ${plan.key} is abstract; say which by $type.`);
  return plan;
}

/**
 * The branch of a choice that has all members which are set; of none that is set, one that has a
 * member which is null.
 * @throws {ResultError} where no branch has all.
 */
export function branchOf(
  branches: readonly ParticlePlan[],
  value: Readonly<Record<string, unknown>>,
  path: ResultPath,
): ParticlePlan | undefined {
  const isGiven = (property: string) => value[property] !== undefined && value[property] !== null;
  const given = propertiesOf(branches).filter(isGiven);
  if (given.length === 0)
    return branches.find((each) => propertiesOf([each]).some((name) => value[name] === null));
  const found = branches.find((each) => {
    const properties = propertiesOf([each]);
    return given.every((name) => properties.includes(name));
  });
  if (found !== undefined) return found;
  throw new ResultError(path, `only one of ${[...new Set(given)].join(', ')} may be there.`);
}

/**
 * The sizes and items of an array in all of its dimensions.
 * @throws {ResultError} where rows are not alike.
 */
export function sizedCells(
  { rank }: ArrayPlan,
  value: unknown,
  path: ResultPath,
): { readonly sizes: readonly number[]; readonly cells: readonly unknown[] } {
  const sizes: number[] = [];
  let cells = [value];
  while (sizes.length < rank) {
    const size = Array.isArray(cells[0]) ? cells[0].length : 0;
    for (const row of cells) {
      if (!Array.isArray(row)) throw new ResultError(path, `${shown(row)} is not a list.`);
      if (row.length !== size) throw new ResultError(path, 'its rows are not of one length.');
    }
    sizes.push(size);
    cells = cells.flat();
  }
  return { sizes, cells };
}
