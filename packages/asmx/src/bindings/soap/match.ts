import type { Exchange } from '../../engine/exchange.ts';

/** SOAP is every POST to the service's own path, with any query string (wire 2). */
export function match(exchange: Exchange): boolean {
  return exchange.request.method === 'POST' && exchange.pathInfo === '';
}
