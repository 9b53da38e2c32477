import { ProtocolError, type ServiceError } from '../../engine/errors.ts';
import type { Exchange, ReadCall } from '../../engine/exchange.ts';
import { readFastEnvelope } from '../../fast/envelope/envelope.ts';
import { bodyBudget, readBody, wholeBody } from '../../message/body.ts';
import { bytesBody, header, type WireBody } from '../../message/http.ts';
import { ReadError } from '../../message/read-error.ts';
import { XmlError } from '../../xml/errors.ts';
import { createXmlReader } from '../../xml/reader.ts';
import { EnvelopeHandler } from './envelope.ts';
import { type ActionRoute, routeByAction } from './route.ts';
import { SOAP11, SOAP12, type SoapVersion } from './version.ts';

/**
 * Reads a SOAP request of either version (wire 3 to wire 5).
 * @throws {ServiceError} in the form ASP.NET's clients expect, with a reason for people.
 */
export function read(exchange: Exchange): Promise<ReadCall> {
  const { contentType, request } = exchange;
  exchange.protocol = guessVersion(exchange).name;
  if (contentType.base !== SOAP11.mediaType && contentType.base !== SOAP12.mediaType) {
    throw wrongMediaType(contentType.base);
  }
  const route = routeByAction(exchange);
  exchange.operation = route.operation;
  const whole = wholeBody(exchange);
  if (whole === undefined) return readEnvelope(exchange, route, request.body);
  return whole.then(
    (bytes) => readFastEnvelope(exchange, route, bytes) ?? readEnvelope(exchange, route, bytesBody(bytes)),
  );
}

/** Reads any envelope, while it arrives. */
async function readEnvelope(exchange: Exchange, route: ActionRoute, body: WireBody): Promise<ReadCall> {
  const { service, contentType, request } = exchange;
  const budget = bodyBudget(service, route.operation);
  const handler = new EnvelopeHandler(exchange, route, (operation) => budget.settle(operation));
  const reader = createXmlReader(handler, { limits: service.limits, charset: contentType.parameters.get('charset') });
  handler.nextToken = () => reader.nextToken;
  // The budget bounds the body, by operation; the reader's own bound is only behind it.
  reader.maxBytes = Math.max(service.limits.bodyBytes, service.limits.binaryBodyBytes);
  try {
    await readBody({ ...exchange, request: { ...request, body } }, budget, (chunk) => {
      reader.push(chunk);
      return handler.drained;
    });
    reader.end();
    return await handler.finish();
  } catch (error) {
    throw unreadableEnvelope(error);
  }
}

/**
 * In which version an error is written until the envelope says which it is: that of the content type; for a content
 * type of neither, SOAP 1.1 if there is a SOAPAction (ASP.NET's guess).
 */
function guessVersion({ contentType, request }: Exchange): SoapVersion {
  if (contentType.base === SOAP11.mediaType) return SOAP11;
  if (contentType.base === SOAP12.mediaType) return SOAP12;
  return header(request, 'soapaction') === undefined ? SOAP12 : SOAP11;
}

function wrongMediaType(base: string): ServiceError {
  const found = base === '' ? 'missing' : `"${base.slice(0, 100)}"`;
  return new ProtocolError(
    'UnsupportedMediaType',
    `The content type is ${found}; SOAP 1.1 is ${SOAP11.mediaType}, SOAP 1.2 is ${SOAP12.mediaType}.`,
    { status: 415 },
  );
}

/**
 * What a reader refuses, as ASP.NET's status with a fault that says why, for XML also where (wire 0);
 * anything else as it is.
 */
export function unreadableEnvelope(error: unknown): unknown {
  if (!(error instanceof ReadError)) return error;
  if (error.code === 'limit') return new ProtocolError('TooLarge', error.message, {}, { cause: error });
  if (!(error instanceof XmlError)) {
    return new ProtocolError('MalformedRequest', error.message, { status: 400 }, { cause: error });
  }
  const where = `There is an error in XML document (${error.line}, ${error.column}).`;
  return new ProtocolError(
    'MalformedRequest',
    `${where} ${error.reason}`,
    { status: 400, faultstring: `Server was unable to read request. ---> ${where} ---> ${error.reason}` },
    { cause: error },
  );
}
