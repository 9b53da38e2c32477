import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { TestContext } from 'node:test';
import { SMTPServer, type SMTPServerOptions, type SMTPServerSession } from 'smtp-server';

/** A mail as the server received it. */
interface ReceivedMail {
  readonly from: string;
  readonly to: string;
  /** The whole message, headers and body as they travelled. */
  readonly raw: string;
  /** Lower-case names, unfolded; the first of each name. */
  readonly headers: ReadonlyMap<string, string>;
  readonly session: SMTPServerSession;
}

/** What the server does with a mail: takes it, answers something else, or behaves badly. */
export type Behaviour =
  | 'accept'
  /** Takes it, and says so a moment later. */
  | 'accept-late'
  /** Reads the message, takes it and ends the connection instead of acknowledging it. */
  | 'drop-after'
  /** Ends the connection amid the message. */
  | 'drop-amid'
  /** Reads the message and never answers. */
  | 'hang'
  /** Answers the recipient, or the message, with this reply; a text as `code` makes it none. */
  | {
      readonly at: 'MAIL' | 'RCPT' | 'DATA';
      readonly code: number | string;
      readonly text: string;
    };

/** A real SMTP server of the test's own, on the loopback. */
export interface MailServer {
  readonly port: number;
  /** For `SMTP_URL`. */
  readonly url: string;
  /** Mails that it took over, in order. */
  readonly received: readonly ReceivedMail[];
  /** Connections made to it so far. */
  readonly connections: number;
  /** Messages read to their end, whatever became of them. */
  readonly read: number;
  /** Decides what is done with the next mails. */
  behave(behaviour: Behaviour | ((to: string) => Behaviour)): void;
  /** Stops listening and ends every connection; `start` brings it back on the same port. */
  stop(): Promise<void>;
  start(): Promise<void>;
}

/** How late a late acknowledgement is; ms. */
const LATE_MS = 30;

export async function startMailServer(
  test: TestContext,
  options: SMTPServerOptions = {},
): Promise<MailServer> {
  const received: ReceivedMail[] = [];
  let decide: (to: string) => Behaviour = () => 'accept';
  let connections = 0;
  let read = 0;
  let server = create();
  let port = 0;

  function create(): SMTPServer {
    return new SMTPServer({
      authOptional: true,
      hideSTARTTLS: true,
      logger: false,
      // A resolver that is far away would delay each greeting.
      disableReverseLookup: true,
      closeTimeout: 50,
      onConnect(_session, done) {
        connections++;
        done();
      },
      onMailFrom(_address, _session, done) {
        const behaviour = decide('');
        done(refusal(behaviour, 'MAIL'));
      },
      onRcptTo({ address }, _session, done) {
        done(refusal(decide(address), 'RCPT'));
      },
      onData(stream, session, done) {
        const to = session.envelope.rcptTo[0]?.address ?? '';
        const behaviour = decide(to);
        const end = () => endConnection(server, session);
        if (behaviour === 'drop-amid') {
          stream.once('data', end);
          return;
        }
        const taken = (raw: string) => {
          read++;
          const from = session.envelope.mailFrom === false ? '' : session.envelope.mailFrom.address;
          const refused = refusal(behaviour, 'DATA');
          if (behaviour === 'accept' || behaviour === 'accept-late' || behaviour === 'drop-after') {
            received.push({ from, to, raw, headers: headersOf(raw), session });
          }
          if (behaviour === 'drop-after') end();
          else if (behaviour === 'accept-late') setTimeout(() => done(refused), LATE_MS);
          else if (behaviour !== 'hang') done(refused);
        };
        // Whoever goes away amid a message has not sent it.
        text(stream).then(taken, () => {});
      },
      ...options,
    });
  }

  const start = async () => {
    server.on('error', () => {});
    server.listen(port, '127.0.0.1');
    await once(server.server, 'listening');
    port = (server.server.address() as AddressInfo).port;
  };
  const stop = () => new Promise<void>((resolve) => server.close(() => resolve()));
  await start();
  test.after(stop);
  return {
    get port() {
      return port;
    },
    get url() {
      return `smtp://127.0.0.1:${port}`;
    },
    received,
    get read() {
      return read;
    },
    get connections() {
      return connections;
    },
    behave(behaviour) {
      decide = typeof behaviour === 'function' ? behaviour : () => behaviour;
    },
    stop,
    async start() {
      server = create();
      await start();
    },
  };
}

function refusal(behaviour: Behaviour, at: 'MAIL' | 'RCPT' | 'DATA'): Error | null {
  if (typeof behaviour === 'string' || behaviour.at !== at) return null;
  return Object.assign(new Error(behaviour.text), { responseCode: behaviour.code });
}

/** Ends the connection of a session without a word. */
function endConnection(server: SMTPServer, session: SMTPServerSession): void {
  const connections = (
    server as unknown as { connections: Set<{ id: string; _socket: { destroy(): void } }> }
  ).connections;
  for (const connection of connections)
    if (connection.id === session.id) connection._socket.destroy();
}

/** The headers of a message, unfolded. */
export function headersOf(raw: string): ReadonlyMap<string, string> {
  const head = raw.slice(0, raw.indexOf('\r\n\r\n')).replaceAll(/\r\n[ \t]/g, ' ');
  const headers = new Map<string, string>();
  for (const line of head.split('\r\n')) {
    const colon = line.indexOf(':');
    const name = line.slice(0, colon).toLowerCase();
    if (!headers.has(name)) headers.set(name, line.slice(colon + 1).trim());
  }
  return headers;
}
