import { ProtocolError } from '../contract/errors.ts';
import type { Call } from '../exchange/call.ts';
import type { MessagePlan } from '../values/message-plan.ts';
import { missingIn } from '../values/required.ts';
import { ValueError } from '../values/value-reading.ts';

/**
 * The parameters of a call as its handler receives them, by property: every one of them is there,
 * and none is wrong.
 * @throws {ProtocolError} MissingParameter for a header; InvalidParameter for the first parameter,
 *   in the order of the contract, that is not what its type asks for (semantics 4).
 */
export function convertValues(
  { operation: { message }, input, headers, ignored }: Call,
  strict = false,
): Readonly<Record<string, unknown>> {
  assertHeaders(message, headers);
  const values = valuesOf(input);
  // In JSON, names are known when the values are.
  const unread = strict ? ignored?.warnings[0] : undefined;
  if (unread !== undefined)
    throw new ProtocolError('InvalidParameter', unread.replace(', and they were ignored', ''));
  const params: Record<string, unknown> = {};
  const { elements } = message.request;
  for (let index = 0; index < elements.length; index++) {
    const { property, absent } = elements[index]!;
    // Null is a value, which only undefined is not.
    params[property] = values[index] === undefined ? absent : values[index];
  }
  const missing = message.hasMandatory ? missingIn(elements, params) : undefined;
  if (missing !== undefined)
    throw new ProtocolError(
      'MissingParameter',
      `${missing}: it must be there.`,
      {},
      { parameter: missing },
    );
  return params;
}

function assertHeaders({ headersIn }: MessagePlan, headers: Call['headers']): void {
  for (const { required, property, name } of headersIn) {
    if (!required || headers?.[property] !== undefined) continue;
    throw new ProtocolError(
      'MissingParameter',
      `The SOAP header ${name} must be there.`,
      {},
      { parameter: name },
    );
  }
}

function valuesOf(input: Call['input']): readonly unknown[] {
  try {
    return input.values();
  } catch (error) {
    throw error instanceof ValueError ? invalidParameter(error) : error;
  }
}

/** With what a .NET proxy's SoapException showed for a value that could not be read (wire 4.4). */
function invalidParameter({ path, reason, aspnetReason, place }: ValueError): ProtocolError {
  const form =
    aspnetReason === undefined
      ? {}
      : {
          faultstring: `Server was unable to read request. ---> There is an error in XML document${place}. ---> ${aspnetReason}`,
        };
  return new ProtocolError('InvalidParameter', `${path}: ${reason}`, form, { parameter: path });
}
