import { multipartMessage, PartsBeside } from '@ws01/asmx/internal/bindings/mtom/write-parts';
import { envelopeAround, soapHeader } from '@ws01/asmx/internal/bindings/soap/envelope-text';
import { headersXml, writeBody } from '@ws01/asmx/internal/bindings/soap/write-body';
import { nearest } from '@ws01/asmx/internal/contract/nearest';
import type { Operation } from '@ws01/asmx/internal/contract/service';
import { soapActionOf } from '@ws01/asmx/internal/exchange/compiled';
import type { SoapVersion } from '@ws01/asmx/internal/exchange/soap-version';
import { freeXml } from '@ws01/asmx/internal/values/free-xml';
import type { MessagePlan } from '@ws01/asmx/internal/values/message-plan';
import type { ElementPlan } from '@ws01/asmx/internal/values/plan';
import { ResultError } from '@ws01/asmx/internal/values/result-error';
import { XmlValueWriter } from '@ws01/asmx/internal/values/write-xml';
import { escapeText } from '@ws01/asmx/internal/xml/writer';
import { securityHeader } from './credentials.ts';
import type { Attachment, UsernameToken } from './options.ts';

/** An operation that can be called. */
export interface Callable {
  readonly name: string;
  readonly message: MessagePlan;
  readonly action: string;
}

/** What an operation is called by. */
export function callableOf(
  operation: Operation,
  message: MessagePlan,
  namespace: string,
  version: SoapVersion,
): Callable {
  const { name, action = soapActionOf(namespace, name), action12 } = operation;
  const own = version.name === 'soap12' ? (action12 ?? action) : action;
  return { name, message, action: inHeader(own) };
}

/** An action, in which what no header of HTTP can hold is percent-encoded, as WCF does. */
export function inHeader(action: string): string {
  return action.replaceAll(/[^\x20-\x7e]+/g, encodeURIComponent);
}

export interface RequestParts {
  readonly version: SoapVersion;
  readonly input: Readonly<Record<string, unknown>>;
  readonly soapHeaders: Readonly<Record<string, unknown>>;
  readonly headerXml: readonly string[];
  readonly usernameToken: UsernameToken | undefined;
  /** Where it goes, if WS-Addressing is spoken. */
  readonly addressedTo: string | undefined;
  readonly mtom: boolean;
  readonly attachments: readonly Attachment[];
}

/**
 * Writes the request of a call.
 * @throws {TypeError} for what the contract forbids, with its path.
 */
export function writeRequest(
  { name, message, action }: Callable,
  parts: RequestParts,
): { readonly headers: Record<string, string>; readonly body: string | Uint8Array } {
  const { version, input } = parts;
  const { request: plan, input: element, bare, rpc, encoded } = message;
  checkNames(name, plan.elements, input);
  // In SOAP encoding a reference is to another element, and to no part.
  const beside = new PartsBeside(parts.mtom && !encoded);
  const writer = new XmlValueWriter(encoded, beside);
  const { before, after } = envelopeAround(
    version,
    soapHeader(headersOf(name, message, action, parts, beside)),
    encoded,
  );
  writer.xml = before;
  const around = { name: element, plan, bare, rpc, encoded };
  told(name, () => writeBody(writer, around, input, version));
  const isXop = beside.isXop && beside.files.length > 0;
  told(name, () => beside.add(message.attachmentsIn, input));
  writer.xml += after;
  const envelope = writer.end();
  const isSoap12 = version.name === 'soap12';
  const own: Record<string, string> = isSoap12 ? {} : { SOAPAction: `"${action}"` };
  const named = isSoap12 && action !== '' ? action : undefined;
  const all = [...beside.files, ...parts.attachments];
  if (all.length > 0) {
    const { mediaType } = version;
    const made = multipartMessage(envelope, all, { mediaType, isXop, action: named });
    return { headers: { ...own, 'Content-Type': made.contentType }, body: made.body };
  }
  const contentType = version.contentType + (named === undefined ? '' : `; action="${named}"`);
  return { headers: { ...own, 'Content-Type': contentType }, body: envelope };
}

const ADDRESSING = 'http://www.w3.org/2005/08/addressing';

function headersOf(
  name: string,
  { headersIn }: MessagePlan,
  action: string,
  { soapHeaders, headerXml, usernameToken, addressedTo }: RequestParts,
  beside: PartsBeside,
): string {
  checkNames(`${name}: soapHeaders`, headersIn, soapHeaders);
  let written = '';
  told(`${name}: soapHeaders`, () => {
    for (const { property, required } of headersIn)
      if (required && soapHeaders[property] == null)
        throw new TypeError(`${name}: the SOAP header ${property} is required.`);
    written = headersXml(headersIn, soapHeaders, beside);
    for (const xml of headerXml) written += freeXml(xml, '', 'headerXml');
  });
  const security = usernameToken === undefined ? '' : securityHeader(usernameToken);
  return security + addressing(action, addressedTo) + written;
}

/** The headers of WS-Addressing 1.0: the answer comes back on the connection. */
function addressing(action: string, to: string | undefined): string {
  if (to === undefined) return '';
  const write = (name: string, text: string) =>
    `<wsa:${name} xmlns:wsa="${ADDRESSING}">${text}</wsa:${name}>`;
  return (
    write('Action', escapeText(action)) +
    write('MessageID', `urn:uuid:${crypto.randomUUID()}`) +
    write('ReplyTo', `<wsa:Address>${ADDRESSING}/anonymous</wsa:Address>`) +
    write('To', escapeText(to))
  );
}

/** @throws {TypeError} for a member that nothing in the contract is called. */
function checkNames(
  where: string,
  elements: readonly ElementPlan[],
  given: Readonly<Record<string, unknown>>,
): void {
  for (const key of Object.keys(given)) {
    if (elements.some(({ property }) => property === key) || given[key] === undefined) continue;
    const names = elements.map(({ property }) => property);
    throw new TypeError(`${where}: the contract has no ${key} there.${nearest(key, names)}`);
  }
}

/** What the writer found wrong, as a caller's mistake. */
function told(where: string, write: () => void): void {
  try {
    write();
  } catch (error) {
    if (error instanceof ResultError) throw new TypeError(`${where}: ${error.found}`);
    throw error;
  }
}
