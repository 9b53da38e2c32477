import type { OperationResult } from '../../contract/compiled.ts';
import type { Call } from '../../engine/call.ts';
import type { Exchange } from '../../engine/exchange.ts';
import { refusalHeaders, resultText } from '../../engine/result.ts';
import type { WireResponse } from '../../message/http.ts';
import { escapeAttribute, escapeText } from '../../xml/writer.ts';
import { writeMessage } from './message.ts';

/** ASP.NET ends the declaration's line with CR LF and the document without one (wire 7). */
export const DECLARATION = '<?xml version="1.0" encoding="utf-8"?>\r\n';
export const XML_TYPE = 'text/xml; charset=utf-8';

const OK_HEADERS = { 'Content-Type': XML_TYPE, 'Cache-Control': 'private, max-age=0' };

/** The result as its own document: `<string>` or `<boolean>` (contract 1, rule 4). */
export function writeResult(exchange: Exchange, call: Call, result: OperationResult): WireResponse {
  const { message, operation } = call.operation;
  if (message !== undefined) return writeMessage(exchange, message, result);
  const root = operation.result;
  const start = `${DECLARATION}<${root} xmlns="${escapeAttribute(exchange.service.namespace)}"`;
  const text = resultText(result);
  return {
    status: 200,
    headers: typeof result === 'object' ? { ...OK_HEADERS, ...refusalHeaders(result) } : OK_HEADERS,
    body: text === '' ? `${start} />` : `${start}>${escapeText(text)}</${root}>`,
  };
}
