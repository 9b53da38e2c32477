import type { Exchange } from '../../exchange/exchange.ts';

const JSON_TYPE = 'application/json';

/** Matches a POST to an operation's path with a JSON content type, as in ASP.NET's script services. */
export function match(exchange: Exchange): boolean {
  return (
    exchange.request.method === 'POST' &&
    exchange.pathInfo.length >= 2 &&
    exchange.contentType.base.trim() === JSON_TYPE
  );
}
