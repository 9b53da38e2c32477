import type { Exchange } from '../../engine/exchange.ts';

const JSON_TYPE = 'application/json';

/** JSON is asked for by the content type of a POST to an operation's path, as ASP.NET's script services did. */
export function match(exchange: Exchange): boolean {
  return (
    exchange.request.method === 'POST' &&
    exchange.pathInfo.length >= 2 &&
    exchange.contentType.base.trim() === JSON_TYPE
  );
}
