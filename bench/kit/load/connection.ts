import { connect, type Socket } from 'node:net';
import { AnswerReader } from './answer-reader.ts';
import { OutgoingRequest } from './outgoing-request.ts';

const RECEIVE_BYTES = 65_536;

/** What a connection tells whoever drives it. */
export interface ConnectionEvents {
  answered(connection: Connection, status: number): void;
  failed(error: Error): void;
}

/** A keep-alive connection with one request in flight at most; opened anew where the server closes it. */
export class Connection {
  /** When the last request was sent, or was due; as `performance.now()`. */
  startedAt = 0;
  /** Whether an answer is awaited. */
  busy = false;
  readonly #port: number;
  readonly #localAddress: string | undefined;
  readonly #requests: readonly OutgoingRequest[];
  readonly #events: ConnectionEvents;
  readonly #reader = new AnswerReader();
  readonly #received = Buffer.allocUnsafe(RECEIVE_BYTES);
  #socket: Socket | undefined;
  /** The body that the server is yet to ask for. */
  #awaited: Buffer | undefined;

  /** @param localAddress whom the server sees; the system's choice when absent. */
  constructor(
    port: number,
    requests: readonly string[],
    events: ConnectionEvents,
    localAddress?: string,
  ) {
    this.#port = port;
    this.#localAddress = localAddress;
    this.#requests = requests.map((text) => new OutgoingRequest(text));
    this.#events = events;
  }

  /** Opens it, so that the first request need not wait for it. */
  async open(): Promise<void> {
    const socket = this.#connect();
    await new Promise<void>((resolve) => socket.once('connect', resolve));
  }

  /** Sends the request whose turn it is, with its numbers. */
  send(serial: number, startedAt: number): void {
    const socket = this.#socket ?? this.#connect();
    this.startedAt = startedAt;
    this.busy = true;
    const request = this.#requests[serial % this.#requests.length]!;
    const bytes = request.fill(serial);
    if (request.expectedFrom === 0) {
      socket.write(bytes);
      return;
    }
    this.#awaited = bytes.subarray(request.expectedFrom);
    this.#reader.continues = 0;
    socket.write(bytes.subarray(0, request.expectedFrom));
  }

  close(): void {
    this.#socket?.destroy();
    this.#socket = undefined;
  }

  #connect(): Socket {
    const callback = (length: number) => {
      if (this.#reader.push(this.#received, length)) this.#answered();
      else if (this.#awaited !== undefined && this.#reader.continues > 0)
        this.#continue(socket, this.#awaited);
      return true;
    };
    const socket = connect({
      port: this.#port,
      host: '127.0.0.1',
      ...(this.#localAddress === undefined ? {} : { localAddress: this.#localAddress }),
      onread: { buffer: this.#received, callback },
    });
    socket.setNoDelay(true);
    socket.on('error', (error) => this.#events.failed(error));
    socket.on('close', () => {
      if (this.#socket !== socket) return;
      this.#socket = undefined;
      if (this.busy)
        this.#events.failed(new Error('The server closed a connection without an answer.'));
    });
    this.#socket = socket;
    return socket;
  }

  #continue(socket: Socket, body: Buffer): void {
    this.#awaited = undefined;
    socket.write(body);
  }

  #answered(): void {
    this.busy = false;
    this.#awaited = undefined;
    if (this.#reader.closes) this.close();
    this.#events.answered(this, this.#reader.status);
  }
}
