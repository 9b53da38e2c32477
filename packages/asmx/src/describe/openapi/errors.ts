import {
  ACCESS_ERRORS,
  type ErrorTable,
  PROTOCOL_ERRORS,
  type ProtocolErrorCode,
} from '../../contract/errors.ts';
import type { Operation, Service } from '../../contract/service.ts';
import type { JsonObject } from '../json-schema.ts';

/** Codes that no call at the path of an operation gets, or only one over SOAP. */
const NOT_OF_OPERATIONS: ReadonlySet<string> = new Set<ProtocolErrorCode>([
  'VersionMismatch',
  'MustUnderstand',
  'UnknownOperation',
  'MethodNotAllowed',
]);

/** Codes of the protocol that only an operation with parameters answers. */
const OF_PARAMETERS: ReadonlySet<string> = new Set<ProtocolErrorCode>([
  'MissingParameter',
  'InvalidParameter',
]);

/** Statuses whose answers have Retry-After. */
const WITH_RETRY_AFTER: ReadonlySet<number> = new Set([429, 503]);

/**
 * The error responses of operations. Operations with the same codes of a status share a response.
 */
export class ErrorResponses {
  readonly #errors: ErrorTable;
  readonly #isOpen: boolean;
  /** Codes of typed faults, which only the operations with that fault answer. */
  readonly #faults: ReadonlySet<string>;
  /** For each status, the sets of codes that operations answer, in the order of first use. */
  readonly #groups = new Map<number, string[]>();

  /**
   * @param errors every code that the service can answer.
   * @param isOpen whether everybody may call.
   */
  constructor({ operations }: Pick<Service, 'operations'>, errors: ErrorTable, isOpen: boolean) {
    this.#errors = errors;
    this.#isOpen = isOpen;
    this.#faults = new Set(operations.flatMap(({ faults = [] }) => faults.map(({ name }) => name)));
  }

  /** The responses of an operation by status. */
  of(operation: Operation): JsonObject {
    const codes = Object.keys(this.#errors).filter((code) => this.#answers(operation, code));
    const byStatus = [...Map.groupBy(codes, (code) => this.#errors[code]!.status)].sort(
      ([a], [b]) => a - b,
    );
    return Object.fromEntries(
      byStatus.map(([status, group]) => [
        String(status),
        { $ref: `#/components/responses/${this.#name(status, group)}` },
      ]),
    );
  }

  /** All responses that operations referred to. */
  components(): JsonObject {
    const entries = [...this.#groups].sort(([a], [b]) => a - b);
    return Object.fromEntries(
      entries.flatMap(([status, groups]) =>
        groups.map(
          (group, index) =>
            [componentName(status, index), this.#response(status, group.split(' '))] as const,
        ),
      ),
    );
  }

  #answers({ parameters, errors, faults = [] }: Operation, code: string): boolean {
    if (NOT_OF_OPERATIONS.has(code)) return false;
    if (OF_PARAMETERS.has(code)) return parameters.length > 0 || (errors?.includes(code) ?? false);
    const declared = errors?.includes(code) || faults.some(({ name }) => name === code);
    if (Object.hasOwn(ACCESS_ERRORS, code)) return !this.#isOpen || declared;
    // A handler may throw it as any code of the table.
    if (code !== 'NotImplemented' && Object.hasOwn(PROTOCOL_ERRORS, code)) return true;
    return declared || (errors === undefined && !this.#faults.has(code));
  }

  #name(status: number, codes: readonly string[]): string {
    const key = codes.join(' ');
    const groups = this.#groups.get(status) ?? [];
    if (!groups.includes(key)) groups.push(key);
    this.#groups.set(status, groups);
    return componentName(status, groups.indexOf(key));
  }

  #response(status: number, codes: readonly string[]): JsonObject {
    return {
      description: codes.map((code) => `\`${code}\`: ${this.#errors[code]!.meaning}`).join('\n\n'),
      headers: {
        'X-Error-Code': {
          description: 'The code.',
          required: true,
          schema: { type: 'string', enum: codes },
        },
        'X-Request-Id': { $ref: '#/components/headers/X-Request-Id' },
        ...(WITH_RETRY_AFTER.has(status)
          ? { 'Retry-After': { $ref: '#/components/headers/Retry-After' } }
          : {}),
      },
      content: {
        'text/xml': { schema: { $ref: '#/components/schemas/Error' } },
        'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } },
      },
    };
  }
}

/** The headers that several responses share. */
export function errorHeaders(): JsonObject {
  return {
    'X-Error-Code': { description: 'Why the answer is no.', schema: { type: 'string' } },
    'X-Request-Id': {
      description: 'The request id, which finds the call in the log of the server.',
      schema: { type: 'string' },
    },
    'Retry-After': {
      description: 'How long to wait, in seconds.',
      schema: { type: 'integer', minimum: 0 },
    },
  };
}

/** `Error400`, and `Error400_2` for the next set of codes with that status. */
function componentName(status: number, index: number): string {
  return index === 0 ? `Error${status}` : `Error${status}_${index + 1}`;
}
