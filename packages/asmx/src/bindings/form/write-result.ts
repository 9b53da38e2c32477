import type { Call } from '../../exchange/call.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { refusalHeaders } from '../../exchange/result.ts';
import { CACHING, type WireResponse } from '../../message/http.ts';
import { type ElementPlan, isScalar, renamed } from '../../values/plan.ts';
import { isRefusal, responseValues } from '../../values/response.ts';
import { XmlValueWriter } from '../../values/write-xml.ts';
import { DECLARATION, escapeAttribute, XML_TYPE } from '../../xml/writer.ts';
import { indented } from './indented.ts';

const OK_HEADERS = { 'Content-Type': XML_TYPE, ...CACHING };
const PREFIXES =
  'xmlns:xsd="http://www.w3.org/2001/XMLSchema" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"';

/**
 * Writes the result as its own document, indented, whose root is named after its type: `<string>`
 * (contract 1, rule 4). Void is an empty body. ASP.NET ends the declaration's line with CR LF and
 * the document without one (wire 7).
 * @throws {ResultError}
 */
export function writeResult({ service }: Exchange, call: Call, result: unknown): WireResponse {
  const { message } = call.operation;
  const element = message.result;
  if (element === undefined)
    return { status: message.oneWay ? 202 : 200, headers: CACHING, body: '' };
  const headers = isRefusal(message, result)
    ? { ...OK_HEADERS, ...refusalHeaders(result) }
    : OK_HEADERS;
  const value = responseValues(message, result)[element.property] ?? null;
  const { root, open, prefixed } = documentOf(element, service.namespace);
  const writer = new XmlValueWriter(false);
  writer.element(root, value, service.namespace, element.property);
  const content = String(writer.end()).slice(root.tags.open.length);
  // XmlSerializer declares the prefixes only where something may use them.
  if (value !== null && isScalar(element))
    return { status: 200, headers, body: DECLARATION + open + content };
  const start = element.plan.kind === 'simple' && value !== null ? open : prefixed;
  return { status: 200, headers, body: DECLARATION + indented(start + content) };
}

/** The root of an answer. */
interface Root {
  readonly root: ElementPlan;
  /** Its start tag without the end. */
  readonly open: string;
  /** The same with the prefixes that XmlSerializer declares. */
  readonly prefixed: string;
}

const roots = new WeakMap<ElementPlan, Root>();

/** The root of the answers of an operation, made once. */
function documentOf(element: ElementPlan, namespace: string): Root {
  let known = roots.get(element);
  if (known === undefined) {
    const { plan } = element;
    const name = plan.name === '' ? element.name : plan.name;
    const declaration = `xmlns="${escapeAttribute(namespace)}"`;
    const open = `<${name} ${declaration}`;
    const root = { ...renamed(element, { name, namespace }), nillable: true };
    known = { root, open, prefixed: `<${name} ${PREFIXES} ${declaration}` };
    roots.set(element, known);
  }
  return known;
}
