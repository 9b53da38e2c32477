import type { XmlElement } from '../xml/handler.ts';
import { SOAP_ENCODING, SOAP12_ENCODING, XSI } from '../xml/namespace-names.ts';
import { clark, type WireName } from './plan.ts';

const TYPE: WireName = { name: 'type', namespace: XSI };
const NIL: WireName = { name: 'nil', namespace: XSI };

/** The value of an attribute; `undefined` when it is absent. */
export function attributeOf(
  { attributes }: XmlElement,
  { name, namespace }: WireName,
): string | undefined {
  for (const { local, uri, value } of attributes)
    if (local === name && uri === namespace) return value;
  return undefined;
}

/**
 * `{namespace}name` of `xsi:type`; `undefined` when there is none, or its prefix is not declared.
 */
export function typeNameOf(element: XmlElement): string | undefined {
  return resolved(element, attributeOf(element, TYPE)?.trim());
}

function resolved(element: XmlElement, written: string | undefined): string | undefined {
  if (written === undefined) return undefined;
  const [before = '', after] = written.split(':');
  const namespace = element.namespaceOf(after === undefined ? '' : before);
  return namespace === undefined ? undefined : clark(namespace, after ?? before);
}

/**
 * What an array in SOAP encoding says of itself, in 1.1 (5.4.2) or in 1.2 (part 2, 3.1.4 to 3.1.6).
 */
export function encodedArrayOf(element: XmlElement): {
  /** `{namespace}name` of the type of its items. */
  readonly typeName: string | undefined;
  /** How many items it has in each dimension, 0 where it does not say. */
  readonly sizes: readonly number[];
  /** Whether it is all of an array. */
  readonly isWhole: boolean;
} {
  const of = (namespace: string, name: string) => attributeOf(element, { name, namespace });
  const declared = of(SOAP_ENCODING, 'arrayType') ?? '';
  const [type = '', ...dimensions] = declared.split('[');
  const size =
    of(SOAP12_ENCODING, 'arraySize')?.trim().split(/\s+/) ??
    (dimensions.at(-1)?.split(']', 1)[0] ?? '').split(',');
  const offset = of(SOAP_ENCODING, 'offset') ?? '[0]';
  const name = type.trim() || of(SOAP12_ENCODING, 'itemType')?.trim();
  return {
    // The items of `xsd:int[][2]` are arrays themselves.
    typeName: dimensions.length > 1 ? undefined : resolved(element, name),
    sizes: size.map((each) => Number.parseInt(each, 10) || 0),
    isWhole: !/[1-9]/.test(offset),
  };
}

/** Why an array is refused of which items are left out. */
export const PART_OF_ARRAY = 'it is a part of an array; send all of it.';

/**
 * Which item of all it is that an item of an array says it is (SOAP 1.1, 5.4.2.2), from 0; NaN where
 * that is no number. `undefined` when it does not say.
 * @param sizes of the array, where it has several dimensions.
 */
export function positionOf(element: XmlElement, sizes: readonly number[] = []): number | undefined {
  const said = attributeOf(element, { name: 'position', namespace: SOAP_ENCODING });
  const indices = said?.replace(/[[\]\s]/g, '').split(',');
  return indices?.reduce((at, index, dimension) => at * (sizes[dimension] ?? 1) + Number(index), 0);
}

/** `xsi:nil`, with the two values XML Schema gives to true. */
export function isNil(element: XmlElement): boolean {
  if (element.attributes.length === 0) return false;
  const written = attributeOf(element, NIL)?.trim();
  return written === 'true' || written === '1';
}
