import type { XmlElement } from '../../xml/handler.ts';
import { propertiesOf } from '../object-plan.ts';
import type { AnyPlan, ElementPlan, ObjectPlan, ParticlePlan, RoundsPlan } from '../plan.ts';

/**
 * The element of the plan that a child is: of several with its name the first
 * that is free, and that may follow what was read.
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
  const [only] = named;
  if (named.length === 1 && only!.namespace === uri) return only;
  const ours = named.filter(({ namespace }) => namespace === uri);
  const free = ours.filter(
    ({ repeated, within, property }) =>
      repeated || within !== undefined || !Object.hasOwn(value, property),
  );
  const has = Object.keys(value);
  const next = free.find((each) => mayFollow(plan.content, has, (each.within ?? each).property));
  const taken = next ?? free[0] ?? ours[0];
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
  const isFree = ({ property, repeated }: AnyPlan) => repeated || !Object.hasOwn(value, property);
  const has = Object.keys(value);
  const free = any.filter(isFree);
  const allowing = free.filter(({ allows }) => allows(uri));
  return (
    allowing.find(({ property }) => mayFollow(content, has, property)) ??
    allowing[0] ??
    free[0] ??
    only
  );
}

/** What may be in a round of a group that repeats. */
export type RoundMember = ElementPlan | AnyPlan | RoundsPlan;

/** Whether a round with some members may have another one, after them. */
export function mayHave(
  { content }: ObjectPlan,
  has: readonly string[],
  { property, ...member }: RoundMember,
): boolean {
  const isList = member.kind === 'rounds' || member.repeated;
  if (has.includes(property)) return isList && has.at(-1) === property;
  return mayFollow(content, has, property);
}

/** Whether particles allow a member after others: in their branch of a choice, and behind them. */
function mayFollow(
  particles: readonly ParticlePlan[],
  has: readonly string[],
  property: string,
): boolean {
  return particles.some((particle, at) => {
    const own = propertiesOf([particle]);
    if (!own.includes(property)) return false;
    const later = propertiesOf(particles.slice(at + 1));
    if (has.some((each) => later.includes(each) && !own.includes(each))) return false;
    if (!('content' in particle)) return true;
    if (particle.kind === 'sequence') return mayFollow(particle.content, has, property);
    const others = has.filter((each) => own.includes(each));
    return particle.content.some((branch) => {
      const properties = propertiesOf([branch]);
      const isTheirs = others.every((each) => properties.includes(each));
      return isTheirs && mayFollow([branch], others, property);
    });
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
