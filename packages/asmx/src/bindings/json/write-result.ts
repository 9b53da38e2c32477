import type { OperationResult } from '../../contract/compiled.ts';
import type { Call } from '../../engine/call.ts';
import type { Exchange } from '../../engine/exchange.ts';
import { refusalHeaders } from '../../engine/result.ts';
import type { WireResponse } from '../../message/http.ts';
import { scriptJson } from '../../values/script-json.ts';
import { writeMessage } from './message.ts';

const OK_HEADERS = { 'Content-Type': 'application/json; charset=utf-8', 'Cache-Control': 'private, max-age=0' };

/** `{"d": …}`, the form of ASP.NET's script services (wire 14). */
export function writeResult(_exchange: Exchange, call: Call, result: OperationResult): WireResponse {
  const { message } = call.operation;
  if (message !== undefined) return writeMessage(message, OK_HEADERS, result);
  if (typeof result === 'object') {
    return { status: 200, headers: { ...OK_HEADERS, ...refusalHeaders(result) }, body: '{"d":false}' };
  }
  return { status: 200, headers: OK_HEADERS, body: scriptJson({ d: result }) };
}
