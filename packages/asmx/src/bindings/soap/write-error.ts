import { ProtocolError, type ServiceError } from '../../engine/errors.ts';
import type { Exchange } from '../../engine/exchange.ts';
import { errorElement, errorHeaders, escapeMessage, kindOf } from '../../engine/result.ts';
import type { WireResponse } from '../../message/http.ts';
import { contentTypeOf, SOAP11, SOAP12 } from './version.ts';
import { envelopeAround, versionOf } from './write-result.ts';

/** The header of a VersionMismatch fault: the versions that are understood (SOAP 1.2 part 1, 5.4.7). */
const UPGRADE =
  `<soap:Header><soap12:Upgrade xmlns:soap12="${SOAP12.envelope}">` +
  `<soap12:SupportedEnvelope qname="soap:Envelope" xmlns:soap="${SOAP11.envelope}" />` +
  `<soap12:SupportedEnvelope qname="soap12:Envelope" xmlns:soap12="${SOAP12.envelope}" />` +
  '</soap12:Upgrade></soap:Header>';

/** Writes an error as a fault in the version of the request (wire 4.2, wire 4.3; semantics 4). */
export function writeError(exchange: Exchange, error: ServiceError): WireResponse {
  // Which version a foreign envelope expects is unknown; ASP.NET answers it in SOAP 1.1.
  const version = error.code === 'VersionMismatch' ? SOAP11 : versionOf(exchange);
  const form = error instanceof ProtocolError ? error.form : {};
  const side = kindOf(exchange.service.errors, error).side;
  const code = aboutTheEnvelope(error) ? error.code : version.faultCodes[side];
  // SOAP 1.1 section 4.4: a fault about a header has no detail.
  const detail = error.code === 'MustUnderstand' ? undefined : errorElement(exchange, error);
  const { before, after } = envelopeAround(version, error.code === 'VersionMismatch' ? UPGRADE : '');
  return {
    status: form.status ?? 500,
    headers: errorHeaders(exchange, error, contentTypeOf(version)),
    body: before + version.fault(code, escapeMessage(form.faultstring ?? error.message), detail) + after,
  };
}

/** The two codes that are fault codes of SOAP themselves, in either version. */
function aboutTheEnvelope(error: ServiceError): boolean {
  return error.code === 'VersionMismatch' || error.code === 'MustUnderstand';
}
