import {
  type ErrorKind,
  type ErrorTable,
  ProtocolError,
  RETRY_AFTER_S,
  ServiceError,
} from '../contract/errors.ts';
import { nearest } from '../contract/nearest.ts';
import type { Refusal } from '../contract/values.ts';
import type { WireResponse } from '../message/http.ts';
import type { BlockPlan } from '../values/message-plan.ts';
import { ResultError } from '../values/result-error.ts';
import { isXmlChar } from '../xml/chars.ts';
import { escapeAttribute, escapeText } from '../xml/writer.ts';
import type { PartialCall } from './call.ts';
import type { Exchange } from './exchange.ts';
import { guarded } from './held.ts';

/** What a boolean operation's "no" says besides `false`. */
export function refusalHeaders(refusal: Refusal): Record<string, string> {
  return { 'X-Error-Code': refusal.code };
}

/** The headers of every error in every binding (semantics 4). */
export function errorHeaders(
  exchange: Exchange,
  error: ServiceError,
  contentType: string,
): Record<string, string> {
  const headers: Record<string, string> = {
    'Content-Type': contentType,
    'Cache-Control': 'private',
    'X-Error-Code': error.code,
  };
  if (error.retryAfter !== undefined) headers['Retry-After'] = String(error.retryAfter);
  else if (kindOf(exchange.service.errors, error).status === 503)
    headers['Retry-After'] = String(RETRY_AFTER_S);
  const { challenge } = exchange.service;
  if (challenge !== undefined && kindOf(exchange.service.errors, error).status === 401)
    headers['WWW-Authenticate'] = challenge;
  if (error instanceof ProtocolError && error.form.allow !== undefined)
    headers.Allow = error.form.allow;
  return headers;
}

/** How the service's table says to answer a code. */
export function kindOf(errors: ErrorTable, error: ServiceError): ErrorKind {
  return (Object.hasOwn(errors, error.code) ? errors[error.code] : undefined) ?? errors.Internal!;
}

/** The HTTP status of an error over GET, POST and JSON. */
export function plainStatusOf(errors: ErrorTable, error: ServiceError): number {
  const own = error instanceof ProtocolError ? error.form.plainStatus : undefined;
  return own ?? kindOf(errors, error).status;
}

/**
 * The `<error>` document of GET and POST, which is also the typed detail of SOAP faults
 * (semantics 4).
 */
export function errorElement(
  exchange: Exchange,
  error: ServiceError,
  message = error.message,
): string {
  const part = (name: string, text: string | undefined) =>
    text === undefined ? '' : `<${name}>${escapeMessage(text)}</${name}>`;
  return (
    `<error xmlns="${escapeAttribute(exchange.service.namespace)}">` +
    part('code', error.code) +
    part('message', message) +
    part('parameter', error.parameter) +
    part('requestId', exchange.requestId) +
    '</error>'
  );
}

/** An error's text may quote a request, which may hold what XML cannot: that is shown as U+FFFD. */
export function escapeMessage(text: string): string {
  try {
    return escapeText(text);
  } catch {
    const writable = (char: string) => isXmlChar(char.codePointAt(0)!);
    return escapeText(
      Array.from(text.toWellFormed(), (char) => (writable(char) ? char : '\uFFFD')).join(''),
    );
  }
}

/**
 * An error without a code of the service is a bug: the caller gets only the request id, the log
 * gets everything.
 */
export function asServiceError(
  error: unknown,
  errors: ErrorTable,
  translate: ((error: unknown) => ServiceError | undefined) | undefined,
): ServiceError {
  const known = error instanceof ServiceError ? error : guarded(() => translate?.(error));
  if (known !== undefined && Object.hasOwn(errors, known.code)) return known;
  const message = 'The server failed; the request id finds the reason in its log.';
  const cause = known === undefined ? error : undeclared(known, errors);
  return new ProtocolError('Internal', message, {}, { cause });
}

/** A code that nobody declared has no status and no side: a defect of the service. */
function undeclared(error: ServiceError, errors: ErrorTable): TypeError {
  const { code } = error;
  const said = `The handler threw a ServiceError with the code ${code}, which is in no table.`;
  const remedy = ' Give it a status in the option errors, or a detail in faults of the operation.';
  return new TypeError(said + remedy + nearest(code, Object.keys(errors)), { cause: error });
}

/**
 * HTTP headers that a handler sets: of each name the last value counts, but of `Set-Cookie` all.
 */
export class HttpHeaders {
  readonly named: Record<string, string> = {};
  readonly cookies: string[] = [];

  /** @throws {TypeError} for what is not one line. */
  set(name: string, value: string): void {
    if (/[\r\n\0]/.test(name + value))
      throw new TypeError('A header of the answer must be one line.');
    if (name.toLowerCase() === 'set-cookie') this.cookies.push(value);
    else this.named[name] = value;
  }
}

/** What a handler says beside its result. */
export interface Reply {
  /** SOAP headers of the answer, by property. */
  readonly headers: Readonly<Record<string, unknown>>;
  /** HTTP headers of the answer. */
  readonly http: HttpHeaders;
}

/** An answer with the HTTP headers that its handler set. */
export function withReply(response: WireResponse, reply: Reply | undefined): WireResponse {
  if (reply === undefined) return response;
  const { named, cookies } = reply.http;
  const headers = { ...response.headers, ...named };
  return cookies.length === 0 ? { ...response, headers } : { ...response, headers, cookies };
}

/**
 * Writes the typed detail of an error, if the operation's contract has one for its code. A detail
 * that breaks the contract is
 * left out with a warning, so that the error itself is answered.
 */
export function typedDetail<Written>(
  { operation }: PartialCall,
  { code, detail }: ServiceError,
  requestId: string,
  write: (plan: BlockPlan, path: string) => Written,
): Written | undefined {
  const plan = operation?.message.faults.get(code);
  if (plan === undefined || detail === undefined) return undefined;
  try {
    return write(plan, `detail of ${code}`);
  } catch (error) {
    const reason = error instanceof ResultError ? error.found : String(error);
    process.emitWarning(
      `${requestId}: ${operation!.name}: the ${reason} The error is answered without it.`,
    );
    return undefined;
  }
}
