import type { Server } from 'node:http';
import type { Endpoint } from '../engine/endpoint-options.ts';

/**
 * Gives new connections priority over calls. Node accepts one connection per turn of the event
 * loop; without this, a busy service accepts only about forty per second, and new clients time out.
 *
 * @param server before it listens.
 */
export function acceptPromptly(server: Server, endpoint: Pick<Endpoint, 'connected'>): void {
  // Over TLS, too: what takes turns is to accept, not to agree.
  server.on('connection', () => endpoint.connected());
}
