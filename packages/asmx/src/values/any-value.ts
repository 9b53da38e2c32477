/** A value beside its type, for what does not say by itself how it is written. */
export interface TypedValue {
  readonly $type: string;
  readonly value?: unknown;
  readonly xml?: string;
  /** Those of its element, by `{namespace}name`. */
  readonly attributes?: Readonly<Record<string, string>> | undefined;
}

/** The scalar type of a value without a declared type. */
export function typeOf(value: unknown): string | undefined {
  switch (typeof value) {
    case 'string':
      return 'string';
    case 'boolean':
      return 'boolean';
    case 'bigint':
      return 'long';
    case 'number':
      return Number.isInteger(value) && Math.abs(value) < 2 ** 31 ? 'int' : 'double';
    default:
      if (value instanceof Date) return 'dateTime';
      return value instanceof Uint8Array ? 'base64Binary' : undefined;
  }
}

/**
 * A value of any type: alone where it would be written with the same type, otherwise with its type
 * beside it.
 */
export function valueOfType($type: string, value: unknown): unknown {
  return value === undefined || typeOf(value) === $type ? value : { $type, value };
}

/**
 * A value whose type the contract does not have.
 * @param typeName as `{namespace}name`; `undefined` for none: a text is a string then, as toolkits
 *   without types mean it.
 * @param text of an element without children. @param xml its content. @param attributes of the
 *   element; `undefined` for none.
 */
export function valueOfUnknownType(
  typeName: string | undefined,
  text: string | undefined,
  xml: string,
  attributes?: Readonly<Record<string, string>>,
): string | TypedValue {
  const isAlone = typeName === undefined && attributes === undefined;
  if (isAlone && text !== undefined && text !== '') return text;
  const typed = { $type: typeName ?? UNTYPED, xml };
  return attributes === undefined ? typed : { ...typed, attributes };
}

/** Of what is written without `xsi:type`. */
export const UNTYPED = 'anyType';

/** The name of a type, from `{namespace}name`. */
export function nameOfType(
  $type: string,
): { readonly namespace: string; readonly name: string } | undefined {
  const parts = /^\{([^}]*)\}(.+)$/.exec($type);
  return parts === null ? undefined : { namespace: parts[1]!, name: parts[2]! };
}

export function isTyped(value: unknown): value is TypedValue {
  return typeof value === 'object' && value !== null && '$type' in value;
}
