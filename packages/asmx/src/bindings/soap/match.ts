import type { Exchange } from '../../exchange/exchange.ts';

/** Matches every POST to the path of the service, with any query (wire 2). */
export function match(exchange: Exchange): boolean {
  return exchange.request.method === 'POST' && exchange.pathInfo === '';
}
