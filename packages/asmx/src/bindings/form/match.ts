import type { Exchange } from '../../exchange/exchange.ts';

/** Matches the path of an operation: anything behind `/WS01.asmx/` (wire 2). */
const namesOperation = (exchange: Exchange): boolean => exchange.pathInfo.length >= 2;

export function matchGet(exchange: Exchange): boolean {
  return exchange.request.method === 'GET' && namesOperation(exchange);
}

export function matchPost(exchange: Exchange): boolean {
  return exchange.request.method === 'POST' && namesOperation(exchange);
}
