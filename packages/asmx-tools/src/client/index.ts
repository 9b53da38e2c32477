/**
 * The entry `./client`: a client for a service of this engine, with the types of its contract. It
 * uses JSON over fetch, and runs in every browser and in Node.
 * @packageDocumentation
 */

import type { Operation } from '@ws01/asmx/internal/contract/service';
import type { TypedService } from '@ws01/asmx/internal/contract/typed-service';
import { parseWithDigits } from '@ws01/asmx/internal/lexical/json-number';

export { type TypedService, typedService } from '@ws01/asmx/internal/contract/typed-service';
export type { AnyValue, DataSet, Nothing, Refusal } from '@ws01/asmx/internal/contract/values';

import { headerFields } from './header-fields.ts';
import { JsonAnswerReader, JsonArgumentWriter, type ValueForms } from './json-values.ts';
import { resultOf } from './result.ts';
import type { CallGiven, CallHeaders, CallInput, CallResult } from './types.ts';

/** Where calls go, and what goes with each. */
export interface ClientOptions {
  /** Where the service is, such as `http://localhost:8080/Weather.asmx`. */
  readonly url: string | URL;
  /** Headers of HTTP for each call, such as `Authorization`. */
  readonly headers?: Readonly<Record<string, string>> | (() => Readonly<Record<string, string>>);
  /** The platform's when absent. */
  readonly fetch?: typeof fetch;
}

/** What goes with one call. */
export interface CallOptions<SoapHeaders = Readonly<Record<string, unknown>>> {
  readonly signal?: AbortSignal;
  /** Headers of HTTP. */
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * SOAP headers that the contract has, by their names there: they go in headers of HTTP,
   * `Soap-Auth: {"user":"ann"}`.
   */
  readonly soapHeaders?: SoapHeaders;
}

/** Thrown when a call was refused or failed. */
export class CallError extends Error {
  override readonly name = 'CallError';
  /** The error code of the service; `HttpError` if the answer is not from the service. */
  readonly code: string;
  readonly status: number;
  /** The parameter that was wrong. */
  readonly parameter: string | undefined;
  /** The typed detail of the code, if the contract has one in `faults`. */
  readonly fault: unknown;
  /** The request id, which finds the call in the log of the server. */
  readonly requestId: string | undefined;
  /** How long to wait before another try; seconds. */
  readonly retryAfter: number | undefined;

  constructor(
    message: string,
    facts: Pick<CallError, 'code' | 'status' | 'parameter' | 'fault' | 'requestId' | 'retryAfter'>,
  ) {
    super(message);
    this.code = facts.code;
    this.status = facts.status;
    this.parameter = facts.parameter;
    this.fault = facts.fault;
    this.requestId = facts.requestId;
    this.retryAfter = facts.retryAfter;
  }
}

/** A function for each operation. */
export type Client<Operations> = {
  readonly [Name in keyof Operations]: (
    ...given: object extends CallGiven<CallInput<Operations[Name]>>
      ? [
          input?: CallGiven<CallInput<Operations[Name]>>,
          options?: CallOptions<CallHeaders<Operations[Name]>>,
        ]
      : [
          input: CallGiven<CallInput<Operations[Name]>>,
          options?: CallOptions<CallHeaders<Operations[Name]>>,
        ]
  ) => Promise<CallResult<Operations[Name]>>;
};

/**
 * Creates the client of a contract; the types of its functions are inferred from the contract.
 * @throws {TypeError} for an invalid URL.
 */
export function createClient<Operations>(
  contract: TypedService<Operations>,
  options: ClientOptions,
): Client<Operations> {
  const base = String(new URL(options.url)).replace(/\/+$/, '');
  const reader = new JsonAnswerReader(contract, VALUES);
  const writer = new JsonArgumentWriter(contract);
  const ask = options.fetch ?? fetch;
  return Object.fromEntries(
    contract.operations.map((operation) => [
      operation.name,
      async (input: object = {}, { signal, headers, soapHeaders = {} }: CallOptions = {}) => {
        const common = typeof options.headers === 'function' ? options.headers() : options.headers;
        const response = await ask(`${base}/${encodeURIComponent(operation.name)}`, {
          method: 'POST',
          headers: {
            ...common,
            ...headers,
            ...headerFields(operation, soapHeaders, writer),
            'Content-Type': 'application/json; charset=utf-8',
            Accept: 'application/json',
          },
          body: JSON.stringify(
            writer.members(operation.parameters, input as Readonly<Record<string, unknown>>),
          ),
          ...(signal === undefined ? {} : { signal }),
        });
        const text = await response.text();
        if (!response.ok) throw errorOf(response, text, operation, reader);
        return operation.oneWay === true
          ? undefined
          : resultOf(operation, answerIn(text, response.status), reader);
      },
    ]),
  ) as unknown as Client<Operations>;
}

/** Browsers and Node alike. */
const VALUES: ValueForms = {
  dateTime(ms, as) {
    if (as === 'instant') return ms;
    const date = new Date(ms);
    return as === 'date' ? date : date.toISOString();
  },
  large: (digits, isInteger) => (isInteger ? BigInt(digits) : digits),
  bytes: (base64) => Uint8Array.from(atob(base64), (character) => character.charCodeAt(0)),
  hex: (text) => Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16)),
};

function answerIn(text: string, status: number): unknown {
  try {
    return (parseWithDigits(text) as { readonly d?: unknown } | null)?.d;
  } catch {
    throw new CallError(
      'The answer is no JSON: is the URL that of the service, and is JSON switched on?',
      {
        ...NO_FACTS,
        status,
      },
    );
  }
}

const NO_FACTS = {
  code: 'HttpError',
  status: 0,
  parameter: undefined,
  fault: undefined,
  requestId: undefined,
  retryAfter: undefined,
};

function errorOf(
  response: Response,
  text: string,
  { faults = [] }: Operation,
  reader: JsonAnswerReader,
): CallError {
  const { status } = response;
  const wait = Number(response.headers.get('retry-after') ?? 'none');
  const retryAfter = Number.isFinite(wait) ? wait : undefined;
  try {
    const { code, detail, parameter, requestId } = JSON.parse(text) as Readonly<
      Record<string, string | undefined>
    >;
    if (typeof code === 'string' && typeof detail === 'string') {
      const typed = faults.find(({ name }) => name === code)?.element;
      const given = (parseWithDigits(text) as { readonly fault?: unknown }).fault;
      const fault =
        typed === undefined || given === undefined ? undefined : reader.element(typed, given);
      return new CallError(detail, { code, status, parameter, fault, requestId, retryAfter });
    }
  } catch {}
  return new CallError(`The server answered ${status}.`, { ...NO_FACTS, status, retryAfter });
}
