import { takesText, textPlans } from '@ws01/asmx/internal/values/compile-simple';
import type { SimplePlan } from '@ws01/asmx/internal/values/plan';
import type { Attribute, Element, NamedType, Operation, Particle } from '../normal-form.ts';

type Types = Readonly<Record<string, NamedType>>;

/**
 * Leaves out defaults that their type does not allow, as SoapCore writes them: nobody could have
 * meant them.
 * @returns the types and operations, and a note for each member and parameter that lost one
 */
export function withCheckedDefaults(
  types: Types,
  operations: readonly Operation[],
): {
  readonly types: Types;
  readonly operations: readonly Operation[];
  readonly notes: readonly string[];
} {
  const notes: string[] = [];
  const planOf = textPlans(types as never);
  const checked = <M extends Element | Attribute>(member: M, owner: string): M => {
    const { default: initial, fixed, ...rest } = member;
    const given = initial ?? fixed;
    if (given === undefined || isAllowed(given, planOf(member.type))) return member;
    notes.push(`${owner}/${member.name} is served without its default, which its type forbids.`);
    return rest as M;
  };
  const particle = (each: Particle, owner: string): Particle => {
    if (each.kind === 'any') return each;
    if (each.kind !== 'sequence' && each.kind !== 'choice') return checked(each as Element, owner);
    return { ...each, content: each.content.map((inner) => particle(inner, owner)) };
  };
  const made = Object.entries(types).map(([key, type]) => {
    if (type.kind !== 'object') return [key, type] as const;
    const content = type.content.map((each) => particle(each, type.name));
    const attributes = type.attributes.map((each) => checked(each, type.name));
    return [key, { ...type, content, attributes }] as const;
  });
  const checkedOperations = operations.map((operation) => ({
    ...operation,
    parameters: operation.parameters.map((each) => checked(each, operation.name)),
    out: operation.out.map((each) => checked(each, operation.name)),
  }));
  return { types: Object.fromEntries(made), operations: checkedOperations, notes };
}

/** Whether the server could read a default. */
function isAllowed(text: string, plan: SimplePlan | undefined): boolean {
  return plan === undefined || takesText(plan, text);
}
