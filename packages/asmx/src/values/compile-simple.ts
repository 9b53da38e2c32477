import type { NamedType, Type } from '../contract/types.ts';
import { LexicalError } from '../lexical/lexical-error.ts';
import type { TypePlans } from './compile-element.ts';
import type { Plan, SimplePlan } from './plan.ts';
import { enumerationPlan, listPlan, restrictedPlan, scalarPlan, unionPlan } from './simple-plan.ts';

type SimpleType = Exclude<NamedType, { kind: 'array' | 'object' }>;

/** Where the plans of a contract's simple types go, and what they are made of. */
export interface SimpleTypes {
  readonly types: Readonly<Record<string, NamedType>>;
  /** The namespace of a type that names none. */
  readonly namespace: string;
  /** The plans by the keys of their types; those of simple types are added. */
  readonly plans: Map<string, Plan>;
  readonly ofText: TypePlans['ofText'];
}

/**
 * The plan of a simple type, after those that it is made of.
 * @throws {TypeError} where it is made of itself.
 */
export function simpleInOrder(first: string, all: SimpleTypes): Plan {
  const { types, plans } = all;
  const stack = [first];
  const waiting = new Set<string>();
  for (let key = stack.at(-1); key !== undefined; key = stack.at(-1)) {
    const type = Object.hasOwn(types, key) ? types[key] : undefined;
    if (plans.has(key) || type === undefined || !isSimple(type)) {
      stack.pop();
      continue;
    }
    const path = `types.${key}`;
    const open = waiting.has(key) ? [] : madeOf(type).filter((each) => !plans.has(each.key));
    waiting.add(key);
    for (const { key: each, at } of open) {
      if (waiting.has(each))
        throw new TypeError(`${path}.${at}: the type ${each} is made of itself.`);
      stack.push(each);
    }
    if (open.length > 0) continue;
    plans.set(key, planOf(type, path, all));
    waiting.delete(key);
    stack.pop();
  }
  return plans.get(first)!;
}

function isSimple(type: NamedType): type is SimpleType {
  return type.kind !== 'array' && type.kind !== 'object';
}

function planOf(type: SimpleType, path: string, { namespace, ofText }: SimpleTypes): SimplePlan {
  const named = { name: type.name, namespace: type.namespace ?? namespace };
  switch (type.kind) {
    case 'enumeration':
      if (type.values.length === 0)
        throw new TypeError(`${path}.values: an enumeration must have a value.`);
      return enumerationPlan(type, named);
    case 'list':
      return listPlan(type, ofText(type.item, `${path}.item`), named);
    case 'union': {
      const members = type.members.map((each, index) => ofText(each, `${path}.members.${index}`));
      return unionPlan(type, members, named);
    }
    case 'simple':
      return restrictedPlan(type, ofText(type.base, `${path}.base`), named);
    default: {
      const { kind } = type as NamedType;
      throw new TypeError(`${path}.kind: there is no kind ${JSON.stringify(kind)}.`);
    }
  }
}

/** The types that a simple type is made of, by the members that name them. */
function madeOf(type: SimpleType): { readonly key: string; readonly at: string }[] {
  const of = (given: Type, at: string) =>
    typeof given === 'string' || typeof given?.ref !== 'string' ? [] : [{ key: given.ref, at }];
  if (type.kind === 'simple') return of(type.base, 'base');
  if (type.kind === 'list') return of(type.item, 'item');
  if (type.kind !== 'union') return [];
  return type.members.flatMap((member, index) => of(member, `members.${index}`));
}

/**
 * The plans of the texts of some types, as the server has them: of a type its plan, and `undefined`
 * of what is no text. A plan is made when it is first asked for. @throws {TypeError} where a type
 * is made of itself.
 */
export function textPlans(
  types: Readonly<Record<string, NamedType>>,
): (type: Type) => SimplePlan | undefined {
  const plans = new Map<string, Plan>();
  const ofText = (type: Type): SimplePlan => {
    if (typeof type === 'string') return scalarPlan(type, undefined);
    return simpleInOrder(type.ref, { types, namespace: '', plans, ofText }) as SimplePlan;
  };
  return (type) => {
    if (typeof type === 'string') return ofText(type);
    const named = types[type.ref];
    return named !== undefined && isSimple(named) ? ofText(type) : undefined;
  };
}

/**
 * Whether a plan reads a text. The prefix of a name has a meaning only where it stands, so a name
 * always passes.
 */
export function takesText(plan: SimplePlan, text: string): boolean {
  if (plan.hasNames) return true;
  try {
    plan.parse(text, { form: 'element', timeZone: 'UTC', now: () => 0 });
    return true;
  } catch (error) {
    if (!(error instanceof LexicalError)) throw error;
    return false;
  }
}
