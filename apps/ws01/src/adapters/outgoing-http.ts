/**
 * HTTP requests to other servers, with the engine's pass-through client: it checks an address when
 * it connects, and follows no redirects. The only place where adapters use the engine.
 */
export { Networks, PrivateNetworkError, Upstream, UpstreamError } from '@ws01/asmx/node';
