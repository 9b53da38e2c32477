import type { XmlAttribute, XmlElement } from '../../xml/handler.ts';
import { XSI } from '../../xml/namespace-names.ts';
import { clark, type WireName } from '../plan.ts';

/** Namespaces of attributes that say how a message is written, and are no values. */
const MARKS: ReadonlySet<string> = new Set([
  XSI,
  'http://www.w3.org/XML/1998/namespace',
  'http://schemas.xmlsoap.org/soap/encoding/',
  'http://www.w3.org/2003/05/soap-encoding',
  'http://schemas.xmlsoap.org/soap/envelope/',
  'http://www.w3.org/2003/05/soap-envelope',
  'http://www.w3.org/2005/05/xmlmime',
]);

/**
 * The attributes of an element that no value takes.
 * @param known those that its type has.
 * @param isEncoded whether it is in SOAP encoding, which has marks of its own.
 */
export function unreadAttributes(
  { attributes }: XmlElement,
  known: readonly WireName[],
  isEncoded: boolean,
): readonly XmlAttribute[] {
  return attributes.filter(({ uri, local }) => {
    const isReference = isEncoded && uri === '' && (local === 'id' || local === 'href');
    return !MARKS.has(uri) && !isReference && !isKnown(known, local, uri);
  });
}

/** The attributes that a type does not declare, by `{namespace}name`; `undefined` for none. */
export function othersOf(
  { attributes }: XmlElement,
  known: readonly WireName[],
): Record<string, string> | undefined {
  let others: Record<string, string> | undefined;
  for (const { uri, local, value } of attributes) {
    if (uri === XSI || isKnown(known, local, uri)) continue;
    others ??= {};
    others[uri === '' ? local : clark(uri, local)] = value;
  }
  return others;
}

function isKnown(known: readonly WireName[], local: string, uri: string): boolean {
  return known.some(({ name, namespace }) => name === local && namespace === uri);
}
