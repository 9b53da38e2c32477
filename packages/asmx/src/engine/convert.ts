import type { CompiledService } from '../contract/compiled.ts';
import type { Parameter } from '../contract/service.ts';
import {
  type BindingForm,
  checkText,
  type LexicalContext,
  LexicalError,
  parseBoolean,
  parseDateTime,
  parseInt32,
} from '../lexical/index.ts';
import type { MessagePlan } from '../values/message-plan.ts';
import { type Call, PlacedText } from './call.ts';
import { ProtocolError } from './errors.ts';
import { UnreadableValue } from './unreadable-value.ts';

/**
 * Converts the values of a call: the parameters as its handler receives them, in contract order. A value that cannot be
 * converted becomes a property that throws its `InvalidParameter` when it is read: so errors come in the order of the
 * handler's own checks (semantics 4).
 *
 * @param form how the binding writes values.
 */
export function convertValues(
  service: CompiledService,
  call: Call,
  form: BindingForm,
): Readonly<Record<string, unknown>> {
  const { operation, values } = call;
  if (operation.message !== undefined) return messageValues(operation.message, call);
  const params: Record<string, unknown> = {};
  const { parameters } = operation.operation;
  const context: LexicalContext = { form, timeZone: service.timeZone, now: service.now };
  for (let index = 0; index < parameters.length; index++) {
    const parameter = parameters[index]!;
    const raw = values[index];
    if (raw instanceof UnreadableValue) defer(params, parameter, raw);
    else if (parameter.type === 'base64Binary') params[parameter.name] = raw;
    else {
      const value = convert(parameter, raw as string | PlacedText | undefined, context);
      if (value instanceof UnreadableValue) defer(params, parameter, value);
      else params[parameter.name] = value;
    }
  }
  return params;
}

/**
 * The parameters of an operation whose messages have plans: the reader has converted them.
 * @throws {ProtocolError} InvalidParameter for the first that is not what its type asks for; MissingParameter for a header.
 */
function messageValues(
  { request, headersIn }: MessagePlan,
  { values, failure, headers }: Call,
): Record<string, unknown> {
  for (const { required, property, name } of headersIn) {
    if (!required || headers?.[property] !== undefined) continue;
    throw new ProtocolError('MissingParameter', `The SOAP header ${name} must be there.`, {}, { parameter: name });
  }
  if (failure !== undefined) {
    const { path, reason, aspnetReason } = failure;
    const form =
      aspnetReason === undefined
        ? {}
        : {
            faultstring: `Server was unable to read request. ---> There is an error in XML document. ---> ${aspnetReason}`,
          };
    throw new ProtocolError('InvalidParameter', `${path}: ${reason}`, form, { parameter: path });
  }
  const params: Record<string, unknown> = {};
  for (const [index, { property, absent }] of request.elements.entries())
    params[property] = values[index] ?? absentOf(values[index], absent);
  return params;
}

/** Null is a value, which only undefined is not. */
function absentOf(value: unknown, absent: unknown): unknown {
  return value === null ? null : absent;
}

/** @returns an `UnreadableValue` when the text is not in the lexical form of the parameter's type. */
function convert(parameter: Parameter, raw: string | PlacedText | undefined, context: LexicalContext): unknown {
  const text = raw instanceof PlacedText ? raw.text : raw;
  try {
    return parse(parameter, text, context);
  } catch (error) {
    if (!(error instanceof LexicalError)) throw error;
    if (context.form !== 'element' || error.aspnetReason === undefined) return new UnreadableValue(error.reason);
    // What a .NET proxy's SoapException showed for a value that could not be read (wire 4.4).
    const place = raw instanceof PlacedText ? raw.place() : '';
    const faultstring = `Server was unable to read request. ---> There is an error in XML document${place}. ---> ${error.aspnetReason}`;
    return new UnreadableValue(error.reason, faultstring);
  }
}

/** The value of a text, `undefined` for absent: 0 for int, false for boolean (semantics 1, rule 4). */
function parse(parameter: Parameter, text: string | undefined, context: LexicalContext): unknown {
  switch (parameter.type) {
    case 'string':
      if (text !== undefined) checkText(text, parameter);
      return text;
    case 'int':
      return parseInt32(text ?? '');
    case 'boolean':
      return parseBoolean(text ?? '', context.form);
    case 'dateTime':
      return parseDateTime(text ?? '', context);
    case 'base64Binary':
      return undefined;
  }
}

function defer(params: Record<string, unknown>, parameter: Parameter, { reason, faultstring }: UnreadableValue): void {
  const failure = new ProtocolError(
    'InvalidParameter',
    `${parameter.name}: ${reason}`,
    faultstring === undefined ? {} : { faultstring },
    { parameter: parameter.name },
  );
  Object.defineProperty(params, parameter.name, {
    enumerable: true,
    get: () => {
      throw failure;
    },
  });
}
