import { ProtocolError, type ServiceError } from '../../contract/errors.ts';
import type { PartialCall } from '../../exchange/call.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import {
  errorElement,
  errorHeaders,
  escapeMessage,
  kindOf,
  typedDetail,
} from '../../exchange/result.ts';
import { FOREIGN_ENVELOPE, SOAP11 } from '../../exchange/soap-version.ts';
import type { WireResponse } from '../../message/http.ts';
import { XmlValueWriter } from '../../values/write-xml.ts';
import { type MessageFile, PartsBeside, withParts } from '../mtom/write-parts.ts';
import { addressingHeaders, faultAction } from './addressing.ts';
import { envelopeAround, soapHeader } from './envelope-text.ts';

/** Writes an error as a fault in the version of the request (wire 4.2, wire 4.3; semantics 4). */
export function writeError(
  exchange: Exchange,
  call: PartialCall,
  error: ServiceError,
): WireResponse {
  const foreign = error.code === 'VersionMismatch';
  const version = foreign ? FOREIGN_ENVELOPE.version : (call.version ?? SOAP11);
  const form = error instanceof ProtocolError ? error.form : {};
  const side = kindOf(exchange.service.errors, error).side;
  const code = aboutTheEnvelope(error) ? error.code : version.faultCodes[side];
  // SOAP 1.1 section 4.4: a fault about a header has no detail.
  const aboutHeader = error.code === 'MustUnderstand';
  const typed = aboutHeader ? NO_DETAIL : faultDetail(call, error, exchange.requestId);
  // Who sent a value in the wrong namespace reads that it is missing, and sees that it is there.
  const message = error.message + (side === 'client' ? (call.ignored?.misplaced ?? '') : '');
  const detail = aboutHeader ? undefined : typed.xml || errorElement(exchange, error, message);
  const { addressed, operation } = call;
  const fault = operation?.operation.faults?.find(({ name }) => name === error.code);
  const action = addressed && (fault?.action ?? faultAction(addressed));
  const header = addressed === undefined ? '' : soapHeader(addressingHeaders(addressed, action!));
  const { before, after } = envelopeAround(
    version,
    foreign ? FOREIGN_ENVELOPE.header : header,
    typed.isEncoded,
  );
  const { challenge, errors } = exchange.service;
  const challenged = challenge !== undefined && kindOf(errors, error).status === 401;
  const answer = {
    status: form.status ?? (challenged ? 401 : 500),
    headers: errorHeaders(exchange, error, version.contentType),
    body: before + version.fault(code, escapeMessage(form.faultstring ?? message), detail) + after,
  };
  return withParts(answer, typed.files, version);
}

/** Whether the code of an error is itself a fault code of SOAP, in either version. */
function aboutTheEnvelope(error: ServiceError): boolean {
  return error.code === 'VersionMismatch' || error.code === 'MustUnderstand';
}

/** A typed detail, and the parts beside the message to which it refers. */
interface FaultDetail {
  /** `''` for none. */
  readonly xml: string;
  readonly files: readonly MessageFile[];
  readonly isEncoded: boolean;
}

const NO_DETAIL: FaultDetail = { xml: '', files: [], isEncoded: false };

/** It stands alone, because WCF clients take a fault with more in its detail for an untyped one. */
function faultDetail(call: PartialCall, error: ServiceError, requestId: string): FaultDetail {
  const beside = new PartsBeside(false);
  const made = typedDetail(call, error, requestId, (plan, path) => {
    // Bytes of base64Binary stay inside: who calls by MTOM reads them there, too.
    const writer = new XmlValueWriter(plan.encoded, beside);
    writer.element(plan, error.detail, '', path);
    return { xml: String(writer.end()), files: beside.files, isEncoded: plan.encoded };
  });
  return made ?? NO_DETAIL;
}
