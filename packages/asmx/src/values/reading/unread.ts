import type { XmlAttribute, XmlElement } from '../../xml/handler.ts';
import {
  isSoapEncoding,
  SOAP_ENCODING,
  SOAP_ENVELOPE,
  SOAP12_ENCODING,
  SOAP12_ENVELOPE,
  XML,
  XSI,
} from '../../xml/namespace-names.ts';
import { clark, type WireName } from '../plan.ts';
import { rememberPrefixes } from '../prefixes.ts';

/** Namespaces of attributes that say how a message is written, and are no values. */
const MARKS: ReadonlySet<string> = new Set([
  ...[XML, XSI, SOAP_ENVELOPE, SOAP12_ENVELOPE, SOAP_ENCODING, SOAP12_ENCODING],
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

/** The attributes that say what is in an array of SOAP encoding. */
export function arrayAttributes({ attributes }: XmlElement): readonly XmlAttribute[] {
  return attributes.filter(
    ({ uri, local }) => isSoapEncoding(uri) && /^(?:array|item)/.test(local),
  );
}

/** The attributes that a type does not declare, by `{namespace}name`; `undefined` for none. */
export function othersOf(
  element: XmlElement,
  known: readonly WireName[],
): Record<string, string> | undefined {
  const others = element.attributes.filter(
    ({ uri, local }) => uri !== XSI && !isKnown(known, local, uri),
  );
  return byName(others, element);
}

/**
 * The values of attributes by `{namespace}name`, and what prefixes in them mean by `xmlns:prefix`;
 * `undefined` for none.
 */
export function byName(
  attributes: readonly XmlAttribute[],
  { namespaceOf }: XmlElement,
): Record<string, string> | undefined {
  if (attributes.length === 0) return undefined;
  const named = attributes.map(
    ({ uri, local, value }) => [uri === '' ? local : clark(uri, local), value] as const,
  );
  const texts = attributes.map(({ value }) => value).join(' ');
  return { ...Object.fromEntries(named), ...declarationsIn(texts, namespaceOf) };
}

/** What the prefixes in a text mean, by `xmlns:prefix`. */
export function declarationsIn(
  text: string,
  namespaceOf: XmlElement['namespaceOf'],
): Record<string, string> {
  const meanings = new Map<string, string | undefined>();
  rememberPrefixes(text, namespaceOf, meanings);
  const known = [...meanings].filter(([, uri]) => uri !== undefined);
  return Object.fromEntries(known.map(([prefix, uri]) => [`xmlns:${prefix}`, uri!]));
}

function isKnown(known: readonly WireName[], local: string, uri: string): boolean {
  return known.some(({ name, namespace }) => name === local && namespace === uri);
}
