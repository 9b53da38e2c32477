import { isNameType } from '../contract/scalar-facts.ts';
import type {
  DateTimeForm,
  EnumerationType,
  ListType,
  ScalarType,
  SimpleType,
  UnionType,
} from '../contract/types.ts';
import type { LexicalContext } from '../lexical/lexical-context.ts';
import { excerpt, LexicalError } from '../lexical/lexical-error.ts';
import { keyOf } from '../lexical/order.ts';
import { DATE_TIMES, SCALARS } from '../lexical/scalars.ts';
import { formatQualifiedName, normaliseSpace, parseQualifiedName } from '../lexical/texts.ts';
import { ATTACHMENT_REFERENCES, MICROSOFT_TYPES, XSD } from '../xml/namespace-names.ts';
import { facetCheck, firstOf } from './facets.ts';
import type { SimplePlan, WireName } from './plan.ts';

/** What .NET writes for a value type that was never set, for types that have no such value here. */
const UNSET: { readonly [T in ScalarType]?: string } = {
  dateTime: '0001-01-01T00:00:00',
  date: '0001-01-01',
  time: '00:00:00.0000000',
  guid: '00000000-0000-0000-0000-000000000000',
  char: '0',
};

/** Where the bytes of a type are in an XML message. */
const BYTES: { readonly [T in ScalarType]?: 'inside' | 'beside' } = {
  base64Binary: 'inside',
  swaRef: 'beside',
};

/** Types whose texts are checked, and made of digits, letters and signs that are no markup. */
const PLAIN: ReadonlySet<ScalarType> = new Set([
  ...([
    'guid',
    'date',
    'time',
    'duration',
    'gYear',
    'gYearMonth',
    'gMonth',
    'gMonthDay',
    'gDay',
  ] as const),
  // A char is its number: of any code unit, those that XML has not among them.
  ...(['base64Binary', 'hexBinary', 'swaRef', 'char'] as const),
]);

/** Of the scalars that are not XML Schema's. */
const NAMESPACES: { readonly [T in ScalarType]?: string } = {
  guid: MICROSOFT_TYPES,
  char: MICROSOFT_TYPES,
  swaRef: ATTACHMENT_REFERENCES,
};

/** A scalar. @param as for a dateTime. */
export function scalarPlan(type: ScalarType, as: DateTimeForm | undefined): SimplePlan {
  const form = type === 'dateTime' ? DATE_TIMES[as ?? 'instant'] : SCALARS[type];
  return {
    kind: 'simple',
    name: type,
    namespace: NAMESPACES[type] ?? XSD,
    scalar: type,
    parse: form.parse,
    format: form.format,
    absent: form.absent,
    emptyIsValue: form.emptyIsValue,
    reference: form.reference,
    unset: UNSET[type],
    bytes: BYTES[type],
    hasNames: isNameType(type),
    isPlain: form.json !== 'string' || (type === 'dateTime' ? as !== 'text' : PLAIN.has(type)),
    json: type === 'dateTime' ? 'dateTime' : form.json,
  };
}

/** What all plans of enumerations have. */
interface Words
  extends WireName,
    Pick<SimplePlan, 'kind' | 'scalar' | 'reference' | 'bytes' | 'hasNames'> {}

export function enumerationPlan(type: EnumerationType, named: WireName): SimplePlan {
  // Values that are names are in Clark's notation, and have prefixes where they are written.
  const hasNames = isNameType(type.base);
  const words: Words = {
    ...named,
    kind: 'simple',
    scalar: undefined,
    reference: false,
    bytes: undefined,
    hasNames,
  };
  return type.flags === true ? flagsPlan(type, words) : wordPlan(type, words);
}

function flagsPlan({ values, zero }: EnumerationType, words: Words): SimplePlan {
  const member = memberOf(values, words);
  const { read, write } = words.hasNames ? QUALIFIED : UNCHANGED;
  return {
    ...words,
    parse: (text, context) =>
      blankSeparated(text)
        .map((each) => member(read(each, context)))
        .filter((each) => each !== zero),
    // In the order of the type, each once, and zero alone, as .NET writes them.
    format: (value, name) => {
      const given = new Set(listOf(value).map(member));
      const inOrder = values.filter((each) => given.has(each) && each !== zero);
      if (inOrder.length === 0 && zero !== undefined) inOrder.push(zero);
      return inOrder.map((each) => write(each, name)).join(' ');
    },
    absent: undefined,
    emptyIsValue: true,
    unset: zero ?? '',
    isPlain: false,
    json: 'list',
  };
}

function wordPlan({ base, values }: EnumerationType, words: Words): SimplePlan {
  const { hasNames } = words;
  const known = new Set(values);
  const member = memberOf(values, words);
  const { read, write } = hasNames ? QUALIFIED : UNCHANGED;
  // A value may have blanks around it, and one that is a number other texts.
  const formOf = (text: string) =>
    (base === undefined ? undefined : keyOf(base, text)) ?? normaliseSpace(text, 'collapse');
  const byForm = new Map(values.toReversed().map((value) => [formOf(value), value]));
  const meant = (text: string) => (known.has(text) ? text : (byForm.get(formOf(text)) ?? text));
  return {
    ...words,
    parse: (text, context) =>
      known.has(text) && !hasNames ? text : member(read(meant(text.trim()), context)),
    format: (value, name) => write(member(value), name),
    absent: values[0],
    emptyIsValue: values.some((each) => each.trim() === ''),
    unset: undefined,
    isPlain: !hasNames && values.every((each) => PLAIN_NAME.test(each)),
    json: 'string',
  };
}

/** Values that are names, and those that are texts. */
const QUALIFIED = {
  read: (text: string, { namespaceOf }: LexicalContext) => parseQualifiedName(text, namespaceOf),
  write: formatQualifiedName,
};
const UNCHANGED = { read: (text: string) => text, write: (text: string) => text };

/**
 * Returns the function that checks whether something is one of the values.
 * @throws {LexicalError} from the function
 */
function memberOf(values: readonly string[], { name }: WireName): (text: unknown) => string {
  const known = new Set(values);
  return (text) => {
    if (typeof text === 'string' && known.has(text)) return text;
    if (typeof text !== 'string')
      throw new LexicalError(`A value of the type ${typeof text} is none of ${firstOf(values)}.`);
    throw new LexicalError(
      `"${excerpt(text)}" is none of ${firstOf(values)}.`,
      `Instance validation error: '${excerpt(text)}' is not a valid value for ${name}.`,
    );
  };
}

const PLAIN_NAME = /^[\w.:-]*$/;

export function listPlan(_type: ListType, item: SimplePlan, named: WireName): SimplePlan {
  return {
    ...named,
    kind: 'simple',
    scalar: undefined,
    parse: (text, context) => blankSeparated(text).map((each) => item.parse(each, context)),
    format: (value, name) =>
      listOf(value)
        .map((each) => itemText(item.format(each, name)))
        .join(' '),
    absent: undefined,
    emptyIsValue: true,
    reference: true,
    unset: undefined,
    bytes: undefined,
    hasNames: item.hasNames,
    isPlain: false,
    json: 'list',
  };
}

/** The members of unions, without unions among them. */
const MEMBERS = new WeakMap<SimplePlan, readonly SimplePlan[]>();

/**
 * The plan of a union. Its value is the text, because the text does not say which member type it
 * has; of a name, if none before it takes the text, in Clark's notation.
 */
export function unionPlan(
  _type: UnionType,
  given: readonly SimplePlan[],
  named: WireName,
): SimplePlan {
  // A text of a member that is a union is one of that union's members; of unions of the same unions
  // each counts once.
  const members = [...new Set(given.flatMap((member) => MEMBERS.get(member) ?? [member]))];
  const checked = (text: string, tryOne: (plan: SimplePlan) => unknown): string => {
    let failure: unknown;
    for (const member of members) {
      try {
        const made = tryOne(member);
        if (!member.hasNames) return text;
        return Array.isArray(made) ? made.join(' ') : String(made);
      } catch (error) {
        if (!(error instanceof LexicalError)) throw error;
        failure = error;
      }
    }
    if (failure !== undefined) throw failure;
    return text;
  };
  const context = { form: 'element', timeZone: 'UTC', now: () => 0 } as const;
  const made: SimplePlan = {
    ...named,
    kind: 'simple',
    scalar: undefined,
    parse: (text, around) => checked(text, (plan) => plan.parse(text, around)),
    format: (value, name) => {
      if (typeof value !== 'string') throw new LexicalError('A union is written as a text.');
      return checked(value, (plan) => {
        const read = plan.parse(value, context);
        return plan.hasNames ? plan.format(read, name) : read;
      });
    },
    absent: undefined,
    emptyIsValue: members.some((member) => member.emptyIsValue),
    reference: true,
    unset: undefined,
    bytes: undefined,
    hasNames: members.some((member) => member.hasNames),
    isPlain: false,
    json: 'string',
  };
  MEMBERS.set(made, members);
  return made;
}

/** One step of restrictions. */
interface Step {
  readonly check: (text: string, value: unknown) => void;
  /** What happens to white space before the text is read. */
  readonly ordered: ((text: string) => string) | undefined;
}

/**
 * Of plans with restrictions, the plan without, and the steps from there: a type may restrict
 * thousands of others in a line.
 */
const STEPS = new WeakMap<
  SimplePlan,
  { readonly root: SimplePlan; readonly steps: readonly Step[] }
>();

/** A plan with restrictions. @throws {PatternError} */
export function restrictedPlan(
  { facets }: SimpleType,
  base: SimplePlan,
  named: WireName,
): SimplePlan {
  const known = STEPS.get(base) ?? { root: base, steps: [] };
  // .NET's type that restricts dateTime is DateTimeOffset, which always has a zone.
  const unset = base.json === 'dateTime' ? '0001-01-01T00:00:00Z' : base.unset;
  if (facets === undefined) {
    const same: SimplePlan = { ...base, ...named, unset };
    STEPS.set(same, known);
    const members = MEMBERS.get(base);
    if (members !== undefined) MEMBERS.set(same, members);
    return same;
  }
  const space = facets.whiteSpace;
  const ordered =
    space === 'replace' || space === 'collapse'
      ? (text: string) => normaliseSpace(text, space)
      : undefined;
  const { root } = known;
  const steps: readonly Step[] = [
    ...known.steps,
    { check: facetCheck(facets, root.scalar), ordered },
  ];
  const made = { ...withSteps(root, steps), ...named, unset };
  STEPS.set(made, { root, steps });
  return made;
}

/** A plan whose texts are those of `root` that pass all steps. */
function withSteps(root: SimplePlan, steps: readonly Step[]): SimplePlan {
  return {
    ...root,
    parse: (text, context) => {
      let given = text;
      for (let at = steps.length - 1; at >= 0; at--) given = steps[at]!.ordered?.(given) ?? given;
      const value = root.parse(given, context);
      if (isEmpty(root, value) || context.passesFacets) return value;
      const written = typeof value === 'string' && isOwnText(root) ? value : given.trim();
      checkAll(steps, written, value);
      return value;
    },
    format: (value, name) => {
      const text = root.format(value, name);
      // The prefix of a name is not the handler's to choose.
      if (isEmpty(root, value) || (root.hasNames && root.scalar !== undefined)) return text;
      try {
        checkAll(steps, text, value);
        return text;
      } catch (error) {
        for (const other of otherForms(root, text)) {
          if (isWithin(steps, other, value)) return other;
        }
        throw error;
      }
    },
    checkBytes: (bytes) => checkAll(steps, root.format(bytes), bytes),
  };
}

/** @throws {LexicalError} */
function checkAll(steps: readonly Step[], text: string, value: unknown): void {
  for (const { check } of steps) check(text, value);
}

function isWithin(steps: readonly Step[], text: string, value: unknown): boolean {
  try {
    checkAll(steps, text, value);
    return true;
  } catch (error) {
    if (error instanceof LexicalError) return false;
    throw error;
  }
}

/**
 * A dateTime, or a restriction of it, that handlers get in a form of its own; other plans as they
 * are.
 */
export function inForm(plan: SimplePlan, as: DateTimeForm): SimplePlan {
  if (plan.json !== 'dateTime') return plan;
  const { parse, format, absent } = scalarPlan('dateTime', as);
  const { steps = [] } = STEPS.get(plan) ?? {};
  return withSteps({ ...plan, parse, format, absent }, steps);
}

/** The types that take an empty text as a value like others. */
const TEXTS: ReadonlySet<string> = new Set<ScalarType>([
  ...(['string', 'normalizedString', 'token', 'anyURI', 'anySimpleType'] as const),
]);

/** Whether it is the empty text of a type that has none in XML Schema, but in .NET. */
function isEmpty({ scalar, json }: SimplePlan, value: unknown): boolean {
  return value === '' && json !== 'list' && !(scalar !== undefined && TEXTS.has(scalar));
}

/**
 * Scalars whose value is a text, but another one than on the wire, which is what a pattern is
 * about.
 */
const CONVERTED: ReadonlySet<ScalarType> = new Set([
  'decimal',
  'guid',
  'char',
  'QName',
  'NOTATION',
]);

function isOwnText({ scalar, hasNames }: SimplePlan): boolean {
  return !hasNames && !(scalar !== undefined && CONVERTED.has(scalar));
}

/** The other form of a boolean. */
const DIGITS: Readonly<Record<string, string>> = { true: '1', false: '0' };
/** As many zeros are put before a whole number: digits of the longest that .NET has a type for. */
const MOST_DIGITS = 20;

/** Other texts of a value, which a pattern may ask for. */
function* otherForms({ json, scalar }: SimplePlan, text: string): Iterable<string> {
  const other = json === 'boolean' ? DIGITS[text] : undefined;
  if (other !== undefined) yield other;
  if (scalar === 'guid') yield text.toUpperCase();
  const [, sign = '', whole] = json === 'number' ? (/^(-?)(\d+)$/.exec(text) ?? []) : [];
  if (whole === undefined) return;
  for (let size = whole.length + 1; size <= MOST_DIGITS; size++)
    yield sign + whole.padStart(size, '0');
}

function blankSeparated(text: string): string[] {
  return text.split(/[ \t\r\n]+/).filter((part) => part !== '');
}

/**
 * The text of an item, which others would read as two, or as none, if blanks were in it.
 * @throws {LexicalError}
 */
export function itemText(text: string): string {
  if (/^[^ \t\r\n]+$/.test(text)) return text;
  throw new LexicalError(
    `"${excerpt(text)}" cannot be in a list, whose items have blanks between them.`,
  );
}

function listOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw new LexicalError('It must be a list.');
}
