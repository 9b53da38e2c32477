import type { Call } from '../../exchange/call.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import type { Reply } from '../../exchange/result.ts';
import { versionOfMediaType } from '../../exchange/soap-version.ts';
import { parseContentType, type WireResponse } from '../../message/http.ts';
import { writeResult as writeSoap } from '../soap/write-result.ts';

/**
 * Answers a message with attachments. Bytes are in parts of their own (MTOM, XOP 1.0), unless the
 * envelope of the request was plain SOAP, as in SOAP Messages with Attachments.
 */
export function writeResult(
  exchange: Exchange,
  call: Call,
  result: unknown,
  reply?: Reply,
): WireResponse {
  const { base } = parseContentType(exchange.contentType.parameters.get('type'));
  return writeSoap(exchange, call, result, reply, versionOfMediaType(base.trim()) === undefined);
}
