import type { CompiledOperation, CompiledService } from '../contract/compiled.ts';
import type { Parameter } from '../contract/service.ts';
import {
  type BindingForm,
  checkText,
  LexicalError,
  parseBoolean,
  parseDateTime,
  parseInt32,
} from '../lexical/index.ts';
import { ProtocolError } from './errors.ts';
import type { RawValues } from './exchange.ts';
import { UnreadableValue } from './unreadable-value.ts';

/**
 * Raw values to typed parameters, in contract order. A value that cannot be converted becomes a property that throws
 * its `InvalidParameter` when it is read: so errors come in the order of the handler's own checks (semantics 4).
 */
export function typedParameters(
  service: CompiledService,
  compiled: CompiledOperation,
  values: RawValues,
  form: BindingForm,
): Readonly<Record<string, unknown>> {
  const params: Record<string, unknown> = {};
  const { parameters } = compiled.operation;
  for (let index = 0; index < parameters.length; index++) {
    const parameter = parameters[index]!;
    const raw = values[index];
    const value = raw === undefined || typeof raw === 'string' ? readValue(service, parameter, raw, form) : raw;
    if (value instanceof UnreadableValue) defer(params, parameter, value);
    else params[parameter.name] = value;
  }
  return params;
}

/**
 * The value of a text, `undefined` for absent: 0 for int, false for boolean (semantics 1, rule 4).
 * @param place where a SOAP fault says that the error is, such as ` (1, 300)`.
 * @returns an `UnreadableValue` when it is not in the lexical form of the parameter's type.
 */
export function readValue(
  service: CompiledService,
  parameter: Parameter,
  text: string | undefined,
  form: BindingForm,
  place?: () => string,
): unknown {
  try {
    return convert(service, parameter, text, form);
  } catch (error) {
    if (!(error instanceof LexicalError)) throw error;
    // What a .NET proxy's SoapException showed for a value that could not be read (wire 4.4).
    const faultstring =
      form === 'element' && error.aspnetReason !== undefined
        ? `Server was unable to read request. ---> There is an error in XML document${place?.() ?? ''}. ---> ${error.aspnetReason}`
        : undefined;
    return new UnreadableValue(error.reason, faultstring);
  }
}

function convert(service: CompiledService, parameter: Parameter, text: string | undefined, form: BindingForm): unknown {
  switch (parameter.type) {
    case 'string':
      if (text !== undefined) checkText(text, parameter);
      return text;
    case 'int':
      return parseInt32(text ?? '');
    case 'boolean':
      return parseBoolean(text ?? '', form);
    case 'dateTime':
      return parseDateTime(text ?? '', { form, timeZone: service.timeZone, now: service.now });
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
