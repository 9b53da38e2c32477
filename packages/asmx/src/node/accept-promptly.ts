import type { Server } from 'node:http';
import type { Endpoint } from '../engine/endpoint-options.ts';

/**
 * Has calls stand back behind new connections, of which Node accepts one in a turn of the event loop. Otherwise a service
 * with much to do accepts some forty a second, and who has no connection yet waits in vain.
 *
 * @param server before it listens.
 */
export function acceptPromptly(server: Server, endpoint: Pick<Endpoint, 'connected'>): void {
  // Over TLS, too: what takes turns is to accept, not to agree.
  server.on('connection', () => endpoint.connected());
}
