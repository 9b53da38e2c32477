import type { CompiledOperation } from '../../contract/compiled.ts';
import type { Call } from '../../engine/call.ts';
import type { Exchange } from '../../engine/exchange.ts';
import { isRefusal, refusalHeaders } from '../../engine/result.ts';
import { bodyBudget, readBody } from '../../message/body.ts';
import { charsetDecoder, Utf8Decoder } from '../../message/charset.ts';
import type { WireResponse } from '../../message/http.ts';
import type { MessagePlan } from '../../values/message-plan.ts';
import { JsonValueReader, parseArguments } from '../../values/read-json.ts';
import { responseValues } from '../../values/response.ts';
import { JsonValueWriter } from '../../values/write-json.ts';

/** Reads the arguments of an operation whose messages have plans; the whole body is kept in memory. */
export async function readMessage(
  exchange: Exchange,
  operation: CompiledOperation,
  message: MessagePlan,
): Promise<Pick<Call, 'values' | 'failure'>> {
  const { timeZone, now, limits } = exchange.service;
  const charset = exchange.contentType.parameters.get('charset');
  const decoder = charsetDecoder(charset ?? 'utf-8', true) ?? new Utf8Decoder(true);
  const pieces: string[] = [];
  await readBody(exchange, bodyBudget(exchange.service, operation), (chunk) => {
    pieces.push(decoder.decode(chunk, false));
    return undefined;
  });
  pieces.push(decoder.decode(new Uint8Array(0), true));
  const given = parseArguments(pieces.join('').replace(/^\ufeff/, ''), limits);
  const reader = new JsonValueReader({ form: 'text', timeZone, now }, limits);
  return { values: reader.message(message.request, given), failure: reader.failure };
}

/** `{"d": …}`; with out parameters, the object of all that the answer has. @throws {ResultError} */
export function writeMessage(
  message: MessagePlan,
  headers: Readonly<Record<string, string>>,
  result: unknown,
): WireResponse {
  if (message.oneWay) return { status: 202, headers: {}, body: '' };
  const writer = new JsonValueWriter();
  const values = responseValues(message, result);
  const { result: element, out, response } = message;
  const text =
    out.length > 0
      ? writer.members(response.elements, values)
      : element === undefined
        ? 'null'
        : writer.element(element, values[element.property], element.property);
  const refusal = isRefusal(result) ? refusalHeaders(result) : {};
  return { status: 200, headers: { ...headers, ...refusal }, body: `{"d":${text}}` };
}
