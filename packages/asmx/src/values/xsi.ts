import type { XmlElement } from '../xml/handler.ts';
import { XSI } from '../xml/namespace-names.ts';
import { clark } from './plan.ts';

/** `{namespace}name` of `xsi:type`; `undefined` when there is none, or its prefix is not declared. */
export function typeNameOf(element: XmlElement): string | undefined {
  const written = element.attributes.find(({ local, uri }) => local === 'type' && uri === XSI)?.value.trim();
  if (written === undefined) return undefined;
  const [before = '', after] = written.split(':');
  const namespace = element.namespaceOf(after === undefined ? '' : before);
  return namespace === undefined ? undefined : clark(namespace, after ?? before);
}

/** `xsi:nil`, with the two values XML Schema gives to true. */
export function isNil(element: XmlElement): boolean {
  for (const { uri, local, value } of element.attributes) {
    if (local === 'nil' && uri === XSI) return value.trim() === 'true' || value.trim() === '1';
  }
  return false;
}
