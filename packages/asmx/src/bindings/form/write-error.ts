import type { ServiceError } from '../../contract/errors.ts';
import type { PartialCall } from '../../exchange/call.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { errorElement, errorHeaders, plainStatusOf } from '../../exchange/result.ts';
import type { WireResponse } from '../../message/http.ts';
import { DECLARATION, XML_TYPE } from '../../xml/writer.ts';

/** The `<error>` document with the status of its code (semantics 4). */
export function writeError(
  exchange: Exchange,
  _call: PartialCall,
  error: ServiceError,
): WireResponse {
  return {
    status: plainStatusOf(exchange.service.errors, error),
    headers: errorHeaders(exchange, error, XML_TYPE),
    body: DECLARATION + errorElement(exchange, error),
  };
}
