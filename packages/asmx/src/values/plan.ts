import type { ScalarType } from '../contract/types.ts';
import type { LexicalContext } from '../lexical/index.ts';
import type { WriteName } from '../lexical/lexical-context.ts';
import type { Content } from '../xml/handler.ts';
import { escapeAttribute } from '../xml/writer.ts';

/** A plan: a type compiled for reading and writing values, once, before the first request. */
export type Plan = SimplePlan | ArrayPlan | ObjectPlan | XmlPlan | AnyTypePlan | DataSetPlan;

/** A name on the wire. */
export interface WireName {
  readonly name: string;
  /** `''` for none. */
  readonly namespace: string;
}

/** Texts: scalars, enumerations, lists, unions, and restrictions of them. */
export interface SimplePlan extends WireName {
  readonly kind: 'simple';
  /** The scalar that it is or restricts; `undefined` of lists, unions and enumerations. */
  readonly scalar: ScalarType | undefined;
  /** Reads a value. @throws {LexicalError} */
  readonly parse: (text: string, context: LexicalContext) => unknown;
  /** Writes a value. @throws {LexicalError} for one that the type forbids. */
  readonly format: (value: unknown, name?: WriteName) => string;
  /**
   * Checks bytes that came without a text: beside the message, or as a list of numbers.
   * @throws {LexicalError}
   */
  readonly checkBytes?: (bytes: Uint8Array) => void;
  /** The value for an absent text. */
  readonly absent: unknown;
  /** Whether an empty text is a value. */
  readonly emptyIsValue: boolean;
  /** Whether .NET's type may be null. */
  readonly reference: boolean;
  /** What .NET writes for a value that was never set; `undefined` when the value is required. */
  readonly unset: string | undefined;
  /**
   * Where its bytes stand, if it is bytes: in a message or, by MTOM, beside it; always beside it
   * (swaRef).
   */
  readonly bytes: 'inside' | 'beside' | undefined;
  /** QName and types made of it: the prefixes in scope resolve its texts. */
  readonly hasNames: boolean;
  /** Whether its texts contain no character that XML escapes or forbids. */
  readonly isPlain: boolean;
  readonly json: 'string' | 'number' | 'boolean' | 'dateTime' | 'list';
}

/** A repeated element inside a wrapper. */
export interface ArrayPlan extends WireName {
  readonly kind: 'array';
  readonly item: ElementPlan;
  readonly leaves: LeavesPlan;
  readonly encoded: boolean;
  /** How many dimensions it has. The items of one with several are such arrays with one less. */
  readonly rank: number;
}

/** The items of an array in all of its dimensions, which stand side by side on the wire. */
export function cellOf({ item, rank }: ArrayPlan): ElementPlan {
  let cell = item;
  for (let at = 1; at < rank; at++) cell = (cell.plan as ArrayPlan).item;
  return cell;
}

export interface ObjectPlan extends WireName {
  readonly kind: 'object';
  /** The key of its type in the contract; `''` of a message. */
  readonly key: string;
  readonly abstract: boolean;
  /** The particles; those of the base first. */
  readonly content: readonly ParticlePlan[];
  /**
   * All elements, those in groups too, by local name; those in groups that repeat with that group.
   */
  readonly byName: ReadonlyMap<string, readonly ElementPlan[]>;
  /** Those that are properties of the object itself. */
  readonly elements: readonly ElementPlan[];
  /** The elements that have a value when they are absent. */
  readonly defaults: readonly ElementPlan[];
  readonly leaves: LeavesPlan;
  readonly attributes: readonly AttributePlan[];
  /** The property that has the attributes which no type declares. */
  readonly anyAttribute: string | undefined;
  readonly text: SimplePlan | undefined;
  /** How that text is read. */
  readonly textPlan: TextPlan | undefined;
  /** Whether its attributes or its text have names with prefixes, to be declared on its element. */
  readonly hasNames: boolean;
  readonly mixed: boolean;
  /** Where it may have any elements, in their order. */
  readonly any: readonly AnyPlan[];
  readonly rounds: readonly RoundsPlan[];
  /** Whether it extends another or is extended: its values have a `$type`. */
  readonly polymorphic: boolean;
  /** Itself and all that extend it. */
  readonly family: Family;
}

/** Plans by a text. They may be completed when they are first asked for. */
export interface Lookup<P> {
  get(name: string): P | undefined;
}

/** An object type and all that extend it, by their keys. */
export interface Family extends Lookup<ObjectPlan> {
  /** By `{namespace}name` of the type. */
  named(wireName: string): ObjectPlan | undefined;
}

/** A text of XML: the element inside. */
interface XmlPlan extends WireName {
  readonly kind: 'xml';
}

/** Any value, with its type beside it. */
export interface AnyTypePlan extends WireName {
  readonly kind: 'any';
  /** By `{namespace}name` of the type. */
  readonly byTypeName: Lookup<TypedPlan>;
  /** By what a value says in `$type`. */
  readonly byType: Lookup<Plan>;
}

export interface TypedPlan {
  readonly plan: Plan;
  /**
   * The key of the type, or the name of a scalar; `{namespace}name` of one that is called like a
   * key.
   */
  readonly $type: string;
}

interface DataSetPlan extends WireName {
  readonly kind: 'dataset';
  readonly table: boolean;
  /** What a typed one is called, and the namespace of its rows, where the handler says nothing. */
  readonly typed?: { readonly name: string; readonly namespace: string };
}

/** The tags of an element, built once. */
export interface Tags {
  /** `<name`, for an element in the default namespace. */
  readonly open: string;
  /** `<name>`, likewise. */
  readonly start: string;
  /** `<name xmlns="…"`, where it is another. */
  readonly openAnew: string;
  /** `</name>` */
  readonly close: string;
}

/** The same element under another name. */
export function renamed(element: ElementPlan, { name, namespace }: WireName): ElementPlan {
  return { ...element, name, namespace, tags: tagsOf({ name, namespace }) };
}

export function tagsOf({ name, namespace }: WireName): Tags {
  return {
    open: `<${name}`,
    start: `<${name}>`,
    openAnew: `<${name} xmlns="${escapeAttribute(namespace)}"`,
    close: `</${name}>`,
  };
}

/** The children of an element that are texts; the XML reader may report them whole. */
export interface LeavesPlan {
  readonly members: readonly ElementPlan[];
  /** How the reader treats the content of the element. */
  readonly content: Content;
}

/**
 * @param elements in the order of the contract, each with a name of its own; those that are texts in
 *   the namespace of the first are its leaves.
 */
export function leavesOf(elements: readonly ElementPlan[], repeated = false): LeavesPlan {
  const texts = elements.filter((each) => isScalar(each) && !each.streams);
  const uri = texts[0]?.namespace ?? '';
  const members = texts.filter(({ namespace }) => namespace === uri);
  const leaves = { uri, locals: members.map(({ name }) => name), repeated };
  return {
    members,
    content: members.length === 0 ? { mode: 'elements' } : { mode: 'elements', leaves },
  };
}

/** Whether an element is one text, which means the same wherever it stands. */
export function isScalar(element: ElementPlan): element is ScalarPlan {
  const { text, repeated } = element;
  return text?.hasNames === false && !text.isReference && !repeated;
}

/** An element of one text. */
export interface ScalarPlan extends ElementPlan {
  readonly plan: SimplePlan;
  readonly text: TextPlan;
}

export interface ElementPlan extends WireName {
  readonly kind: 'element';
  readonly tags: Tags;
  readonly property: string;
  readonly plan: Plan;
  /** Whether the value is a list. */
  readonly repeated: boolean;
  readonly nillable: boolean;
  /** Whether it may be absent. */
  readonly optional: boolean;
  /** Whether a call without it is refused. */
  readonly mandatory: boolean;
  /** A parameter that is a file: its bytes go to the service's sink as they arrive. */
  readonly streams: boolean;
  /**
   * Whether `minOccurs` is above 0. Without a value it is then written as `xsi:nil`, if that is
   * allowed.
   */
  readonly always: boolean;
  /** The value for an absent text. */
  readonly absent: unknown;
  /** The value for `xsi:nil`, and for null in JSON; of a list, that of an item. */
  readonly nil: unknown;
  /** The media types, if it is a part beside the envelope instead of an element. */
  readonly attachment: readonly string[] | undefined;
  /** The text of the default value, which is not written, as .NET does with DefaultValue. */
  readonly usual: string | undefined;
  /** The group around it that repeats. */
  readonly within?: RoundsPlan;
  /** Whether it is in a group, where what is absent has no value. */
  readonly grouped: boolean;
  /** How its text is read, where it is one. */
  readonly text: TextPlan | undefined;
}

/**
 * How a text is read: all that is asked of it for each value. All have one shape, however their
 * types are made, because what V8 knows the shape of takes it a fraction of the time.
 */
export interface TextPlan {
  readonly parse: SimplePlan['parse'];
  /** The value for an absent text. */
  readonly absent: unknown;
  /** Whether an empty text is a value. */
  readonly emptyIsValue: boolean;
  readonly maxLength: number | undefined;
  readonly singleLine: boolean;
  readonly isPlain: boolean;
  /** Whether any text that XML allows is its own value. */
  readonly isVerbatim: boolean;
  readonly hasNames: boolean;
  /** Whether it is the URL of a part beside the message, whose bytes are the value. */
  readonly isReference: boolean;
  /** Whether faults may say where it stands: .NET has words for what cannot be read of its type. */
  readonly isPlaced: boolean;
  /** Whether it is the content of an object, and no member. */
  readonly isContent: boolean;
  /** Of an element of any type, the one that its value said it has. */
  readonly $type: string | undefined;
  /** What prefixes mean in it, where its value has some. */
  readonly namespaceOf: LexicalContext['namespaceOf'];
}

export interface GroupPlan {
  readonly kind: 'sequence' | 'choice';
  readonly content: readonly ParticlePlan[];
}

/** A group that repeats: a list of objects. */
export interface RoundsPlan {
  readonly kind: 'rounds';
  readonly property: string;
  /** What is in a round. */
  readonly plan: ObjectPlan;
}

export interface AnyPlan {
  readonly kind: 'any';
  readonly property: string;
  readonly repeated: boolean;
  /** Whether an element of a namespace may stand there. */
  readonly allows: (namespace: string) => boolean;
}

export type ParticlePlan = ElementPlan | GroupPlan | RoundsPlan | AnyPlan;

export interface AttributePlan extends WireName {
  readonly property: string;
  readonly plan: SimplePlan;
  readonly required: boolean;
  readonly absent: unknown;
  readonly text: TextPlan;
  /** The text of the default value, which is not written, as .NET does with DefaultValue. */
  readonly usual: string | undefined;
}

export const clark = (namespace: string, name: string): string => `{${namespace}}${name}`;

/** Whether HTTP forms can carry an element: a text, or a list of texts. */
export function isForm({ plan }: ElementPlan): boolean {
  return plan.kind === 'simple' || (plan.kind === 'array' && plan.item.plan.kind === 'simple');
}
