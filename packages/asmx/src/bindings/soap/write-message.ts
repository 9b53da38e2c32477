import type { Call } from '../../engine/call.ts';
import type { Exchange } from '../../engine/exchange.ts';
import type { Reply } from '../../engine/reply.ts';
import { isRefusal, refusalHeaders } from '../../engine/result.ts';
import type { WireResponse } from '../../message/http.ts';
import type { MessagePlan } from '../../values/message-plan.ts';
import { responseValues } from '../../values/response.ts';
import { type Attach, XmlValueWriter } from '../../values/write-xml.ts';
import { escapeAttribute } from '../../xml/writer.ts';
import { addressingHeaders } from './addressing.ts';
import { envelopeAround, soapHeader } from './envelope-text.ts';
import { SOAP11 } from './version.ts';

/**
 * Writes the answer of an operation whose messages have plans (wire 4.1). A one-way operation gets 202 and an empty
 * body.
 * @param attach takes bytes out of the envelope.
 * @throws {ResultError} when the handler returned what its contract forbids.
 */
export function writeMessage(
  exchange: Exchange,
  call: Call,
  message: MessagePlan,
  result: unknown,
  reply: Reply | undefined,
  attach?: Attach,
): WireResponse {
  const version = call.version ?? SOAP11;
  const headers = { 'Content-Type': version.contentType, 'Cache-Control': 'private, max-age=0' };
  if (message.oneWay) return { status: 202, headers: { 'Cache-Control': 'private, max-age=0' }, body: '' };
  const { before, after } = envelopeAround(
    version,
    soapHeader(answerAddressing(exchange, call) + headerXml(message, reply)),
  );
  return {
    status: 200,
    headers: isRefusal(result) ? { ...headers, ...refusalHeaders(result) } : headers,
    body: before + bodyXml(message, result, attach) + after,
  };
}

function bodyXml(message: MessagePlan, result: unknown, attach: Attach | undefined): string {
  const { output, response, bare, rpc, encoded } = message;
  const values = responseValues(message, result);
  const writer = new XmlValueWriter(encoded, attach);
  const namespace = escapeAttribute(output.namespace);
  if (bare) {
    writer.content(response, values, '');
    return writer.xml;
  }
  // In the styles of RPC the parts are in no namespace, so that the wrapper needs a prefix.
  writer.content(response, values, rpc ? '' : output.namespace);
  const [tag, declaration] = rpc
    ? [`m:${output.name}`, `xmlns:m="${namespace}"`]
    : [output.name, `xmlns="${namespace}"`];
  return writer.xml === '' ? `<${tag} ${declaration} />` : `<${tag} ${declaration}>${writer.xml}</${tag}>`;
}

/** The headers of WS-Addressing in the answer of a call that has them. */
export function answerAddressing({ service }: Exchange, { addressed, operation }: Call): string {
  if (addressed === undefined) return '';
  return addressingHeaders(
    addressed,
    `${service.addressing}${operation.operation.operationName ?? operation.name}Response`,
  );
}

function headerXml({ headersOut }: MessagePlan, reply: Reply | undefined): string {
  if (reply === undefined || headersOut.length === 0) return '';
  const writer = new XmlValueWriter(false);
  for (const header of headersOut)
    writer.element(header, reply.headers[header.property], '', `headers.${header.property}`);
  return writer.xml;
}
