import { MEDIA_TYPE } from '../contract/media-type.ts';
import type { Attribute, DateTimeForm, Element, Type } from '../contract/types.ts';
import { LexicalError } from '../lexical/lexical-error.ts';
import { checkText } from '../lexical/texts.ts';
import {
  type AttributePlan,
  type ElementPlan,
  type Plan,
  type SimplePlan,
  tagsOf,
} from './plan.ts';
import { textPlanOf } from './value-reading.ts';

/** The surroundings of elements. */
export interface Surroundings {
  readonly namespace: string;
  /** That of the schema, whatever the elements are in; the service's when absent. */
  readonly target?: string;
  readonly path: string;
  /** Whether they are in a group, none of which need be there. */
  readonly grouped?: boolean;
  /** They are the parameters of an operation: a file among them is read as it arrives. */
  readonly parameters?: boolean;
  /** They are a message's: those of bytes may stand beside the envelope. */
  readonly inMessage?: boolean;
}

/** The plans of types, for the elements and attributes that have them. */
export interface TypePlans {
  /**
   * The plan of an element's type, which is complete before the first request.
   * @param path where the type stands, for errors. @throws {TypeError} where the contract has no
   *   such type.
   */
  ofElement(element: Element, path: string): Plan;
  /**
   * The plan of a type that is written as a text.
   * @param as for a dateTime.
   * @throws {TypeError} for any other.
   */
  ofText(type: Type, path: string, as?: DateTimeForm): SimplePlan;
}

/** The plan of an element. @throws {TypeError} with the path of what is wrong. */
export function elementPlan(
  element: Element,
  { namespace, path, grouped = false, parameters, inMessage }: Surroundings,
  types: TypePlans,
): ElementPlan {
  if (typeof element?.name !== 'string' || element.name === '')
    throw new TypeError(`${path}: an element must have a name.`);
  const plan = bounded(lessDates(types.ofElement(element, path), element), element);
  const simple = plan.kind === 'simple' ? plan : undefined;
  const isValueType = simple !== undefined && !simple.reference;
  const most = element.max === 'unbounded' ? Number.POSITIVE_INFINITY : (element.max ?? 1);
  const repeated = most > 1;
  checkAttachment(element, inMessage === true && !repeated, path);
  const nillable = element.nillable === true;
  const least = element.min ?? (nillable || isValueType ? 1 : 0);
  const byDefault = givenValue(element.default ?? element.fixed, simple, path);
  const mandatory = element.required === true;
  const isAlone = !repeated && !grouped;
  const isThere = isValueType && least > 0 && isAlone && !nillable;
  const assumed = isThere && !mandatory ? simple.absent : undefined;
  const absent = repeated ? undefined : (byDefault ?? assumed);
  const unset = repeated ? (simple?.absent ?? null) : absent;
  // .NET leaves out what has the value of its default. In a group what is absent has no value.
  const isLeftOut = byDefault !== undefined && element.default !== undefined && !grouped;
  const wireName = { name: element.name, namespace: element.namespace ?? namespace };
  return {
    kind: 'element',
    ...wireName,
    tags: tagsOf(wireName),
    property: element.property ?? element.name,
    plan,
    repeated,
    nillable,
    optional: least === 0 || grouped || !isValueType,
    mandatory,
    streams: parameters === true && element.type === 'base64Binary' && !repeated,
    always: least > 0 && !grouped,
    absent,
    attachment: element.attachment,
    nil: nillable ? null : unset,
    grouped,
    usual: isLeftOut && least === 0 && !repeated ? simple!.format(byDefault) : undefined,
    text: simple && textPlanOf(simple, { ...element, absent }),
  };
}

/** The plan of an attribute of a type. @param path that of the type. @throws {TypeError} */
export function attributePlan(attribute: Attribute, path: string, types: TypePlans): AttributePlan {
  const { name, namespace = '', property = name, type, as, default: byDefault, fixed } = attribute;
  const at = `${path}.attributes.${name}`;
  const required = attribute.required === true;
  const plan = types.ofText(type, at, as);
  const given = givenValue(byDefault ?? fixed, plan, at);
  const absent = given ?? (required ? plan.absent : undefined);
  const isLeftOut = given !== undefined && byDefault !== undefined && !required;
  return {
    name,
    namespace,
    property,
    plan,
    required,
    absent,
    text: textPlanOf(plan, { absent }),
    usual: isLeftOut ? plan.format(given) : undefined,
  };
}

/**
 * The value of a default, or of what is fixed; `undefined` without one, and for names, whose
 * prefixes have a meaning only in the old schema. @throws {TypeError}
 */
function givenValue(text: string | undefined, plan: SimplePlan | undefined, path: string): unknown {
  if (text === undefined || plan === undefined || plan.hasNames) return undefined;
  try {
    return plan.parse(text, { form: 'element', timeZone: 'UTC', now: () => 0 });
  } catch (error) {
    if (error instanceof LexicalError) throw new TypeError(`${path}.default: ${error.reason}`);
    throw error;
  }
}

/**
 * @throws {TypeError} where something else than bytes, or no part of a message, is to stand beside
 *   the envelope.
 */
function checkAttachment({ attachment, type }: Element, isAllowed: boolean, path: string): void {
  if (attachment === undefined) return;
  const isBytes = type === 'base64Binary' || type === 'hexBinary';
  if (!isAllowed || !isBytes)
    throw new TypeError(
      `${path}.attachment: only parameters and results of bytes are attachments.`,
    );
  if (!Array.isArray(attachment) || !attachment.every((each) => MEDIA_TYPE.test(each)))
    throw new TypeError(`${path}.attachment: it must be a list of media types.`);
}

/** A plan for which some dates mean "not given". */
function lessDates(plan: Plan, { notGiven }: Element): Plan {
  if (plan.kind !== 'simple' || notGiven === undefined) return plan;
  return { ...plan, parse: (text, context) => plan.parse(text, { ...context, notGiven }) };
}

/**
 * The plan of an element's texts. What is written keeps the element's own bounds; what is read is
 * checked with them.
 */
function bounded(plan: Plan, { maxLength, singleLine = false }: Element): Plan {
  if (plan.kind !== 'simple' || (maxLength === undefined && !singleLine)) return plan;
  return {
    ...plan,
    format(value, name) {
      if (typeof value === 'string') checkText(value, { maxLength, singleLine });
      return plan.format(value, name);
    },
  };
}
