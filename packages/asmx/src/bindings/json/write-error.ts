import type { ServiceError } from '../../contract/errors.ts';
import type { PartialCall } from '../../exchange/call.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { errorHeaders, kindOf, plainStatusOf, typedDetail } from '../../exchange/result.ts';
import type { WireResponse } from '../../message/http.ts';
import { scriptJson } from '../../values/script-json.ts';
import { JsonValueWriter } from '../../values/write-json.ts';

/**
 * Writes problem details (RFC 9457), with code, parameter, request id and typed detail as extension
 * members. For the pages of ASP.NET's script services, three members of ASP.NET are added, and the
 * header that announces them.
 */
export function writeError(
  exchange: Exchange,
  call: PartialCall,
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
  const fault = typedDetail(call, error, exchange.requestId, (plan, path) =>
    new JsonValueWriter().element(plan, error.detail, path),
  );
  const text = scriptJson(problem);
  return {
    status,
    headers: {
      ...errorHeaders(exchange, error, 'application/problem+json; charset=utf-8'),
      jsonerror: 'true',
    },
    body: fault === undefined ? text : `${text.slice(0, -1)},"fault":${fault}}`,
  };
}
