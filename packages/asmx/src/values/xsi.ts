import type { XmlElement } from '../xml/handler.ts';
import { XSI } from '../xml/namespace-names.ts';
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

/** `{namespace}name` of `xsi:type`; `undefined` when there is none, or its prefix is not declared. */
export function typeNameOf(element: XmlElement): string | undefined {
  const written = attributeOf(element, TYPE)?.trim();
  if (written === undefined) return undefined;
  const [before = '', after] = written.split(':');
  const namespace = element.namespaceOf(after === undefined ? '' : before);
  return namespace === undefined ? undefined : clark(namespace, after ?? before);
}

/** `xsi:nil`, with the two values XML Schema gives to true. */
export function isNil(element: XmlElement): boolean {
  if (element.attributes.length === 0) return false;
  const written = attributeOf(element, NIL)?.trim();
  return written === 'true' || written === '1';
}
