import type { ErrorKind, ErrorTable, ProtocolErrorCode } from '../../engine/errors.ts';
import type { JsonObject } from '../json-schema.ts';

/** Codes that only SOAP answers. */
const SOAP_ONLY: ReadonlySet<string> = new Set<ProtocolErrorCode>(['VersionMismatch', 'MustUnderstand']);

/** Statuses whose answers say when to try again. */
const WITH_RETRY_AFTER: ReadonlySet<number> = new Set([429, 503]);

/** One response for each status of the table, naming its codes and their meanings; by component name. */
export function errorResponses(errors: ErrorTable): JsonObject {
  return Object.fromEntries(
    byStatus(errors).map(([status, kinds]) => [
      componentName(status),
      {
        description: kinds.map(([code, { meaning }]) => `\`${code}\`: ${meaning}`).join('\n\n'),
        headers: {
          'X-Error-Code': {
            description: 'The code.',
            required: true,
            schema: { type: 'string', enum: kinds.map(([code]) => code) },
          },
          'X-Request-Id': { $ref: '#/components/headers/X-Request-Id' },
          ...(WITH_RETRY_AFTER.has(status) ? { 'Retry-After': { $ref: '#/components/headers/Retry-After' } } : {}),
        },
        content: {
          'text/xml': { schema: { $ref: '#/components/schemas/Error' } },
          'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } },
        },
      },
    ]),
  );
}

/** References to {@link errorResponses} by status, as every operation lists them. */
export function errorReferences(errors: ErrorTable): JsonObject {
  return Object.fromEntries(
    byStatus(errors).map(([status]) => [String(status), { $ref: `#/components/responses/${componentName(status)}` }]),
  );
}

/** The headers that several responses share. */
export function errorHeaders(): JsonObject {
  return {
    'X-Error-Code': { description: 'Why the answer is no.', schema: { type: 'string' } },
    'X-Request-Id': {
      description: 'The request id, which finds the call in the log of the server.',
      schema: { type: 'string' },
    },
    'Retry-After': { description: 'How long to wait, in seconds.', schema: { type: 'integer', minimum: 0 } },
  };
}

function byStatus(errors: ErrorTable): [status: number, kinds: [code: string, kind: ErrorKind][]][] {
  const served = Object.entries(errors).filter(([code]) => !SOAP_ONLY.has(code));
  const groups = Map.groupBy(served, ([, kind]) => kind.status);
  return [...groups].sort(([a], [b]) => a - b);
}

function componentName(status: number): string {
  return `Error${status}`;
}
