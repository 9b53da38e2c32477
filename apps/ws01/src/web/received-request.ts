import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';

/** How a request came: its headers by lower-case name, and who sent it. */
export interface ReceivedRequest {
  readonly headers: IncomingHttpHeaders;
  /** The address of the peer; `''` when it is gone. */
  readonly remoteAddress: string;
  /** Whether it came by TLS to this very process. */
  readonly encrypted?: boolean;
}

export function receivedRequestOf({ headers, socket }: IncomingMessage): ReceivedRequest {
  return { headers, remoteAddress: socket.remoteAddress ?? '', encrypted: 'encrypted' in socket };
}
