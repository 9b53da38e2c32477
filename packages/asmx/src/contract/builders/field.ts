/** A field, and the type of the values that it stands for. */

import type { Element } from '../types.ts';
import type { FieldDefinition } from './definitions.ts';

/** Whether a value is always there, or may be `undefined`. */
export type Presence = 'given' | 'optional';

/** A type with the attributes of its element. Immutable: each method returns a new one. */
export interface Field<Value, P extends Presence = Presence> extends FieldDefinition {
  readonly '~value'?: Value;
  readonly '~presence'?: P;
  /** One sentence for the help pages and the OpenAPI document. */
  describe(documentation: string): Field<Value, P>;
  /** A plausible value for filled samples, as a text. */
  sample(text: string): Field<Value, P>;
  /** The default value if it is absent, as text. */
  default(text: string): Field<Value, P>;
}

/** A text. */
export interface TextField extends Field<string, 'optional'> {
  /** At most so many code points, in requests and in results. */
  max(codePoints: number): TextField;
  /** Of one line: CR, LF and TAB are refused, in requests and in results. */
  line(): TextField;
  describe(documentation: string): TextField;
  sample(text: string): TextField;
}

// biome-ignore lint/suspicious/noExplicitAny: any field, whatever its value
export type AnyField = Field<any, any>;
export type Fields = Readonly<Record<string, AnyField>>;

/** The object that fields describe. */
export type ObjectOf<F> = {
  readonly [K in keyof F as F[K] extends Given ? K : never]: Infer<F[K]>;
} & {
  readonly [K in keyof F as F[K] extends Given ? never : K]?: Infer<F[K]> | undefined;
};
export type Given = { readonly '~presence'?: 'given' };

/** The value that a field, or what was made of one, stands for. */
export type Infer<F> = F extends { readonly '~value'?: infer V } ? V : never;

/** What all these words return. */
export function field<V, P extends Presence>(definition: FieldDefinition): Field<V, P> {
  const said = (element: Partial<Element>) =>
    field<V, P>({ ...definition, element: { ...definition.element, ...element } });
  const made: Field<V, P> & Pick<TextField, 'max' | 'line'> = {
    ...definition,
    describe: (documentation) => said({ documentation }),
    sample: (sample) => said({ sample }),
    default: (text) => {
      if (typeof text !== 'string')
        throw new TypeError(`default: write it as a text, like '${text}'.`);
      return said({ default: text });
    },
    max: (maxLength) => said({ maxLength }) as unknown as TextField,
    line: () => said({ singleLine: true }) as unknown as TextField,
  };
  return made;
}
