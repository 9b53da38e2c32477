import type { Call } from '../../exchange/call.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { type Reply, refusalHeaders } from '../../exchange/result.ts';
import { perVersion, SOAP11 } from '../../exchange/soap-version.ts';
import { CACHING, type WireResponse } from '../../message/http.ts';
import { isRefusal, responseValues } from '../../values/response.ts';
import { XmlValueWriter } from '../../values/write-xml.ts';
import { PartsBeside, withParts } from '../mtom/write-parts.ts';
import { addressingHeaders } from './addressing.ts';
import { envelopeAround, soapHeader } from './envelope-text.ts';
import { headersXml, writeBody } from './write-body.ts';

/**
 * Writes the answer of an operation in the version of the request (wire 4.1; contract 1, rule 3). A
 * one-way operation gets 202 and an empty body.
 * @param isXop whether the bytes of base64Binary are in parts of their own. An answer without parts
 *   is plain SOAP, which every client reads.
 * @throws {ResultError} when the handler returned what its contract forbids.
 */
export function writeResult(
  exchange: Exchange,
  call: Call,
  result: unknown,
  reply?: Reply,
  isXop = false,
): WireResponse {
  const { message } = call.operation;
  if (message.oneWay) return { status: 202, headers: CACHING, body: '' };
  const version = call.version ?? SOAP11;
  const headers = okHeaders(version);
  const { before, after } = (message.encoded ? aroundEncoded : around)(version);
  const beside = new PartsBeside(isXop);
  const said = reply === undefined ? '' : headersXml(message.headersOut, reply.headers, beside);
  const header = soapHeader(answerAddressing(exchange, call) + said);
  const writer = new XmlValueWriter(message.encoded, beside);
  writer.xml = header === '' ? before : envelopeAround(version, header, message.encoded).before;
  const { output: name, response: plan, bare, rpc, encoded } = message;
  const values = responseValues(message, result);
  writeBody(writer, { name, plan, bare, rpc, encoded }, values, version);
  writer.xml += after;
  const hasIncludes = isXop && beside.files.length > 0;
  beside.add(message.attachmentsOut, values);
  const answer: WireResponse = {
    status: 200,
    headers: isRefusal(message, result) ? { ...headers, ...refusalHeaders(result) } : headers,
    body: writer.end(),
  };
  return withParts(answer, beside.files, version, hasIncludes);
}

const okHeaders = perVersion(({ contentType }) => ({ 'Content-Type': contentType, ...CACHING }));

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
