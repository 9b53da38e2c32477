/**
 * Asks other servers over HTTP, as the engine's pass-through does: their address is checked when it is connected to, and
 * redirects are not followed. The one place where adapters know the engine.
 */
export { Networks, PrivateNetworkError, Upstream, UpstreamError } from '@ws01/asmx/node';
