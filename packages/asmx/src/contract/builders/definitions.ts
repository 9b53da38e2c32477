/**
 * The data that the builder functions of this folder collect, before it becomes the plain data of a
 * contract.
 */

import type { Parameter } from '../service.ts';
import type { Facets, ScalarType } from '../types.ts';

export const NAMED = '~field';

/** What is said of a field. */
export interface FieldDefinition {
  readonly [NAMED]: true;
  /** A scalar, or `void`; of a named type, {@link named}. */
  readonly type?: ScalarType | 'void';
  readonly named?: TypeDefinition;
  /** A field that does not exist yet when this one is made; {@link element} adds to it. */
  readonly later?: () => FieldDefinition;
  /** What is said of the element that has the type. */
  readonly element: Partial<Parameter>;
  /** Where in an object it stands; an element when absent. */
  readonly place?: 'attribute' | 'text' | 'any';
  /** Types that extend its own. */
  readonly includes?: readonly FieldDefinition[];
}

/** A type that has a name, or gets one. */
export type TypeDefinition =
  | {
      readonly kind: 'enumeration';
      readonly name: string;
      readonly values: readonly string[];
      readonly flags?: true;
      readonly zero?: string;
    }
  | {
      readonly kind: 'simple';
      readonly name: string;
      readonly base: FieldDefinition;
      readonly facets: Facets;
    }
  | {
      readonly kind: 'array';
      readonly item: FieldDefinition | (() => FieldDefinition);
      readonly options: { readonly item?: string; readonly name?: string };
    }
  | {
      readonly kind: 'object';
      readonly name: string;
      readonly base?: FieldDefinition;
      readonly fields: Readonly<Record<string, FieldDefinition>>;
      readonly options: {
        readonly documentation?: string;
        readonly namespace?: string;
        readonly abstract?: true;
        readonly mixed?: true;
        readonly choices?: readonly (readonly string[])[];
      };
    };

export function isField(value: unknown): value is FieldDefinition {
  return typeof value === 'object' && value !== null && NAMED in value;
}
