/** Types of the package `smpp`, as far as they are used; it has none of its own. */
declare module 'smpp' {
  import type { EventEmitter } from 'node:events';
  import type { Server } from 'node:net';
  import type { ConnectionOptions } from 'node:tls';

  export interface Pdu {
    readonly command: string;
    readonly command_status: number;
    readonly sequence_number: number;
    readonly [parameter: string]: unknown;
    response(parameters?: Readonly<Record<string, unknown>>): Pdu;
  }

  type Parameters = Readonly<Record<string, unknown>>;
  type OnResponse = (pdu: Pdu) => void;

  export interface Session extends EventEmitter {
    bind_transceiver(parameters: Parameters, onResponse: OnResponse): boolean;
    submit_sm(parameters: Parameters, onResponse: OnResponse): boolean;
    unbind(onResponse: OnResponse): boolean;
    send(pdu: Pdu): boolean;
    close(): void;
    destroy(): void;
  }

  interface Smpp {
    connect(
      options: ConnectionOptions & { tls: boolean; auto_enquire_link_period?: number },
      onConnect?: () => void,
    ): Session;
    createServer(onSession: (session: Session) => void): Server;
  }

  const smpp: Smpp;
  export default smpp;
}
