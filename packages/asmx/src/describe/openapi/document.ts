import type { Operation, Service } from '../../contract/service.ts';
import type { ErrorTable } from '../../engine/errors.ts';
import { endpointUrl, type ServiceAddress } from '../service-address.ts';
import { errorHeaders, errorReferences, errorResponses } from './errors.ts';
import {
  errorSchema,
  type JsonObject,
  jsonResultSchema,
  parameterSchema,
  problemSchema,
  requestSchema,
  xmlResultSchema,
} from './schemas.ts';

/** The document's own version (OpenAPI asks for one): of the contract, which has never had a second. */
const VERSION = '1.0.0';

/**
 * The OpenAPI 3.1 description of what of a service is plain HTTP: GET, POST and JSON; SOAP is the WSDL's.
 * @param errors every code the service can answer: each status becomes a response.
 * @returns a JSON value.
 */
export function openApi(service: Service, errors: ErrorTable, place: ServiceAddress): JsonObject {
  const references = errorReferences(errors);
  const paths = service.operations.map((operation) => [
    `${place.path}/${operation.name}`,
    {
      post: postOperation(operation, place, references),
      get: getOperation(operation, place, references),
    },
  ]);
  return {
    openapi: '3.1.1',
    info: {
      title: `${service.name} Web Service`,
      version: VERSION,
      description: [
        service.documentation,
        'Every operation also answers over SOAP 1.1 and SOAP 1.2: see the WSDL. Values that are absent count as not given.',
      ]
        .filter((text) => text)
        .join('\n\n'),
    },
    externalDocs: { description: 'WSDL 1.1', url: `${endpointUrl(place)}?WSDL` },
    servers: [{ url: place.baseUrl }],
    paths: Object.fromEntries(paths),
    components: {
      schemas: {
        ...Object.fromEntries(
          service.operations.map((operation) => [`${operation.name}Request`, requestSchema(operation)]),
        ),
        Error: errorSchema(place.namespace),
        Problem: problemSchema(),
      },
      headers: errorHeaders(),
      responses: errorResponses(errors),
    },
  };
}

function postOperation(operation: Operation, place: ServiceAddress, errors: JsonObject): JsonObject {
  const schema = { $ref: `#/components/schemas/${operation.name}Request` };
  const hasFile = operation.parameters.some((parameter) => parameter.type === 'base64Binary');
  return {
    operationId: operation.name,
    summary: operation.documentation,
    requestBody: {
      content: {
        'application/x-www-form-urlencoded': { schema },
        'application/json': { schema },
        ...(hasFile ? { 'multipart/form-data': { schema: requestSchema(operation, 'file') } } : {}),
      },
    },
    responses: {
      200: success(operation, {
        'text/xml': { schema: xmlResultSchema(operation, place.namespace) },
        'application/json': { schema: jsonResultSchema(operation) },
      }),
      ...errors,
    },
  };
}

function getOperation(operation: Operation, place: ServiceAddress, errors: JsonObject): JsonObject {
  return {
    operationId: `${operation.name}ByGet`,
    summary: operation.documentation,
    parameters: operation.parameters.map((parameter) => ({
      name: parameter.name,
      in: 'query',
      description: parameter.secret
        ? `${parameter.documentation} In a URL others may see it: prefer POST.`
        : parameter.documentation,
      schema: parameterSchema(parameter),
    })),
    responses: {
      200: success(operation, { 'text/xml': { schema: xmlResultSchema(operation, place.namespace) } }),
      ...errors,
    },
  };
}

/** A boolean operation's "no" is an answer too, with its reason in a header. */
function success({ result }: Operation, content: JsonObject): JsonObject {
  return {
    description: result === 'boolean' ? 'The answer; for `false`, `X-Error-Code` says why.' : 'The result.',
    ...(result === 'boolean' ? { headers: { 'X-Error-Code': { $ref: '#/components/headers/X-Error-Code' } } } : {}),
    content,
  };
}
