import { isNameType, sampleOf, typeName } from '../../contract/scalar-facts.ts';
import type { Service } from '../../contract/service.ts';
import type { Attribute, Facets, NamedType, ObjectType, Type } from '../../contract/types.ts';
import { takesText, textPlans } from '../../values/compile-simple.ts';
import { Extensions } from '../../values/extensions.ts';
import {
  boundedBytes,
  boundedText,
  countWithin,
  patternTexts,
  type Restrictions,
  withinOf,
} from './text.ts';

/**
 * How many elements of a message a page writes out: behind them an object is its type's name, as a
 * text is.
 */
export const MOST_SHOWN = 300;

/** Whether a contract says what stands for a text: for a scalar that is so if it is empty, too. */
export function isSaid(type: Type, sample: string | undefined): sample is string {
  return sample !== undefined && (sample !== '' || typeof type === 'string');
}

const IDS: ReadonlySet<Type> = new Set(['ID', 'IDREF', 'IDREFS']);

const FAMILIES = new WeakMap<NonNullable<Service['types']>, Extensions>();

/** Those of a contract are found once for all its messages. */
function familiesOf(types: NonNullable<Service['types']>): Extensions {
  let families = FAMILIES.get(types);
  if (families === undefined) {
    families = new Extensions(types);
    FAMILIES.set(types, families);
  }
  return families;
}

/** What samples say of the types of a contract. */
export class SampleTypes {
  readonly named: Readonly<Record<string, NamedType>>;
  readonly #forms: NonNullable<Service['forms']>;
  readonly #namespace: string;
  readonly #families: Extensions;
  readonly #mostChars: number;
  readonly #planOf: ReturnType<typeof textPlans>;

  /** @param mostChars of a text; one whose type asks for more is not of its type. */
  constructor(
    { types = {}, forms = {} }: Pick<Service, 'types' | 'forms'>,
    namespace: string,
    mostChars = 1_000,
  ) {
    this.named = types;
    this.#forms = forms;
    this.#namespace = namespace;
    this.#families = familiesOf(types);
    this.#mostChars = mostChars;
    this.#planOf = textPlans(types);
  }

  namespaceOf({ namespace = this.#namespace }: Pick<NamedType, 'namespace'>): string {
    return namespace;
  }

  /** The namespace of elements in a type that name none. */
  inner(named: NamedType): string {
    const namespace = this.namespaceOf(named);
    return this.#forms[namespace]?.elements === 'unqualified' ? '' : namespace;
  }

  /** The name and namespace that the value of a type has as a document of its own. */
  rootOf(type: Type): { readonly name: string; readonly namespace: string } {
    const named = typeof type === 'string' ? undefined : this.named[type.ref];
    return { name: named?.name ?? typeName(type), namespace: this.namespaceOf(named ?? {}) };
  }

  /** The type itself, or the first that may stand in place of one that is abstract. */
  shown(key: string): string {
    if (!this.isAbstract(key)) return key;
    return this.#families.descendants(key).find((each) => !this.isAbstract(each)) ?? key;
  }

  isAbstract(key: string): boolean {
    const named = this.named[key];
    return named?.kind === 'object' && named.abstract === true;
  }

  /** The types whose members an object has, the base first. */
  lineOf(key: string): readonly ObjectType[] {
    return this.#families.membersOf(key).map((each) => this.named[each] as ObjectType);
  }

  /**
   * The attributes that a sample of an object has: without an id, which would stand there twice, and
   * without references to one, if they may be absent.
   */
  attributesOf(key: string): readonly Attribute[] {
    return this.lineOf(key)
      .flatMap(({ attributes = [] }) => attributes)
      .filter(({ type, required }) => required || !IDS.has(type));
  }

  /** What stands for a text: its type, or what may stand there, as ASP.NET has it. */
  wording(type: Type): string {
    const named = typeof type === 'string' ? undefined : this.named[type.ref];
    if (named?.kind === 'enumeration') return named.values.join(named.flags ? ' ' : ' or ');
    const base = madeOf(named);
    return base === undefined ? typeName(type) : this.wording(base);
  }

  /**
   * A plausible text of a simple type, within its bounds; `''` for another type.
   * @param name writes a QName in Clark's notation. @param within what restricts the type where it
   *   is used.
   */
  text(type: Type, name = (clark: string) => clark, within: Restrictions = []): string {
    const steps: Facets[] = [...within];
    let at: Type = type;
    for (;;) {
      // As ASP.NET shows it.
      if (at === 'string') return boundedText('string', at, steps, this.#mostChars);
      if (at === 'hexBinary' || at === 'base64Binary')
        return boundedBytes(at, steps, this.#mostChars);
      if (typeof at === 'string') return boundedText(sampleOf(at), at, steps, this.#mostChars);
      const named: NamedType | undefined = this.named[at.ref];
      switch (named?.kind) {
        case 'simple':
          if (named.facets !== undefined) steps.unshift(named.facets);
          at = named.base;
          break;
        case 'enumeration': {
          const { base, values } = named;
          const [first = ''] = values;
          return isNameType(base)
            ? name(first)
            : (values.find(withinOf(steps, undefined)) ?? first);
        }
        case 'list': {
          const count = Math.min(countWithin(steps, 1), this.#mostChars);
          const item = this.text(named.item, name, [WITHOUT_BLANKS]);
          const usual = Array.from({ length: count }, () => item).join(' ');
          return this.#first([usual], type, steps, within);
        }
        case 'union': {
          const usual = named.members.map((member) => this.text(member, name, steps));
          return this.#first(usual, type, steps, within);
        }
        default:
          return '';
      }
    }
  }

  /**
   * The first text that a list or a union takes: of the usual ones, of those that it names, of its
   * patterns.
   */
  #first(usual: readonly string[], type: Type, steps: Restrictions, within: Restrictions): string {
    if (steps.length === 0) return usual[0] ?? '';
    const named = steps.flatMap(({ enumeration = [] }) => enumeration);
    const plan = this.#planOf(type);
    const isWithin = withinOf(within, undefined);
    const isTaken = (text: string) =>
      isWithin(text) && (plan === undefined || takesText(plan, text));
    for (const texts of [usual, named, patternTexts(steps, this.#mostChars)])
      for (const text of texts) if (isTaken(text)) return text;
    return usual[0] ?? '';
  }
}

/** What each item of a list is: blanks are between items. */
const WITHOUT_BLANKS: Facets = { patterns: ['\\S+'] };

/** What a text of a simple type is a text of; `undefined` for what says its texts itself. */
function madeOf(named: NamedType | undefined): Type | undefined {
  if (named?.kind === 'simple') return named.base;
  if (named?.kind === 'list') return named.item;
  return named?.kind === 'union' ? named.members[0] : undefined;
}
