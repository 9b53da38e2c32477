import { resultName } from '../../contract/scalar-facts.ts';
import type { Operation, Parameter } from '../../contract/service.ts';
import type { XsdType } from '../../contract/values.ts';
import { resultElement } from '../../values/message-plan.ts';
import type { JsonObject, JsonSchemas } from '../json-schema.ts';

/**
 * The schema of an operation's parameters as one object. Parameters that the contract requires are
 * required. So are value
 * types of .NET, unless all parameters of the operation are texts, numbers, dates and files: an
 * absent one of these counts
 * as not given.
 * @param file how a base64Binary parameter is carried: as base64 text, or as the file itself
 *   (multipart).
 */
export function requestSchema(
  operation: Operation,
  schemas: JsonSchemas,
  file: 'base64' | 'file' = 'base64',
): JsonObject {
  const { parameters } = operation;
  const isEach = isPlain(operation) ? isMandatory : schemas.isRequired.bind(schemas);
  const required = parameters.filter(isEach).map(nameOf);
  return {
    type: 'object',
    properties: Object.fromEntries(
      parameters.map((parameter) => [
        nameOf(parameter),
        {
          ...(file === 'file' && parameter.type === 'base64Binary'
            ? FILE
            : parameterSchema(parameter, schemas)),
          ...(parameter.documentation === '' ? {} : { description: parameter.documentation }),
        },
      ]),
    ),
    ...(required.length === 0 ? {} : { required }),
  };
}

/** Whether a call without a parameter is refused. */
export function isMandatory({ required }: Parameter): boolean {
  return required === true;
}

const nameOf = ({ name, property }: Parameter): string => property ?? name;

const FILE: JsonObject = { type: 'string', contentMediaType: 'application/octet-stream' };

/**
 * The schema of one parameter's value. JSON Schema counts `maxLength` in code points, as contracts
 * do.
 */
export function parameterSchema(parameter: Parameter, schemas: JsonSchemas): JsonObject {
  const { type, maxLength, secret } = parameter;
  const flat =
    Object.hasOwn(TYPES, String(type)) &&
    parameter.max === undefined &&
    parameter.nillable !== true;
  return {
    ...(flat ? TYPES[type as XsdType] : schemas.element(parameter)),
    ...(type === 'string' && maxLength !== undefined ? { maxLength } : {}),
    ...(secret ? { format: 'password' } : {}),
    ...(flat ? example(parameter) : {}),
  };
}

/**
 * Whether an operation has parameters of the five types below and answers a text or a boolean, and
 * says no more.
 */
function isPlain({ result, out, style, use, oneWay, headers, parameters }: Operation): boolean {
  const saysMore = [out, style, use, oneWay, headers].some((each) => each !== undefined);
  const isOne = ({ type, max, nillable }: Parameter) =>
    Object.hasOwn(TYPES, String(type)) && max === undefined && nillable !== true;
  return (result === 'string' || result === 'boolean') && !saysMore && parameters.every(isOne);
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

/**
 * `{"d": …}`, as ASP.NET's script services wrap it; with out parameters `d` is an object of the
 * result and of them.
 */
export function jsonResultSchema(operation: Operation, schemas: JsonSchemas): JsonObject {
  return { type: 'object', required: ['d'], properties: { d: resultSchema(operation, schemas) } };
}

function resultSchema(operation: Operation, schemas: JsonSchemas): JsonObject {
  if (isPlain(operation)) return { type: resultName(operation.result) };
  const result = resultElement(operation);
  const { out = [] } = operation;
  if (out.length === 0) return result === undefined ? { type: 'null' } : schemas.element(result);
  const members = [...(result === undefined ? [] : [result]), ...out];
  return {
    type: 'object',
    properties: Object.fromEntries(
      members.map((each) => [each.property ?? each.name, schemas.element(each)]),
    ),
  };
}

/**
 * The result as XML: `<string>` or `<boolean>` in the service's namespace. The schema of an object
 * is in the WSDL; here it is only XML.
 */
export function xmlResultSchema(operation: Operation, namespace: string): JsonObject {
  if (!isPlain(operation)) return { description: 'XML as the WSDL has it.' };
  const { result } = operation;
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
      requestId: {
        type: 'string',
        description: 'The request id, which finds the call in the log of the server.',
      },
    },
  };
}

/** The problem details of JSON (RFC 9457). */
/** @param faults the schemas of the typed details. */
export function problemSchema(faults: readonly JsonObject[]): JsonObject {
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
      ...(faults.length === 0
        ? {}
        : { fault: { description: 'What the code tells beside its message.', anyOf: faults } }),
      requestId: {
        type: 'string',
        description: 'The request id, which finds the call in the log of the server.',
      },
      Message: {
        type: 'string',
        description: 'The detail again, where pages of ASP.NET’s script services read it.',
      },
      StackTrace: { type: 'string', description: 'Always empty; for the same pages.' },
      ExceptionType: { type: 'string', description: 'The code again; for the same pages.' },
    },
  };
}
