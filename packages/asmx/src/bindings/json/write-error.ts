import type { PartialCall } from '../../engine/call.ts';
import type { ServiceError } from '../../engine/errors.ts';
import type { Exchange } from '../../engine/exchange.ts';
import { errorHeaders, kindOf } from '../../engine/result.ts';
import type { WireResponse } from '../../message/http.ts';

/** Problem details (RFC 9457), with the service's code, parameter and request id as extension members. */
export function writeError(exchange: Exchange, _call: PartialCall, error: ServiceError): WireResponse {
  const { status, meaning } = kindOf(exchange.service.errors, error);
  const problem = {
    type: 'about:blank',
    title: meaning,
    status,
    detail: error.message,
    code: error.code,
    parameter: error.parameter,
    requestId: exchange.requestId,
  };
  return {
    status,
    headers: errorHeaders(exchange, error, 'application/problem+json; charset=utf-8'),
    body: JSON.stringify(problem),
  };
}
