import { purposeOf } from '@ws01/asmx/internal/contract/purpose';
import {
  credentialOf,
  headerField,
  isForSoapAlone,
  type Operation,
  type Service,
} from '@ws01/asmx/internal/contract/service';
import type { Element } from '@ws01/asmx/internal/contract/types';
import { type JsonObject, JsonSchemas } from '@ws01/asmx/internal/describe/json-schema';
import { resultElement } from '@ws01/asmx/internal/values/message-plan';
import type { JsonAnswerReader } from '../client/json-values.ts';
import { resultOf } from '../client/result.ts';
import type { McpOptions } from './options.ts';

/** A tool as the protocol describes it. */
interface Tool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: { readonly type: 'object'; readonly [key: string]: unknown };
  readonly outputSchema: { readonly type: 'object'; readonly [key: string]: unknown };
  readonly annotations: Readonly<Record<string, boolean>>;
}

export interface OperationTool<S extends Service> {
  readonly operation: S['operations'][number];
  /** The parameter with the credential, which the tool does not show. */
  readonly credential: string | undefined;
  readonly tool: Tool;
}

/**
 * A tool for each operation that JSON can call: parameters and result as JSON Schema, side effects
 * as annotations.
 */
export function toolsOf<S extends Service>(
  service: S,
  { credential = (given) => credentialOf(given)?.name }: Pick<McpOptions<S>, 'credential'>,
): OperationTool<S>[] {
  const schemas = new JsonSchemas(service, { refs: '#/$defs/', lossless: true });
  const definitions = schemas.definitions();
  const object = (elements: readonly Element[]) => members(schemas, elements);
  const whole = (schema: JsonObject) => {
    const used = reachable(schema, definitions);
    return {
      ...schema,
      type: 'object' as const,
      ...(Object.keys(used).length === 0 ? {} : { $defs: used }),
    };
  };
  const called = service.operations.filter((each) => !isForSoapAlone(each));
  return called.map((operation: S['operations'][number]) => {
    const hidden = credential(operation);
    const readOnly = operation.readOnly === true;
    const result = resultElement(operation);
    const results = [
      ...(result === undefined ? [] : [{ ...result, name: 'result', property: 'result' }]),
      ...(operation.out ?? []),
    ];
    const answer = object(results) as { readonly properties: JsonObject };
    const code: JsonObject =
      result?.type === 'boolean'
        ? { code: { type: 'string', description: 'Why the result is false.' } }
        : {};
    return {
      operation,
      credential: hidden,
      tool: {
        name: operation.name,
        description: purposeOf(operation) || operation.name,
        inputSchema: whole(
          withHeaders(
            operation,
            schemas,
            object(operation.parameters.filter(({ name }) => name !== hidden)),
          ),
        ),
        outputSchema: whole({ ...answer, properties: { ...answer.properties, ...code } }),
        annotations: {
          readOnlyHint: readOnly,
          destructiveHint: operation.destructive === true && !readOnly,
          openWorldHint: false,
        },
      },
    };
  });
}

/** The member of a tool's arguments that has the SOAP headers. */
export const SOAP_HEADERS = 'soapHeaders';

/** Adds the SOAP headers, which a call has in fields of HTTP, to the schema of the arguments. */
function withHeaders({ headers }: Operation, schemas: JsonSchemas, given: JsonObject): JsonObject {
  const sent = (headers?.in ?? []).filter(({ name }) => headerField(name) !== undefined);
  if (sent.length === 0) return given;
  const required = sent.filter((each) => each.required === true);
  const names = required.map(({ name, property }) => property ?? name);
  const soapHeaders = {
    ...members(schemas, sent),
    description: 'SOAP headers of the call.',
    ...(names.length === 0 ? {} : { required: names }),
  };
  const { properties } = given as { readonly properties: JsonObject };
  return {
    ...given,
    properties: { ...properties, [SOAP_HEADERS]: soapHeaders },
    ...(names.length === 0 ? {} : { required: [SOAP_HEADERS] }),
  };
}

function members(schemas: JsonSchemas, elements: readonly Element[]): JsonObject {
  return {
    type: 'object',
    properties: Object.fromEntries(
      elements.map((element) => [element.property ?? element.name, schemas.element(element)]),
    ),
  };
}

/** The definitions that a schema refers to, and those that they do. */
function reachable(
  schema: JsonObject,
  definitions: Readonly<Record<string, JsonObject>>,
): Record<string, JsonObject> {
  const found: Record<string, JsonObject> = {};
  const look = (at: JsonObject) => {
    for (const [, name = ''] of JSON.stringify(at).matchAll(/"#\/\$defs\/([^"]+)"/g)) {
      const definition = definitions[name];
      if (definition === undefined || Object.hasOwn(found, name)) continue;
      found[name] = definition;
      look(definition);
    }
  };
  look(schema);
  return found;
}

/** What a call returned, as one object: `result`, out parameters, and the code of a "no". */
export function wholeResult(
  operation: Operation,
  d: unknown,
  reader: JsonAnswerReader,
  code: string | undefined,
): Record<string, unknown> {
  const returned = resultOf(operation, d, reader);
  const { value, out } =
    (operation.out?.length ?? 0) > 0
      ? (returned as { readonly value?: unknown; readonly out: Readonly<Record<string, unknown>> })
      : { value: returned, out: {} };
  const all: Record<string, unknown> = {
    ...(value === undefined ? {} : { result: value }),
    ...out,
  };
  return code === undefined ? all : { ...all, code };
}
