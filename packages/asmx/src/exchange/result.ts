import {
  type ErrorKind,
  type ErrorTable,
  ProtocolError,
  type ServiceError,
} from '../contract/errors.ts';
import type { Refusal } from '../contract/values.ts';
import { isXmlChar } from '../xml/chars.ts';
import { escapeAttribute, escapeText } from '../xml/writer.ts';
import type { Exchange } from './exchange.ts';

/** Whether a result is a boolean operation's "no" with its reason. */
export function isRefusal(result: unknown): result is Refusal {
  return (
    typeof result === 'object' &&
    result !== null &&
    'result' in result &&
    result.result === false &&
    'code' in result
  );
}

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
  else if (kindOf(exchange.service.errors, error).status === 503) headers['Retry-After'] = '5';
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

/** The `<error>` document of GET and POST, which is also the typed detail of SOAP faults (semantics 4). */
export function errorElement(exchange: Exchange, error: ServiceError): string {
  const part = (name: string, text: string | undefined) =>
    text === undefined ? '' : `<${name}>${escapeMessage(text)}</${name}>`;
  return (
    `<error xmlns="${escapeAttribute(exchange.service.namespace)}">` +
    part('code', error.code) +
    part('message', error.message) +
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
