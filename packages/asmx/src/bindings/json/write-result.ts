import type { Call } from '../../exchange/call.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { refusalHeaders } from '../../exchange/result.ts';
import { CACHING, type WireResponse } from '../../message/http.ts';
import type { MessagePlan } from '../../values/message-plan.ts';
import { isRefusal, responseValues } from '../../values/response.ts';
import { JsonValueWriter } from '../../values/write-json.ts';

const OK_HEADERS = { 'Content-Type': 'application/json; charset=utf-8', ...CACHING };

/**
 * `{"d": …}`, the form of ASP.NET's script services (wire 14); with out parameters, the object of
 * all that the answer has. @throws {ResultError}
 */
export function writeResult(
  _exchange: Exchange,
  { operation: { message } }: Call,
  result: unknown,
): WireResponse {
  if (message.oneWay) return { status: 202, headers: {}, body: '' };
  const headers = isRefusal(message, result)
    ? { ...OK_HEADERS, ...refusalHeaders(result) }
    : OK_HEADERS;
  return { status: 200, headers, body: `{"d":${resultJson(message, result)}}` };
}

function resultJson(message: MessagePlan, result: unknown): string {
  const { result: element, out, response } = message;
  const writer = new JsonValueWriter();
  const values = responseValues(message, result);
  if (out.length > 0) return writer.members(response.elements, values);
  return element === undefined
    ? 'null'
    : writer.element(element, values[element.property], element.property);
}
