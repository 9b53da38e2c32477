import type { Call } from '../../exchange/call.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { type Reply, refusalHeaders } from '../../exchange/result.ts';
import { perVersion, SOAP11, type SoapVersion } from '../../exchange/soap-version.ts';
import type { WireResponse } from '../../message/http.ts';
import type { MessagePlan } from '../../values/message-plan.ts';
import { isRefusal, responseValues } from '../../values/response.ts';
import { type Attach, XmlValueWriter } from '../../values/write-xml.ts';
import { escapeAttribute } from '../../xml/writer.ts';
import { addressingHeaders } from './addressing.ts';
import { envelopeAround, soapHeader } from './envelope-text.ts';

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
  writeBody(writer, message, responseValues(message, result), version);
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

function writeBody(
  writer: XmlValueWriter,
  message: MessagePlan,
  values: Readonly<Record<string, unknown>>,
  version: SoapVersion,
): void {
  const { output, response, bare, rpc, encoded } = message;
  const write = () => {
    if (bare) writer.content(response, values, '');
    // In the styles of RPC the parts are in no namespace, so that the wrapper needs a prefix.
    else writer.wrapped(wrapperOf(message, version), response, values, rpc ? '' : output.namespace);
  };
  if (encoded) writer.referring(response, values, version.references, write);
  else write();
}

/** The tags around an answer: the start without its end, and the end. */
interface Wrapper {
  readonly open: string;
  readonly close: string;
}

const wrappers = perVersion(() => new WeakMap<MessagePlan, Wrapper>());

/** The tags around the answers of an operation, made once. */
function wrapperOf(message: MessagePlan, version: SoapVersion): Wrapper {
  const known = wrappers(version).get(message);
  if (known !== undefined) return known;
  const { output, rpc, encoded } = message;
  const namespace = escapeAttribute(output.namespace);
  // In no namespace there is no prefix: Namespaces in XML 1.0 forbids to undeclare one.
  const name = rpc && namespace !== '' ? `m:${output.name}` : output.name;
  const declared = rpc
    ? namespace === ''
      ? ''
      : ` xmlns:m="${namespace}"`
    : ` xmlns="${namespace}"`;
  const style =
    encoded && version.encodingStyleOn === 'wrapper'
      ? ` soap:encodingStyle="${version.encoding}"`
      : '';
  const wrapper = { open: `<${name}${declared}${style}`, close: `</${name}>` };
  wrappers(version).set(message, wrapper);
  return wrapper;
}

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
