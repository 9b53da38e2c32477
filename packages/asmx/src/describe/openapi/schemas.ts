import { resultName } from '../../contract/scalar-facts.ts';
import type { Operation, Parameter } from '../../contract/service.ts';
import type { XsdType } from '../../contract/values.ts';

/** A value of the OpenAPI document. */
type Json = string | number | boolean | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: Json;
}

/**
 * The schema of an operation's parameters as one object. Nothing is required: what is absent counts as not given.
 * @param file how a base64Binary parameter is carried: as base64 text, or as the file itself (multipart).
 */
export function requestSchema({ parameters }: Operation, file: 'base64' | 'file' = 'base64'): JsonObject {
  return {
    type: 'object',
    properties: Object.fromEntries(
      parameters.map((parameter) => [
        parameter.name,
        {
          ...(file === 'file' && parameter.type === 'base64Binary' ? FILE : parameterSchema(parameter)),
          description: parameter.documentation,
        },
      ]),
    ),
  };
}

const FILE: JsonObject = { type: 'string', contentMediaType: 'application/octet-stream' };

/** The schema of one parameter's value. JSON Schema counts `maxLength` in code points, as contracts do. */
export function parameterSchema(parameter: Parameter): JsonObject {
  const { type, maxLength, secret } = parameter;
  return {
    ...TYPES[type as XsdType],
    ...(type === 'string' && maxLength !== undefined ? { maxLength } : {}),
    ...(secret ? { format: 'password' } : {}),
    ...example(parameter),
  };
}

const TYPES = {
  string: { type: 'string' },
  int: { type: 'integer', format: 'int32' },
  boolean: { type: 'boolean' },
  dateTime: { type: 'string', format: 'date-time' },
  base64Binary: { type: 'string', contentEncoding: 'base64' },
} as const satisfies Record<XsdType, JsonObject>;

function example({ type, sample }: Parameter): JsonObject {
  if (sample === '') return {};
  if (type === 'int') return { examples: [Number(sample)] };
  if (type === 'boolean') return { examples: [sample === 'true'] };
  return { examples: [sample] };
}

/** `{"d": …}`, as ASP.NET's script services wrap it. */
export function jsonResultSchema({ result }: Operation): JsonObject {
  return { type: 'object', required: ['d'], properties: { d: { type: resultName(result) } } };
}

/** `<string>` or `<boolean>` in the service's namespace. */
export function xmlResultSchema({ result }: Operation, namespace: string): JsonObject {
  return { type: resultName(result), xml: { name: resultName(result), namespace } };
}

/** The `<error>` document of GET and POST. */
export function errorSchema(namespace: string): JsonObject {
  return {
    type: 'object',
    xml: { name: 'error', namespace },
    required: ['code', 'message', 'requestId'],
    properties: {
      code: { type: 'string' },
      message: { type: 'string' },
      parameter: { type: 'string', description: 'The parameter that was wrong.' },
      requestId: { type: 'string', description: 'Finds the call in the log of the server.' },
    },
  };
}

/** The problem details of JSON (RFC 9457). */
export function problemSchema(): JsonObject {
  return {
    type: 'object',
    required: ['type', 'title', 'status', 'detail', 'code', 'requestId'],
    properties: {
      type: { type: 'string', format: 'uri-reference' },
      title: { type: 'string' },
      status: { type: 'integer' },
      detail: { type: 'string' },
      code: { type: 'string' },
      parameter: { type: 'string', description: 'The parameter that was wrong.' },
      requestId: { type: 'string', description: 'Finds the call in the log of the server.' },
      Message: { type: 'string', description: 'The detail again, where pages of ASP.NET’s script services read it.' },
      StackTrace: { type: 'string', description: 'Always empty; for the same pages.' },
      ExceptionType: { type: 'string', description: 'The code again; for the same pages.' },
    },
  };
}
