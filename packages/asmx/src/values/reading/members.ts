import type { XmlElement } from '../../xml/handler.ts';
import { propertiesOf } from '../object-plan.ts';
import type { AnyPlan, ElementPlan, GroupPlan, ObjectPlan, RoundsPlan } from '../plan.ts';

/**
 * The element of the plan that a child is: of several with its name the first that is free.
 * @param forgiving whether an element that the contract has in no namespace may be in one (SOAP
 *   encoding), and whether it may be in any other one.
 * @param value what was read so far.
 */
export function memberOf(
  plan: ObjectPlan,
  { local, uri }: XmlElement,
  { isEncoded, byLocalName }: { readonly isEncoded: boolean; readonly byLocalName: boolean },
  value: Readonly<Record<string, unknown>>,
): ElementPlan | undefined {
  const named = plan.byName.get(local);
  if (named === undefined) return undefined;
  let taken: ElementPlan | undefined;
  for (const each of named) {
    if (each.namespace !== uri) continue;
    const isFree =
      each.repeated || each.within !== undefined || !Object.hasOwn(value, each.property);
    if (isFree) return each;
    taken ??= each;
  }
  if (taken !== undefined) return taken;
  if (byLocalName && plan.any.length === 0)
    return named.find(({ property }) => !Object.hasOwn(value, property)) ?? named[0];
  return isEncoded ? named.find(({ namespace }) => namespace === '') : undefined;
}

/**
 * Where an element that no member is may stand: of several places in the first that allows it, is
 * free and has nothing behind it yet.
 */
export function anyOf(
  { any, content }: ObjectPlan,
  { uri }: XmlElement,
  value: Readonly<Record<string, unknown>>,
): AnyPlan | undefined {
  const [only, another] = any;
  if (another === undefined) return only;
  const inOrder = propertiesOf(content);
  const isFree = ({ property, repeated }: AnyPlan) => repeated || !Object.hasOwn(value, property);
  const isPassed = ({ property }: AnyPlan) =>
    inOrder.slice(inOrder.indexOf(property) + 1).some((each) => Object.hasOwn(value, each));
  const free = any.filter(isFree);
  const allowing = free.filter(({ allows }) => allows(uri));
  return allowing.find((each) => !isPassed(each)) ?? allowing[0] ?? free[0] ?? only;
}

/** What may be in a round of a group that repeats. */
export type RoundMember = ElementPlan | AnyPlan | RoundsPlan;

/** Whether a round with some members may have another one, after them. */
export function mayHave(
  { content }: ObjectPlan,
  has: readonly string[],
  { property, ...member }: RoundMember,
): boolean {
  const [group] = content as readonly [GroupPlan];
  const isList = member.kind === 'rounds' || member.repeated;
  if (has.includes(property)) return isList && has.at(-1) === property;
  const branches = group.kind === 'choice' ? group.content.map((each) => [each]) : [group.content];
  return branches.map(propertiesOf).some((properties) => {
    const at = properties.indexOf(property);
    return at >= 0 && has.every((each) => properties.slice(0, at).includes(each));
  });
}

/** Sets the values of absent members. */
export function setAbsent(plan: ObjectPlan, value: Record<string, unknown>): void {
  for (const { property, absent } of plan.defaults) {
    if (value[property] === undefined) value[property] = absent;
  }
  for (const { property, plan: round } of plan.rounds)
    for (const each of (value[property] ?? []) as Record<string, unknown>[]) setAbsent(round, each);
}
