import { mayActAs, type Role } from '../contract/roles.ts';
import type { ConsoleApi } from './visit.ts';

/** The parts of JSON Schema that pages use. */
export interface FieldSchema {
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly enum?: readonly (string | null)[];
  readonly description?: string;
  readonly maxLength?: number;
  readonly default?: unknown;
  readonly deprecated?: boolean;
  /** The lowest role that sees the member; absent: every role that sees the record. */
  readonly 'x-role'?: Role;
  /** The items of a list. */
  readonly items?: FieldSchema;
}

type Fields = Readonly<Record<string, FieldSchema>>;

/** Returns the members, or filters, that a role sees. */
export function seenBy(role: Role, fields: Fields): Fields {
  return Object.fromEntries(
    Object.entries(fields).filter(([, schema]) => mayActAs(role, schema['x-role'] ?? 'reader')),
  );
}

/** Returns the orders that a role sorts by: of a filter, only one that it sees. */
export function sortsFor(
  role: Role,
  { filters, sorts }: Pick<Kind, 'filters' | 'sorts'>,
): readonly string[] {
  const seen = seenBy(role, filters);
  return sorts.filter((sort) => {
    const name = sort.replace('-', '');
    return name in seen || !(name in filters);
  });
}

/** An action on a record. */
export interface Verb {
  readonly name: string;
  readonly method: string;
  /** The path after the record's own: `/hold`, or empty. */
  readonly tail: string;
  readonly summary: string;
  readonly role: Role;
  /** Whether a session must be confirmed for it. */
  readonly confirmed: boolean;
  /** The members of its body, `reason` included. */
  readonly body: Fields;
  readonly required: readonly string[];
}

/** A kind of record as the API describes it. Its pages are made from this. */
export interface Kind {
  readonly name: string;
  /** The member that holds the key. */
  readonly key: string;
  readonly fields: Fields;
  readonly detail: Fields;
  readonly filters: Fields;
  readonly sorts: readonly string[];
  readonly sort: string;
  readonly hasSearch: boolean;
  readonly verbs: readonly Verb[];
  /** The form to create one; `undefined` if only applications create them. */
  readonly create: Pick<Verb, 'summary' | 'role' | 'confirmed' | 'body' | 'required'> | undefined;
  /** Lists of a record: `revisions`. */
  readonly parts: readonly string[];
  readonly role: Role;
}

interface Parameter extends Pick<FieldSchema, 'description'> {
  readonly name: string;
  readonly in: string;
  readonly schema: FieldSchema;
}

interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly 'x-role': Role;
  readonly 'x-confirmed'?: true;
  readonly parameters: readonly Parameter[];
  readonly requestBody?: { readonly content: Json };
  readonly responses: Readonly<Record<string, { readonly content?: Json }>>;
}

type Json = { readonly 'application/json': { readonly schema: Node } };

interface Node extends FieldSchema {
  readonly $ref?: string;
  readonly items?: Node;
  readonly properties?: Readonly<Record<string, Node>>;
  readonly required?: readonly string[];
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Node>> };
}

/** Parameters that every list has and that are not filters. */
const PAGING = new Set(['limit', 'cursor', 'sort', 'q', 'total']);

/** The paginated kinds of records by name. */
export type KindsByName = ReadonlyMap<string, Kind>;

/** A list of the service itself, and the lowest role that reads it. */
export interface ServiceTable {
  readonly name: string;
  readonly role: Role;
}

/** What the console reads from the API's description. */
export interface Catalog {
  readonly kinds: KindsByName;
  /** Lists of the service itself, which are not paginated. */
  readonly tables: readonly ServiceTable[];
}

const TABLES = ['settings', 'queues', 'backups'];

/** Reads the kinds and lists from the API's OpenAPI document. */
export async function readCatalog(api: ConsoleApi): Promise<Catalog> {
  const answer = await api.fetch(new Request('http://console/api/v1/openapi.json'), {});
  const document = (await answer.json()) as Document;
  const kindsByName = new Map<string, Kind>();
  for (const [path, { get }] of Object.entries(document.paths)) {
    const [, name = ''] = /^\/([a-z-]+)$/.exec(path) ?? [];
    const own = new RegExp(`^/${name}/\\{(\\w+)\\}$`);
    const recordPath = Object.keys(document.paths).find((other) => own.test(other));
    const isPaged = get?.parameters.some((parameter) => parameter.name === 'cursor');
    if (name === '' || get === undefined || recordPath === undefined || !isPaged) continue;
    kindsByName.set(name, kindOf(document, name, get, recordPath));
  }
  return {
    kinds: kindsByName,
    tables: TABLES.filter((name) => !kindsByName.has(name)).flatMap((name) => {
      const list = document.paths[`/${name}`]?.get;
      return list === undefined ? [] : [{ name, role: list['x-role'] }];
    }),
  };
}

function kindOf(document: Document, name: string, list: Operation, recordPath: string): Kind {
  const key = /\{(\w+)\}$/.exec(recordPath)![1]!;
  const record = document.paths[recordPath]!;
  const parameters = list.parameters.filter((parameter) => parameter.in === 'query');
  const named = (wanted: string) => parameters.find((parameter) => parameter.name === wanted);
  const below = Object.entries(document.paths).filter(([path]) =>
    path.startsWith(`${recordPath}/`),
  );
  return {
    name,
    key,
    role: list['x-role'],
    fields: propertiesOf(document, schemaOf(document, list).properties!.items!.items!),
    detail: record.get === undefined ? {} : propertiesOf(document, schemaOf(document, record.get)),
    filters: Object.fromEntries(
      parameters
        .filter((parameter) => !PAGING.has(parameter.name))
        .map(({ name: filter, description, schema }) => [
          filter,
          { ...schema, ...(description && { description }) },
        ]),
    ),
    sorts: (named('sort')?.schema.enum ?? []).filter((sort) => sort !== null),
    sort: String(named('sort')?.schema.default ?? ''),
    hasSearch: named('q') !== undefined,
    create: createOf(document, document.paths[`/${name}`]?.post),
    verbs: [
      ...verbsOf(document, record, ''),
      ...below.flatMap(([path, item]) => {
        const tail = path.slice(recordPath.length);
        return tail.includes('{') ? [] : verbsOf(document, item, tail);
      }),
    ],
    parts: below
      .filter(
        ([path, item]) => item.get !== undefined && !path.slice(recordPath.length).includes('{'),
      )
      .map(([path]) => path.slice(recordPath.length + 1)),
  };
}

function createOf(document: Document, post: Operation | undefined): Kind['create'] {
  if (post === undefined) return undefined;
  const { summary, 'x-role': role, requestBody } = post;
  const json = requestBody?.content['application/json'];
  // What takes a file has a form of its own.
  if (requestBody !== undefined && json === undefined) return undefined;
  const body = json && resolve(document, json.schema);
  return {
    summary,
    role,
    confirmed: post['x-confirmed'] === true,
    body: body === undefined ? {} : propertiesOf(document, body),
    required: body?.required ?? [],
  };
}

function verbsOf(
  document: Document,
  item: Readonly<Record<string, Operation>>,
  tail: string,
): Verb[] {
  return Object.entries(item)
    .filter(
      ([method, { parameters }]) =>
        method !== 'get' && parameters.some(({ name }) => name === 'preview'),
    )
    .map(([method, operation]) => {
      const body =
        operation.requestBody &&
        resolve(document, operation.requestBody.content['application/json'].schema);
      return {
        name: /^[a-z]+/.exec(operation.operationId)![0],
        method,
        tail,
        summary: operation.summary,
        role: operation['x-role'],
        confirmed: operation['x-confirmed'] === true,
        body: body === undefined ? {} : propertiesOf(document, body),
        required: body?.required ?? [],
      };
    });
}

function schemaOf(document: Document, { responses }: Operation): Node {
  const done = Object.entries(responses).find(([status]) => status.startsWith('2'))!;
  return resolve(document, done[1].content!['application/json'].schema);
}

function propertiesOf(document: Document, node: Node): Fields {
  const { properties = {} } = resolve(document, node);
  return Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [name, resolve(document, schema)]),
  );
}

function resolve(document: Document, node: Node): Node {
  return node.$ref === undefined
    ? node
    : document.components.schemas[node.$ref.split('/').at(-1)!]!;
}
