import type { PartialCall } from '../../engine/call.ts';
import type { ServiceError } from '../../engine/errors.ts';
import type { Exchange } from '../../engine/exchange.ts';
import { errorElement, errorHeaders, kindOf } from '../../engine/result.ts';
import type { WireResponse } from '../../message/http.ts';
import { DECLARATION, XML_TYPE } from './write-result.ts';

/** The `<error>` document with the status of its code (semantics 4). */
export function writeError(
  exchange: Exchange,
  _call: PartialCall,
  error: ServiceError,
): WireResponse {
  return {
    status: kindOf(exchange.service.errors, error).status,
    headers: errorHeaders(exchange, error, XML_TYPE),
    body: DECLARATION + errorElement(exchange, error),
  };
}
