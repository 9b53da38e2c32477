import type { ServiceError } from '../../contract/errors.ts';
import type { PartialCall } from '../../exchange/call.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { errorHeaders, kindOf, plainStatusOf } from '../../exchange/result.ts';
import type { WireResponse } from '../../message/http.ts';
import { scriptJson } from '../../values/script-json.ts';

/**
 * Writes problem details (RFC 9457), with code, parameter and request id as extension members. For the pages of
 * ASP.NET's script services, three members of ASP.NET are added, and the header that announces them.
 */
export function writeError(
  exchange: Exchange,
  _call: PartialCall,
  error: ServiceError,
): WireResponse {
  const { errors } = exchange.service;
  const status = plainStatusOf(errors, error);
  const problem = {
    Message: error.message,
    StackTrace: '',
    ExceptionType: error.code,
    type: 'about:blank',
    title: kindOf(errors, error).meaning,
    status,
    detail: error.message,
    code: error.code,
    parameter: error.parameter,
    requestId: exchange.requestId,
  };
  return {
    status,
    headers: {
      ...errorHeaders(exchange, error, 'application/problem+json; charset=utf-8'),
      jsonerror: 'true',
    },
    body: scriptJson(problem),
  };
}
