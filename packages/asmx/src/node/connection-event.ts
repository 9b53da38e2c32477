import type { Server } from 'node:http';

/**
 * The event by which a server tells of a connection that requests can be read from: over TLS when
 * that is agreed on.
 */
export function connectionEventOf(server: Server): 'connection' | 'secureConnection' {
  return 'setSecureContext' in server ? 'secureConnection' : 'connection';
}
