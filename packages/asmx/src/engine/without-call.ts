import { ProtocolError } from '../contract/errors.ts';
import type { Descriptions } from '../describe/descriptions.ts';
import { scriptKind } from '../describe/script-path.ts';
import { NO_CALL, type PartialCall } from '../exchange/call.ts';
import type { Exchange } from '../exchange/exchange.ts';
import { header, type WireResponse } from '../message/http.ts';

/** An answer, with as much as was understood of the call. */
export interface Answer {
  readonly call: PartialCall;
  readonly response: WireResponse;
}

const ALLOW_SERVICE = 'GET, HEAD, POST, OPTIONS';
const ALLOW_SCRIPT = 'GET, HEAD, OPTIONS';
const ALLOW_OPERATION = 'GET, POST, OPTIONS';

/**
 * Requests at the service's path that call no operation: descriptions, OPTIONS, and whatever else
 * (wire 0, wire 2).
 * @throws {ProtocolError} MethodNotAllowed or UnknownOperation.
 */
export function answerWithoutCall(exchange: Exchange, descriptions: () => Descriptions): Answer {
  const { method } = exchange.request;
  const { pathInfo, query } = exchange;
  const described = pathInfo === '' || asksForScript(exchange);
  const below = described ? ALLOW_SCRIPT : ALLOW_OPERATION;
  const allow = pathInfo === '' ? ALLOW_SERVICE : below;
  if (method === 'OPTIONS')
    return { call: NO_CALL, response: { status: 204, headers: { Allow: allow }, body: '' } };
  if (described && (method === 'GET' || method === 'HEAD')) {
    const ifNoneMatch = header(exchange.request, 'if-none-match');
    const accepted = header(exchange.request, 'accept-language');
    const response = descriptions().describe({ pathInfo, query, ifNoneMatch, accepted });
    return { call: { ...NO_CALL, protocol: 'describe' }, response };
  }
  if ((method === 'GET' && pathInfo.length > 1) || (method === 'POST' && pathInfo.length !== 1)) {
    throw new ProtocolError(
      'UnknownOperation',
      `This service is not called by ${method} at this path; its WSDL says how.`,
    );
  }
  if (method === 'GET' || method === 'POST') {
    throw new ProtocolError(
      'UnknownOperation',
      "The path ends in '/'; an operation's name must follow it.",
    );
  }
  throw new ProtocolError('MethodNotAllowed', `${method} is not served here; use ${allow}.`, {
    allow,
  });
}

/**
 * Whether a request is one for the proxy script, and not a call: an operation may have its name.
 */
export function asksForScript({ request: { method }, service, pathInfo }: Exchange): boolean {
  const called = service.operations.has(pathInfo.slice(1));
  return method !== 'POST' && !called && scriptKind(pathInfo) !== undefined;
}
