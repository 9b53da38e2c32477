import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';

/** The headers of a request by lower-case name, and its peer. */
export interface ReceivedRequest {
  readonly headers: IncomingHttpHeaders;
  /** The address of the peer; `''` when it has disconnected. */
  readonly remoteAddress: string;
  /** Whether this process received it over TLS. */
  readonly encrypted?: boolean;
}

export function receivedRequestOf({
  headers,
  socket,
}: Pick<IncomingMessage, 'headers' | 'socket'>): ReceivedRequest {
  return { headers, remoteAddress: socket.remoteAddress ?? '', encrypted: 'encrypted' in socket };
}
