import { restrictedType } from '@ws01/asmx/internal/contract/scalar-facts';
import { LexicalError } from '@ws01/asmx/internal/lexical/lexical-error';
import { SCALARS } from '@ws01/asmx/internal/lexical/scalars';
import type { Attribute, Element, NamedType, Operation, Particle, Type } from '../normal-form.ts';

type Types = Readonly<Record<string, NamedType>>;

/**
 * Leaves out defaults that their type does not allow, as SoapCore writes them: nobody could have meant them.
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
  const checked = <M extends Element | Attribute>(member: M, owner: string): M => {
    const { default: initial, fixed, ...rest } = member;
    const given = initial ?? fixed;
    if (given === undefined || isAllowed(given, member.type, types)) return member;
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

function isAllowed(text: string, type: Type, types: Types): boolean {
  const base = restrictedType(type, types as never);
  if (typeof base !== 'string') {
    const named = types[base.ref];
    if (named?.kind !== 'enumeration' || named.base === 'QName') return true;
    const values = named.flags ? text.split(/\s+/).filter((each) => each !== '') : [text.trim()];
    return values.every((each) => named.values.includes(each));
  }
  // The prefix of a name has a meaning only in the old schema.
  if (base === 'QName' || base === 'NOTATION') return true;
  try {
    SCALARS[base].parse(text, { form: 'element', timeZone: 'UTC', now: () => 0 });
    return true;
  } catch (error) {
    if (!(error instanceof LexicalError)) throw error;
    return false;
  }
}
