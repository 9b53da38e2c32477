/** Builder functions for named types: lists, enumerations, classes, texts with restrictions. */

import type { Facets } from '../types.ts';
import { NAMED, type TypeDefinition } from './definitions.ts';
import {
  type AnyField,
  type Field,
  field,
  type Infer,
  type ObjectOf,
  type Presence,
} from './field.ts';

/**
 * Fields whose getters may refer to the type that is being made: the compiler must not look at them
 * yet.
 */
// biome-ignore lint/suspicious/noExplicitAny: see above
type LooseFields = Readonly<Record<string, any>>;

/** A text with restrictions of its own, as XML Schema has them. */
export function restricted<V, P extends Presence>(
  name: string,
  of: Field<V, P>,
  facets: Facets,
): Field<V, P> {
  return named({ kind: 'simple', name, base: of, facets });
}

/** How an `array` is written. */
export interface ArrayOptions {
  /** Repeated elements without one around them ([XmlElement] on an array). */
  readonly flat?: boolean;
  /** The name of the items' element, where it is not that of their type ([XmlArrayItem]). */
  readonly item?: string;
  /** The name of the array's type, where it is not `ArrayOf…`. */
  readonly name?: string;
}

/** Items that .NET has as references may be null. */
type Item<V, P> = P extends 'given' ? V : V | null;

/** A list. */
export function array<V, P extends Presence>(
  of: Field<V, P> | (() => Field<V, P>),
  options: ArrayOptions & { readonly flat: true },
): Field<readonly V[], 'optional'>;
export function array<V, P extends Presence>(
  of: Field<V, P> | (() => Field<V, P>),
  options?: ArrayOptions,
): Field<readonly Item<V, P>[], 'optional'>;
export function array(
  of: AnyField | (() => AnyField),
  options: ArrayOptions = {},
): Field<readonly unknown[], 'optional'> {
  if (options.flat === true) {
    const element = { max: 'unbounded', min: 0 } as const;
    if (typeof of === 'function') return field({ [NAMED]: true, later: of, element });
    return field({ ...of, element: { ...of?.element, ...element } });
  }
  return named({ kind: 'array', item: of, options });
}

/**
 * An enumeration: one of the texts; the first is the default. With `flags` any of them; `zero` is
 * the one that says "none", which is the empty list.
 */
export function enumeration<const V extends readonly [string, ...string[]]>(
  name: string,
  values: V,
): Field<V[number], 'given'>;
export function enumeration<const V extends readonly [string, ...string[]]>(
  name: string,
  values: V,
  options: { readonly flags: true; readonly zero?: NoInfer<V[number]> },
): Field<readonly V[number][], 'optional'>;
export function enumeration(
  name: string,
  values: readonly string[],
  options: { readonly flags?: true; readonly zero?: string } = {},
): AnyField {
  if (!Array.isArray(values))
    throw new TypeError(`enumeration ${name}: it takes a list of texts, like ['Open', 'Closed'].`);
  return named({ kind: 'enumeration', name, values, ...options });
}

/** How an `object` is written and described. */
export interface ObjectOptions {
  readonly documentation?: string;
  /** The service's when absent. */
  readonly namespace?: string;
  readonly abstract?: true;
  /** Text may stand between the elements: the property `xml` has the whole content. */
  readonly mixed?: true;
  /**
   * Properties, at most one of which is set: a choice, at the place of the first. Make them
   * {@link optional}.
   */
  readonly choices?: readonly (readonly string[])[];
}

/**
 * A class. A field that refers to the class itself is a getter:
 * `get next() { return nullable(Node); }`.
 */
export function object<const N extends string, const F extends LooseFields>(
  name: N,
  fields: F,
  options: ObjectOptions = {},
): Field<ObjectOf<F>, 'optional'> & { readonly '~name'?: N } {
  assertFields(name, fields);
  return named({ kind: 'object', name, fields, options });
}

/** @throws {TypeError} for what JavaScript lets through. */
function assertFields(name: string, fields: unknown): void {
  if (typeof fields !== 'object' || fields === null || Array.isArray(fields))
    throw new TypeError(`object ${name}: it takes its members, like { id: int, name: string }.`);
}

/**
 * A class that extends another; its values have their type in `$type`, on the wire in `xsi:type`.
 * For the base or any of its subclasses use {@link oneOf}.
 */
export function extended<B, const N extends string, const F extends LooseFields>(
  base: Field<B, Presence>,
  name: N,
  fields: F,
  options: ObjectOptions = {},
): Field<B & ObjectOf<F> & { readonly $type: N }, 'optional'> {
  assertFields(name, fields);
  return named({ kind: 'object', name, base, fields, options });
}

/** A class or one of those that extend it ([XmlInclude]). */
export function oneOf<B, N extends string, const D extends readonly AnyField[]>(
  base: Field<B, Presence> & { readonly '~name'?: N },
  ...derived: D
): Field<(B & { readonly $type?: N | undefined }) | Infer<D[number]>, 'optional'> {
  return field({ ...base, includes: [...(base.includes ?? []), ...derived] });
}

function named<V, P extends Presence>(definition: TypeDefinition): Field<V, P> {
  return field({ [NAMED]: true, named: definition, element: {} });
}
