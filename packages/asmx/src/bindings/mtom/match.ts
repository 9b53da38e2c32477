import type { Exchange } from '../../exchange/exchange.ts';

/** MTOM is a POST of multipart/related to the service's own path (MTOM 3.2). Must be matched before SOAP. */
export function match(exchange: Exchange): boolean {
  return (
    exchange.request.method === 'POST' &&
    exchange.pathInfo === '' &&
    exchange.contentType.base === 'multipart/related'
  );
}
