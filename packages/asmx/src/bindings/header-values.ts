import { ProtocolError } from '../contract/errors.ts';
import { headerField } from '../contract/service.ts';
import type { Call } from '../exchange/call.ts';
import type { CompiledOperation } from '../exchange/compiled.ts';
import type { Exchange } from '../exchange/exchange.ts';
import { JsonError } from '../lexical/json-cursor.ts';
import { header } from '../message/http.ts';
import { IgnoredMembers } from '../message/ignored-members.ts';
import type { HeaderPlan } from '../values/message-plan.ts';
import { JsonValueReader, parseNested } from '../values/read-json.ts';
import { ValueError } from '../values/value-reading.ts';

/**
 * Reads SOAP headers of a call that is none of SOAP: each is JSON in a field of HTTP, such as
 * `Soap-Auth: {"user":"ann"}`.
 * @throws {ProtocolError} `MalformedRequest`, with the name of the field.
 */
export function headerValues(exchange: Exchange, operation: CompiledOperation): Call['headers'] {
  const given: Record<string, unknown> = {};
  for (const plan of operation.message.headersIn) {
    const field = headerField(plan.name)?.toLowerCase();
    const text = field === undefined ? undefined : header(exchange.request, field);
    if (text !== undefined) given[plan.property] = readValue(plan, text, exchange);
  }
  return given;
}

function readValue(plan: HeaderPlan, text: string, exchange: Exchange): unknown {
  const { timeZone, now, limits } = exchange.service;
  const context = { form: 'text', timeZone, now } as const;
  const reader = new JsonValueReader(context, limits, new IgnoredMembers());
  try {
    return reader.parameter(plan, parseNested(text, 0));
  } catch (error) {
    const wrong = whatIsWrong(error);
    if (wrong === undefined) throw error;
    const message = `${headerField(plan.name)}: ${wrong}`;
    throw new ProtocolError('MalformedRequest', message, {}, { cause: error });
  }
}

function whatIsWrong(error: unknown): string | undefined {
  if (error instanceof ValueError) return `${error.path}: ${error.reason}`;
  return error instanceof JsonError ? error.message : undefined;
}
