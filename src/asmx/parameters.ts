import { Base64Error } from './base64.ts';
import type { CompiledOperation, CompiledService } from './compiled.ts';
import { ProtocolError } from './errors.ts';
import type { RawValues } from './exchange.ts';
import type { Parameter } from './service.ts';
import { type BindingForm, checkText, LexicalError, parseBoolean, parseDateTime, parseInt32 } from './xsd.ts';

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
    try {
      params[parameter.name] = convert(service, parameter, values[index], form);
    } catch (error) {
      if (!(error instanceof LexicalError)) throw error;
      defer(params, parameter, error, form);
    }
  }
  return params;
}

function convert(service: CompiledService, parameter: Parameter, value: unknown, form: BindingForm): unknown {
  if (parameter.type === 'base64Binary') {
    if (value instanceof Base64Error) throw new LexicalError(`it is not base64. ${value.message}`, value.message);
    return value;
  }
  const text = typeof value === 'string' ? value : undefined;
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
  }
}

function defer(params: Record<string, unknown>, parameter: Parameter, error: LexicalError, form: BindingForm): void {
  const failure = new ProtocolError(
    'InvalidParameter',
    `${parameter.name}: ${error.reason}`,
    // What a .NET proxy's SoapException showed for a value that could not be read (asmx-wire 4.4).
    form === 'element' && error.aspnetReason !== undefined
      ? {
          faultstring: `Server was unable to read request. ---> There is an error in XML document. ---> ${error.aspnetReason}`,
        }
      : {},
    { parameter: parameter.name, cause: error },
  );
  Object.defineProperty(params, parameter.name, {
    enumerable: true,
    get: () => {
      throw failure;
    },
  });
}
