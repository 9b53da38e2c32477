import { ProtocolError } from '../../contract/errors.ts';
import { BodyBudget, readBody, wholeBody } from '../../exchange/body.ts';
import { type Call, failedCall, type PartialCall } from '../../exchange/call.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import type { ActionRoute } from '../../exchange/fast-path.ts';
import { expectedVersion, MEDIA_TYPES, versionOfMediaType } from '../../exchange/soap-version.ts';
import { refuseUnreadCharset } from '../../message/charsets/unread.ts';
import { bytesBody, header } from '../../message/http.ts';
import { lostBytes } from '../../message/lost-bytes.ts';
import { ReadError } from '../../message/read-error.ts';
import { XmlError } from '../../xml/errors.ts';
import { createXmlReader } from '../../xml/reader.ts';
import { EnvelopeHandler } from './envelope.ts';
import { routeByAction } from './route.ts';

/**
 * Reads a SOAP request of either version (wire 3 to wire 5).
 * @throws {FailedCall} whose error has the form ASP.NET's clients expect, with a reason for people.
 */
export function read(exchange: Exchange): Call | Promise<Call> {
  const { service, contentType, request, fastPath } = exchange;
  const version = expectedVersion(contentType.base, header(request, 'soapaction'));
  let expected: PartialCall = { protocol: version.name, version, operation: undefined };
  try {
    if (versionOfMediaType(contentType.base) === undefined) throw wrongMediaType(contentType.base);
    const route = routeByAction(service, request, contentType);
    expected = { ...expected, operation: route.operation };
    refuseUnreadCharset(contentType.parameters.get('charset'));
    const whole =
      fastPath === undefined || service.addressing !== undefined ? undefined : wholeBody(exchange);
    if (whole === undefined) return readEnvelope(exchange, expected, route);
    if (whole instanceof Promise) return readWhole(exchange, expected, route, whole);
    return (
      fastPath?.readEnvelope(service, contentType, route, whole) ??
      readEnvelope(exchange, expected, route)
    );
  } catch (error) {
    throw failedCall(expected, asProtocolError(error));
  }
}

/** Reads an envelope that is on its way, and is to be read in one piece. */
async function readWhole(
  exchange: Exchange,
  expected: PartialCall,
  route: ActionRoute,
  whole: Promise<Uint8Array>,
): Promise<Call> {
  const { service, contentType, request, fastPath } = exchange;
  try {
    const bytes = await whole;
    return (
      fastPath?.readEnvelope(service, contentType, route, bytes) ??
      (await readEnvelope(
        { ...exchange, request: { ...request, body: bytesBody(bytes) } },
        expected,
        route,
      ))
    );
  } catch (error) {
    throw failedCall(expected, asProtocolError(error));
  }
}

/**
 * Reads any envelope, while it arrives.
 * @param expected the call according to the headers.
 * @throws {FailedCall}
 */
async function readEnvelope(
  exchange: Exchange,
  expected: PartialCall,
  route: ActionRoute,
): Promise<Call> {
  const { service, contentType } = exchange;
  const budget = new BodyBudget(service, route.operation);
  const handler = new EnvelopeHandler(exchange, {
    expected,
    route,
    mediaType: contentType.base,
    budget,
  });
  const reader = createXmlReader(handler, {
    limits: service.limits,
    charset: contentType.parameters.get('charset'),
    endsAtNul: true,
    forgiving: versionOfMediaType(contentType.base)?.bytesWin
      ? { legacyCharset: service.legacyCharset }
      : undefined,
  });
  handler.reader = reader;
  // The budget limits the body, by operation; the limit of the reader is only a second line.
  reader.maxBytes = Math.max(service.limits.bodyBytes, service.limits.binaryBodyBytes);
  const take = (chunk: Uint8Array) => {
    reader.push(chunk);
    return handler.drained;
  };
  try {
    await readBody(exchange, budget, take);
    reader.end();
    return { ...(await handler.finish()), warnings: lostBytes(reader.replacedIn) };
  } catch (error) {
    throw failedCall(
      { ...handler.call, warnings: lostBytes(reader.replacedIn) },
      asProtocolError(error),
    );
  }
}

function wrongMediaType(base: string): ProtocolError {
  const found = base === '' ? 'missing' : `"${base.slice(0, 100)}"`;
  const message = `The content type is ${found}; ${MEDIA_TYPES}.`;
  return new ProtocolError('UnsupportedMediaType', message, { status: 415 });
}

/**
 * Converts the error of a reader to ASP.NET's status, with a fault that says why and, for XML,
 * where (wire 0). Any other error stays unchanged.
 */
export function asProtocolError(error: unknown): unknown {
  if (!(error instanceof ReadError)) return error;
  if (error.code === 'limit')
    return new ProtocolError('TooLarge', error.message, {}, { cause: error });
  if (!(error instanceof XmlError)) {
    return new ProtocolError('MalformedRequest', error.message, { status: 400 }, { cause: error });
  }
  const where = `There is an error in XML document (${error.line}, ${error.column}).`;
  return new ProtocolError(
    'MalformedRequest',
    `${where} ${error.reason}`,
    {
      status: 400,
      faultstring: `Server was unable to read request. ---> ${where} ---> ${error.reason}`,
    },
    { cause: error },
  );
}
