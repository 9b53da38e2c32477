import { setTimeout as pause } from 'node:timers/promises';
import { defineLimits, type Limits } from '@ws01/asmx/internal/contract/limits';
import type { Service } from '@ws01/asmx/internal/contract/service';
import type { TypedService } from '@ws01/asmx/internal/contract/typed-service';
import { SOAP11, SOAP12 } from '@ws01/asmx/internal/exchange/soap-version';
import { time } from '@ws01/asmx/internal/time/index';
import { compileMessages } from '@ws01/asmx/internal/values/message-plan';
import { Cookies } from './cookies.ts';
import { basicCredential } from './credentials.ts';
import { SoapCallError, SoapFault } from './errors.ts';
import { CLIENT_LIMITS } from './limits.ts';
import type { SoapAnswer, SoapCallOptions, SoapClient, SoapClientOptions } from './options.ts';
import { type Posted, post, unreachable } from './post.ts';
import { readAnswer } from './read-answer.ts';
import { type StreamPlan, streamPlanOf } from './stream-reader.ts';
import { type Callable, callableOf, writeRequest } from './write-request.ts';

/** As .NET's clients wait. */
const TIMEOUT_MS = 100_000;
const RETRIES = 2;
/** The pause before the first try again; twice as long before each further one. */
const PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 30_000;

/** Answers of HTTP after which another try may succeed. */
const PASSING = new Set([429, 502, 503, 504]);

/**
 * Creates a SOAP client of a contract; the types of its functions are those of the contract.
 * @param contract what was generated, built, or read of a WSDL.
 * @throws {TypeError} for an invalid URL or contract, and for an option that names what the
 *   contract has not.
 */
export function createSoapClient<Operations>(
  contract: TypedService<Operations>,
  options: SoapClientOptions,
): SoapClient<Operations> {
  const calls = new Calls(contract, options);
  const functions = Object.fromEntries(
    contract.operations.map(({ name }) => [
      name,
      async (input?: object, more?: SoapCallOptions) =>
        (await calls.call(name, input, more)).result,
    ]),
  );
  return {
    ...functions,
    $call: (name: string, input?: object, more?: SoapCallOptions) => calls.call(name, input, more),
    $stream: (
      name: string,
      input: object,
      take: (part: unknown) => unknown,
      more?: SoapCallOptions,
    ) => calls.call(name, input, more, take),
    $isFault: (error: unknown, name: string, fault: string) =>
      calls.declares(name, fault) && error instanceof SoapFault && error.fault === fault,
  } as unknown as SoapClient<Operations>;
}

/** The calls of one client. */
class Calls {
  readonly #url: URL;
  readonly #options: SoapClientOptions;
  readonly #version: typeof SOAP11;
  readonly #operations: ReadonlyMap<string, Callable>;
  readonly #repeatable: ReadonlySet<string>;
  readonly #limits: Limits;
  readonly #cookies: Cookies | undefined;
  readonly #authorization: Readonly<Record<string, string>>;
  readonly #isAddressed: boolean;

  constructor(contract: Service, options: SoapClientOptions) {
    const { namespace = options.namespace, bindings } = contract;
    if (namespace === undefined)
      throw new TypeError('The contract says no namespace; give the option namespace.');
    this.#url = new URL(options.url);
    this.#options = options;
    const has11 =
      bindings === undefined || bindings.includes('soap11') || !bindings.includes('soap12');
    this.#version = (options.soap ?? (has11 ? '1.1' : '1.2')) === '1.2' ? SOAP12 : SOAP11;
    const messages = compileMessages(contract, namespace);
    this.#operations = new Map(
      contract.operations.map((each) => [
        each.name,
        callableOf(each, messages.get(each.name)!, namespace, this.#version),
      ]),
    );
    for (const name of options.idempotent ?? []) this.#operation(name);
    this.#repeatable = new Set([
      ...contract.operations.filter(({ readOnly }) => readOnly).map(({ name }) => name),
      ...(options.idempotent ?? []),
    ]);
    this.#limits = { ...CLIENT_LIMITS, ...checkedLimits(options.limits) };
    this.#cookies = options.cookies === true ? new Cookies() : undefined;
    this.#authorization =
      options.basic === undefined ? {} : { Authorization: basicCredential(options.basic) };
    this.#isAddressed = contract.addressing === true;
  }

  declares(name: string, fault: string): boolean {
    return this.#operation(name).message.faults.has(fault);
  }

  /** @param take what gets the answer's list or file as it comes. */
  async call(
    name: string,
    input: object = {},
    more: SoapCallOptions = {},
    take?: (part: unknown) => unknown,
  ): Promise<SoapAnswer<unknown>> {
    const operation = this.#operation(name);
    const stream =
      take === undefined ? undefined : { plan: streamPlanOf(name, operation.message), take };
    const request = this.#request(operation, input, more);
    // What was handed on cannot be taken back.
    const { retries = RETRIES } = this.#options;
    const most = this.#repeatable.has(name) && take === undefined ? retries : 0;
    for (let tries = 0; ; tries++) {
      try {
        return await this.#once(operation, request, more, stream);
      } catch (error) {
        if (tries >= most || !isPassing(error)) throw error;
        const asked = error.retryAfter === undefined ? 0 : error.retryAfter * 1000;
        const wait = Math.min(Math.max(asked, PAUSE_MS * 2 ** tries), LONGEST_PAUSE_MS);
        await pause(wait, undefined, more.signal === undefined ? {} : { signal: more.signal });
      }
    }
  }

  #operation(name: string): Callable {
    const operation = this.#operations.get(name);
    if (operation === undefined) throw new TypeError(`The contract has no operation ${name}.`);
    return operation;
  }

  #request(
    operation: Callable,
    input: object,
    more: SoapCallOptions,
  ): Pick<Posted, 'headers' | 'body'> {
    const { headers, soapHeaders, headerXml, usernameToken, mtom = false } = this.#options;
    const { headersIn } = operation.message;
    // Those of the client may be for other operations.
    const common = Object.fromEntries(
      Object.entries(soapHeaders ?? {}).filter(([key]) =>
        headersIn.some(({ property }) => property === key),
      ),
    );
    const { headers: own, body } = writeRequest(operation, {
      version: this.#version,
      input: input as Readonly<Record<string, unknown>>,
      soapHeaders: { ...common, ...more.soapHeaders },
      headerXml: [headerXml, more.headerXml].filter((xml) => xml !== undefined),
      usernameToken,
      addressedTo: this.#isAddressed ? String(this.#url) : undefined,
      mtom,
      attachments: more.attachments ?? [],
    });
    const said = typeof headers === 'function' ? headers() : headers;
    return { headers: { ...this.#authorization, ...said, ...more.headers, ...own }, body };
  }

  /** One try. */
  async #once(
    { message }: Callable,
    { headers, body }: Pick<Posted, 'headers' | 'body'>,
    { signal, timeoutMs = this.#options.timeoutMs ?? TIMEOUT_MS }: SoapCallOptions,
    stream: { readonly plan: StreamPlan; take(part: unknown): unknown } | undefined,
  ): Promise<SoapAnswer<unknown>> {
    signal?.throwIfAborted();
    const over = new AbortController();
    const limit = time.limit(timeoutMs, () => {
      const told = `${this.#url.host} does not answer within ${timeoutMs} ms.`;
      over.abort(new SoapCallError('timeout', told));
    });
    const both = signal === undefined ? over.signal : AbortSignal.any([over.signal, signal]);
    try {
      const cookie = this.#cookies?.header(this.#url);
      const response = await post({
        url: this.#url,
        headers: cookie === undefined ? headers : { ...headers, Cookie: cookie },
        body,
        signal: both,
        fetch: this.#options.fetch ?? fetch,
        came: (answer, url) => this.#cookies?.take(answer.headers, url),
      });
      const { fault, ...answer } = await readAnswer(response, {
        message,
        limits: this.#limits,
        timeZone: this.#options.timeZone ?? 'UTC',
        stream,
        lost: (error) => unreachable(error, this.#url, both),
      });
      const { status, headers: answered } = response;
      if (fault !== undefined)
        throw new SoapFault(fault.reason, { ...fault, status, headers: answered });
      return { ...answer, status, headers: answered };
    } finally {
      limit.end();
    }
  }
}

function isPassing(error: unknown): error is SoapCallError {
  if (!(error instanceof SoapCallError)) return false;
  const { kind, status = 0 } = error;
  return kind === 'connection' || kind === 'timeout' || (kind === 'status' && PASSING.has(status));
}

/** @throws {RangeError} */
function checkedLimits(limits: Partial<Limits> = {}): Partial<Limits> {
  defineLimits(limits);
  return limits;
}
