import type { Exchange } from '../../engine/exchange.ts';

/** MTOM is what is POSTed to the service's own path as multipart/related (MTOM 3.2). To be asked before SOAP. */
export function match(exchange: Exchange): boolean {
  return (
    exchange.request.method === 'POST' && exchange.pathInfo === '' && exchange.contentType.base === 'multipart/related'
  );
}
