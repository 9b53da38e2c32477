import type { Operation } from '../contract/service.ts';
import type { Call } from '../exchange/call.ts';
import type { CallRequest, HandlerCall } from '../exchange/handler-call.ts';
import { HttpHeaders, type Reply } from '../exchange/result.ts';
import { header as headerOf, type WireRequest } from '../message/http.ts';

/** Of a client of whom nobody can tell whether it is still there. */
const NEVER = new AbortController().signal;

/** A call that was let in. What few handlers ask for is made when it is asked for. */
export class OpenCall implements HandlerCall {
  readonly operation: Operation;
  readonly protocol: string;
  readonly requestId: string;
  readonly caller: unknown;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly #request: WireRequest;
  readonly #address: string;
  #http: CallRequest | undefined;
  #reply: HandlerCall['reply'] | undefined;
  #sent: HttpHeaders | undefined;

  constructor({ call, request, requestId, address, caller }: Admitted) {
    this.operation = call.operation.operation;
    this.protocol = call.protocol;
    this.headers = call.headers ?? {};
    this.requestId = requestId;
    this.caller = caller;
    this.#request = request;
    this.#address = address;
  }

  get http(): CallRequest {
    this.#http ??= new SentRequest(this.#request, this.#address);
    return this.#http;
  }

  get signal(): AbortSignal {
    return this.#request.gone?.() ?? NEVER;
  }

  get reply(): HandlerCall['reply'] {
    this.#reply ??= {
      headers: {},
      header: (name, value) => this.#headersOfAnswer().set(name, value),
    };
    return this.#reply;
  }

  /** What the handler said beside its result; `undefined` for nothing. */
  said(): Reply | undefined {
    return this.#reply === undefined
      ? undefined
      : { headers: this.#reply.headers as Record<string, unknown>, http: this.#headersOfAnswer() };
  }

  #headersOfAnswer(): HttpHeaders {
    this.#sent ??= new HttpHeaders();
    return this.#sent;
  }
}

/** What a call that was let in is made of. */
interface Admitted {
  readonly call: Call;
  readonly request: WireRequest;
  readonly requestId: string;
  readonly address: string;
  readonly caller: unknown;
}

/**
 * What of a call its HTTP request says. Functions are made when they are asked for: V8 allocates
 * those that are written in an object among the old objects, where they would keep the request
 * until the next full garbage collection.
 */
export class SentRequest implements CallRequest {
  readonly address: string;
  readonly #request: WireRequest;

  constructor(request: WireRequest, address: string) {
    this.#request = request;
    this.address = address;
  }

  get method(): string {
    return this.#request.method;
  }

  get header(): CallRequest['header'] {
    return (name) => headerOf(this.#request, name.toLowerCase());
  }

  get cookie(): CallRequest['cookie'] {
    return (name) => cookieOf(headerOf(this.#request, 'cookie') ?? '', name);
  }

  get basic(): CallRequest['basic'] {
    const decoded = Buffer.from(this.#credentials('basic') ?? '', 'base64').toString('utf8');
    const colon = decoded.indexOf(':');
    return colon < 0
      ? undefined
      : { user: decoded.slice(0, colon), password: decoded.slice(colon + 1) };
  }

  get bearer(): string | undefined {
    return this.#credentials('bearer')?.trim();
  }

  /** Those of the header Authorization, if they are of a scheme. */
  #credentials(scheme: string): string | undefined {
    const [given, value] = (headerOf(this.#request, 'authorization') ?? '').split(/ +(.*)/);
    return given?.toLowerCase() === scheme ? value : undefined;
  }
}

function cookieOf(cookies: string, name: string): string | undefined {
  for (const pair of cookies.split(';')) {
    const equals = pair.indexOf('=');
    if (pair.slice(0, equals).trim() === name) return pair.slice(equals + 1).trim();
  }
  return undefined;
}
