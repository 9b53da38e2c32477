import type { Call } from '../../exchange/call.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { type Reply, refusalHeaders } from '../../exchange/result.ts';
import { perVersion, SOAP11 } from '../../exchange/soap-version.ts';
import type { WireResponse } from '../../message/http.ts';
import type { MessagePlan } from '../../values/message-plan.ts';
import { isRefusal, responseValues } from '../../values/response.ts';
import { type Attach, XmlValueWriter } from '../../values/write-xml.ts';
import { addressingHeaders } from './addressing.ts';
import { envelopeAround, soapHeader } from './envelope-text.ts';
import { writeBody } from './write-body.ts';

/**
 * Writes the answer of an operation in the version of the request (wire 4.1; contract 1, rule 3). A one-way operation
 * gets 202 and an empty body.
 * @param attach takes bytes out of the envelope.
 * @throws {ResultError} when the handler returned what its contract forbids.
 */
export function writeResult(
  exchange: Exchange,
  call: Call,
  result: unknown,
  reply?: Reply,
  attach?: Attach,
): WireResponse {
  const { message } = call.operation;
  if (message.oneWay)
    return { status: 202, headers: { 'Cache-Control': 'private, max-age=0' }, body: '' };
  const version = call.version ?? SOAP11;
  const headers = okHeaders(version);
  const { before, after } = (message.encoded ? aroundEncoded : around)(version);
  const header = soapHeader(answerAddressing(exchange, call) + headerXml(message, reply));
  const writer = new XmlValueWriter(message.encoded, attach);
  writer.xml = header === '' ? before : envelopeAround(version, header, message.encoded).before;
  const { output: name, response: plan, bare, rpc, encoded } = message;
  writeBody(writer, { name, plan, bare, rpc, encoded }, responseValues(message, result), version);
  writer.xml += after;
  return {
    status: 200,
    headers: isRefusal(message, result) ? { ...headers, ...refusalHeaders(result) } : headers,
    body: writer.end(),
  };
}

const okHeaders = perVersion(({ contentType }) => ({
  'Content-Type': contentType,
  'Cache-Control': 'private, max-age=0',
}));

const around = perVersion((version) => envelopeAround(version));
const aroundEncoded = perVersion((version) => envelopeAround(version, '', true));

/** The headers of WS-Addressing in the answer of a call that has them. */
function answerAddressing({ service }: Exchange, { addressed, operation }: Call): string {
  if (addressed === undefined) return '';
  return addressingHeaders(
    addressed,
    operation.operation.answerAction ??
      `${service.addressing}${operation.operation.operationName ?? operation.name}Response`,
  );
}

function headerXml({ headersOut, encoded }: MessagePlan, reply: Reply | undefined): string {
  if (reply === undefined || headersOut.length === 0) return '';
  const writer = new XmlValueWriter(encoded);
  for (const header of headersOut)
    writer.element(header, reply.headers[header.property], '', `headers.${header.property}`);
  return String(writer.end());
}
