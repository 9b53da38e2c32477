import type { ErrorTable } from '../../contract/errors.ts';
import { purposeOf, wordingInWsdl } from '../../contract/purpose.ts';
import {
  type BindingName,
  headerField,
  isForSoapAlone,
  type Operation,
  type Service,
} from '../../contract/service.ts';
import { type JsonObject, JsonSchemas } from '../json-schema.ts';
import { endpointUrl, type ServiceAddress, withQuery } from '../service-address.ts';
import { formOperations } from '../wsdl/http-messages.ts';
import { ErrorResponses, errorHeaders } from './errors.ts';
import {
  errorSchema,
  isMandatory,
  jsonResultSchema,
  parameterSchema,
  problemSchema,
  requestSchema,
  xmlResultSchema,
} from './schemas.ts';

/** The version of the contract, which OpenAPI requires. There has been only one. */
const VERSION = '1.0.0';

/** Access to the service. */
export interface DocumentAccess {
  /** The value of `WWW-Authenticate`, if callers are asked for credentials. */
  readonly challenge?: string | undefined;
  /** Whether everybody may call, so that no answer says that access was refused. */
  readonly isOpen?: boolean | undefined;
}

/** The context for describing operations. */
interface Parts {
  readonly place: ServiceAddress;
  readonly schemas: JsonSchemas;
  readonly errors: ErrorResponses;
  readonly has: (binding: BindingName) => boolean;
  /** The operations that forms can call. */
  readonly forms: ReadonlySet<Operation>;
  readonly tag: string;
}

/**
 * Describes a service's bindings GET, POST and JSON in OpenAPI 3.1, as far as they are switched on.
 * The WSDL describes SOAP.
 * @param errors every code the service can answer; each operation shows only its own.
 * @param access who may call.
 * @returns a JSON value.
 */
export function openApi(
  service: Service,
  errors: ErrorTable,
  place: ServiceAddress,
  { challenge, isOpen = false }: DocumentAccess = {},
): JsonObject {
  const names = componentNames(service);
  const schemas = new JsonSchemas(service, {
    refs: '#/components/schemas/',
    nameOf: (key) => names.get(key) ?? key,
  });
  const parts: Parts = {
    place,
    schemas,
    errors: new ErrorResponses(service, errors, isOpen),
    has: (binding) => service.bindings?.includes(binding) ?? true,
    forms: new Set(formOperations(service)),
    tag: service.name,
  };
  const soapAlone = service.operations.filter(isForSoapAlone);
  const operations = service.operations.filter((each) => !soapAlone.includes(each));
  const paths = operations.flatMap((operation) => {
    const item = pathItem(operation, parts);
    return Object.keys(item).length === 0
      ? []
      : [[`${place.path}/${operation.name}`, item] as const];
  });
  const requests = operations.map(
    (operation) => [requestName(operation), requestSchema(operation, schemas)] as const,
  );
  const scheme = securityScheme(challenge);
  const { documentation: description } = service;
  return {
    openapi: '3.1.1',
    info: {
      title: `${service.name} Web Service`,
      version: VERSION,
      description: [description, soapNote(parts.has), aloneNote(soapAlone)]
        .filter((text) => text)
        .join('\n\n'),
    },
    externalDocs: { description: 'WSDL 1.1', url: withQuery(endpointUrl(place), 'WSDL') },
    servers: [{ url: place.baseUrl }],
    tags: [{ name: service.name, ...(description && { description }) }],
    ...(scheme === undefined ? {} : { security: [{ credentials: [] }] }),
    paths: Object.fromEntries(paths),
    components: {
      schemas: {
        ...schemas.definitions(),
        ...Object.fromEntries(requests),
        Error: errorSchema(place.namespace),
        Problem: problemSchema(faultSchemas(operations, schemas)),
      },
      headers: errorHeaders(),
      responses: parts.errors.components(),
      ...(scheme === undefined ? {} : { securitySchemes: { credentials: scheme } }),
    },
  };
}

/** Those of typed details, each once. */
function faultSchemas(operations: readonly Operation[], schemas: JsonSchemas): JsonObject[] {
  const all = operations.flatMap(({ faults = [] }) => faults.map(({ element }) => element));
  const byText = all
    .map((each) => schemas.element(each))
    .map((each) => [JSON.stringify(each), each]);
  return Object.values(Object.fromEntries(byText));
}

/** What the document leaves out. */
function soapNote(has: Parts['has']): string {
  const versions = [...(has('soap11') ? ['SOAP 1.1'] : []), ...(has('soap12') ? ['SOAP 1.2'] : [])];
  const soap =
    versions.length === 0
      ? ''
      : `Every operation also answers over ${versions.join(' and ')}: see the WSDL. `;
  return `${soap}Values that are absent count as not given.`;
}

function aloneNote(operations: readonly Operation[]): string {
  const names = operations.map(({ name }) => name).join(', ');
  return names === ''
    ? ''
    : `Over SOAP alone, because they require a SOAP header whose name HTTP does not take: ${names}.`;
}

/**
 * The names of types among the components: their keys, changed where a name is taken or not
 * allowed.
 */
function componentNames({ types = {}, operations }: Service): ReadonlyMap<string, string> {
  const taken = new Set(['Error', 'Problem', ...operations.map(requestName)]);
  const names = new Map<string, string>();
  for (const key of Object.keys(types)) {
    let name = componentName(key);
    while (taken.has(name)) name += '_';
    taken.add(name);
    names.set(key, name);
  }
  return names;
}

const requestName = ({ name }: Operation): string => `${componentName(name)}Request`;

/** A name with the characters escaped that no component's name may have. */
function componentName(name: string): string {
  return name.replace(/[^A-Za-z0-9._-]/gu, (char) => `_${char.codePointAt(0)!.toString(16)}`);
}

/** The security scheme of a challenge: Basic, Bearer, or any other of HTTP. */
function securityScheme(challenge: string | undefined): JsonObject | undefined {
  const scheme = challenge?.split(' ', 1)[0]?.toLowerCase();
  return scheme === undefined
    ? undefined
    : { type: 'http', scheme, description: `Asked for by \`${challenge}\`.` };
}

function pathItem(operation: Operation, parts: Parts): JsonObject {
  const { has, forms } = parts;
  const isForm = forms.has(operation);
  return {
    ...(has('json') || (has('post') && isForm) ? { post: postOperation(operation, parts) } : {}),
    ...(has('get') && isForm ? { get: getOperation(operation, parts) } : {}),
  };
}

function postOperation(
  operation: Operation,
  { place, schemas, errors, has, forms, tag }: Parts,
): JsonObject {
  const schema = { $ref: `#/components/schemas/${requestName(operation)}` };
  const form = has('post') && forms.has(operation);
  const hasFile =
    form && operation.parameters.some((parameter) => parameter.type === 'base64Binary');
  const answer = success(operation, {
    ...(form ? { 'text/xml': { schema: xmlResultSchema(operation, place.namespace) } } : {}),
    ...(has('json')
      ? { 'application/json': { schema: jsonResultSchema(operation, schemas) } }
      : {}),
  });
  return {
    operationId: operation.name,
    ...purposes(operation),
    tags: [tag],
    ...headerParameters(operation, schemas),
    requestBody: {
      ...(operation.parameters.some(isMandatory) ? { required: true } : {}),
      content: {
        ...(form ? { 'application/x-www-form-urlencoded': { schema } } : {}),
        ...(has('json') ? { 'application/json': { schema } } : {}),
        ...(hasFile
          ? { 'multipart/form-data': { schema: requestSchema(operation, schemas, 'file') } }
          : {}),
      },
    },
    responses: { ...answer, ...errors.of(operation) },
  };
}

/** The first sentence for lists of operations, and all of it, if there is more. */
function purposes(operation: Operation): JsonObject {
  const purpose = purposeOf(operation);
  const wording = wordingInWsdl(operation);
  const [summary = ''] = /^.*?[.;:](?= )|.*$/s.exec(purpose) ?? [];
  const description = [purpose, wording].filter((text) => text).join('\n\n');
  return {
    summary: summary.replace(/[;:]$/, '.'),
    ...(description === summary ? {} : { description }),
  };
}

function getOperation(operation: Operation, { place, schemas, errors, tag }: Parts): JsonObject {
  return {
    operationId: `${operation.name}ByGet`,
    ...purposes(operation),
    tags: [tag],
    parameters: [
      ...operation.parameters.map((parameter) => ({
        name: parameter.name,
        in: 'query',
        ...(isMandatory(parameter) ? { required: true } : {}),
        description: parameter.secret
          ? `${parameter.documentation} In a URL others may see it: prefer POST.`
          : parameter.documentation,
        schema: parameterSchema(parameter, schemas),
      })),
      ...(headerParameters(operation, schemas).parameters ?? []),
    ],
    responses: {
      ...success(operation, {
        'text/xml': { schema: xmlResultSchema(operation, place.namespace) },
      }),
      ...errors.of(operation),
    },
  };
}

/** SOAP headers, each as JSON in a field of HTTP. */
function headerParameters(
  { headers }: Operation,
  schemas: JsonSchemas,
): { readonly parameters?: readonly JsonObject[] } {
  const parameters = (headers?.in ?? []).flatMap((given) => {
    const name = headerField(given.name);
    if (name === undefined) return [];
    const content = { 'application/json': { schema: schemas.element(given) } };
    const description = `The SOAP header ${given.name}, as JSON.`;
    return [{ name, in: 'header', required: given.required === true, description, content }];
  });
  return parameters.length === 0 ? {} : { parameters };
}

/** A boolean operation's "no" is an answer too, with its reason in a header. */
function success({ result, oneWay }: Operation, content: JsonObject): JsonObject {
  if (oneWay === true) return { 202: { description: 'It was taken; nothing is answered.' } };
  return {
    200: {
      description:
        result === 'boolean' ? 'The answer; for `false`, `X-Error-Code` says why.' : 'The result.',
      ...(result === 'boolean'
        ? { headers: { 'X-Error-Code': { $ref: '#/components/headers/X-Error-Code' } } }
        : {}),
      content,
    },
  };
}
