import { ERRORS, type ErrorCode } from '../contract/errors.ts';
import { SESSION_COOKIES } from '../domain/admins/sessions.ts';
import { lowestReader } from './principal.ts';
import { statusOf } from './problem.ts';
import type { Route } from './route.ts';
import { integer, object, type Schema, text, word } from './schema.ts';

const JSON_TYPE = 'application/json';

/** Error codes that every route can answer. */
const COMMON: readonly ErrorCode[] = [
  'Unauthenticated',
  'Forbidden',
  'RateLimited',
  'Internal',
  'StorageUnavailable',
];

const PROBLEM: Schema = {
  ...object(
    {
      type: text('`about:blank`: the status and `code` say all.'),
      title: text('What the code means.'),
      status: integer('The HTTP status.'),
      detail: text('What was wrong and what would be right.'),
      code: word('A code that programs can go by.', ...Object.keys(ERRORS)),
      parameter: text('What was wrong, where that has a name.'),
      requestId: text('Finds the reason in the log of the service.'),
    },
    ['parameter'],
  ),
  title: 'Problem',
};

/** Returns the OpenAPI 3.1 document of the routes. */
export function openApiOf(routes: readonly Route[]): Record<string, unknown> {
  const schemas: Record<string, unknown> = {};
  const paths: Record<string, Record<string, unknown>> = {};
  for (const route of routes) {
    paths[route.path] ??= {};
    paths[route.path]![route.method] = operationOf(route, schemas);
  }
  const problem = hoisted(PROBLEM, schemas);
  return {
    openapi: '3.1.1',
    info: {
      title: 'WS01: HTTP API',
      version: '1',
      description:
        'To see and look after what the 20 operations store. Every error is a problem (RFC 9457). Send the text of a token with the scope `read` or `manage`, see docs/api.md.',
    },
    servers: [{ url: '/api/v1' }],
    security: [{ token: [] }, { session: [] }],
    tags: [...new Set(routes.map(({ tag }) => tag))].map((name) => ({ name })),
    paths,
    components: {
      schemas,
      responses: {
        Problem: {
          description: 'It went wrong.',
          content: { 'application/problem+json': { schema: problem } },
        },
      },
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer' },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: SESSION_COOKIES.secure,
          description: 'Who is signed in to the console. Changes only by pages of the same origin.',
        },
      },
    },
  };
}

function operationOf(route: Route, schemas: Record<string, unknown>) {
  const {
    id,
    tag,
    summary,
    role,
    path,
    query = {},
    body,
    bytes,
    result,
    status = 200,
    errors = [],
  } = route;
  const type = route.contentType?.split(';')[0] ?? JSON_TYPE;
  const keys = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
  const parameters = Object.entries(query).map(([name, { description, ...schema }]) => ({
    name,
    in: 'query',
    description,
    required: false,
    schema,
  }));
  const codes: readonly ErrorCode[] = [...COMMON, ...errors, 'InvalidParameter'];
  const problems = Object.fromEntries(
    [...new Set(codes.map(statusOf))]
      .toSorted()
      .map((code) => [code, { $ref: '#/components/responses/Problem' }]),
  );
  return {
    operationId: id,
    tags: [tag],
    summary,
    description: readersOf(route),
    ...(role === 'public' ? { security: [] } : {}),
    'x-role': role === 'public' ? role : lowestReader({ role, private: route.private }),
    ...(route.confirmed ? { 'x-confirmed': true } : {}),
    parameters: [...keys, ...parameters],
    ...(body === undefined ? {} : bodyOf(JSON_TYPE, { schema: hoisted(body, schemas) })),
    ...(bytes === undefined ? {} : bodyOf(bytes, {})),
    responses: {
      [status]: { description: 'Done.', content: { [type]: { schema: hoisted(result, schemas) } } },
      ...problems,
    },
  };
}

const bodyOf = (type: string, content: object) => ({
  requestBody: { required: true, content: { [type]: content } },
});

/** Says who may call a route. */
function readersOf({ role, private: isPrivate, confirmed }: Route): string {
  if (role === 'public') return 'For everybody, without a credential.';
  if (isPrivate) return 'For owners, and for tokens with the scope read or manage.';
  const once = confirmed ? ' A session needs a sign-in of the last two hours.' : '';
  return `For the role ${role} and above.${once}`;
}

/** Returns the schema with references in place of its titled parts, which move to `schemas`. */
function hoisted(schema: Schema, schemas: Record<string, unknown>): unknown {
  const { title, items, properties, additionalProperties, ...rest } = schema;
  const whole = {
    ...rest,
    ...(items === undefined ? {} : { items: hoisted(items, schemas) }),
    ...(properties === undefined
      ? {}
      : {
          properties: Object.fromEntries(
            Object.entries(properties).map(([name, property]) => [
              name,
              hoisted(property, schemas),
            ]),
          ),
        }),
    ...(additionalProperties === undefined
      ? {}
      : { additionalProperties: additionalProperties && hoisted(additionalProperties, schemas) }),
  };
  if (title === undefined) return whole;
  schemas[title] = whole;
  return { $ref: `#/components/schemas/${title}` };
}
