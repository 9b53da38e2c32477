/** What the words of `builders.ts` are made of. */

import type { Element, Facets, ScalarType } from '../types.ts';

export const NAMED = '~field';

/** What a field says, before it is plain data. */
export interface FieldParts {
  readonly [NAMED]: true;
  /** A scalar, or `void`; of a named type, {@link named}. */
  readonly type?: ScalarType | 'void';
  readonly named?: NamedParts;
  /** What is said of the element that has the type. */
  readonly element: Partial<Element>;
  /** Where in an object it stands; an element when absent. */
  readonly place?: 'attribute' | 'text' | 'any';
  /** Types that extend its own. */
  readonly includes?: readonly FieldParts[];
}

export type NamedParts =
  | { readonly kind: 'enumeration'; readonly name: string; readonly values: readonly string[]; readonly flags?: true }
  | { readonly kind: 'simple'; readonly name: string; readonly base: FieldParts; readonly facets: Facets }
  | {
      readonly kind: 'array';
      readonly item: FieldParts | (() => FieldParts);
      readonly options: { readonly item?: string; readonly name?: string };
    }
  | {
      readonly kind: 'object';
      readonly name: string;
      readonly base?: FieldParts;
      readonly fields: Readonly<Record<string, FieldParts>>;
      readonly options: {
        readonly documentation?: string;
        readonly namespace?: string;
        readonly abstract?: true;
        readonly mixed?: true;
        readonly choices?: readonly (readonly string[])[];
      };
    };

export function isField(value: unknown): value is FieldParts {
  return typeof value === 'object' && value !== null && NAMED in value;
}
