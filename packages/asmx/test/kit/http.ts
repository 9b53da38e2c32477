import { subscribe } from 'node:diagnostics_channel';
import { Agent, type IncomingHttpHeaders, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { closeBeforeServices } from './clients.ts';
import { until } from './until.ts';

const agent = new Agent({ keepAlive: true, maxSockets: 256 });

export interface HttpAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly bytes: Buffer;
}

/** A bare HTTP exchange: what goes in and comes out, no redirects followed, nothing decompressed. */
export function exchange(
  url: string,
  options: {
    readonly method?: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: string | Uint8Array | undefined;
  } = {},
): Promise<HttpAnswer> {
  return new Promise((resolve, reject) => {
    const { method = 'GET', headers = {}, body } = options;
    const sent = request(url, { method, headers, agent }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('end', () => {
        const bytes = Buffer.concat(chunks);
        resolve({
          status: answer.statusCode ?? 0,
          headers: answer.headers,
          body: bytes.toString('utf8'),
          bytes,
        });
      });
      answer.on('error', reject);
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

/** Posts a body. @param headers or, as a text, the media type alone. */
export function postTo(
  url: string,
  body: string | Uint8Array | undefined,
  headers: string | Readonly<Record<string, string>> = {},
): Promise<HttpAnswer> {
  const named = typeof headers === 'string' ? { 'Content-Type': headers } : headers;
  return exchange(url, { method: 'POST', headers: named, body });
}

/** A request with JSON, for {@link exchange} and `fetch`. */
export function jsonRequest(
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
  method: 'POST' | 'PATCH' = 'POST',
) {
  const typed = { 'Content-Type': 'application/json', ...headers };
  return { method, headers: typed, body: JSON.stringify(body) };
}

/** An answer taken from a raw connection. */
export interface RawAnswer {
  readonly status: number;
  /** The status line and the headers as they were sent. */
  readonly head: string;
  readonly body: string;
}

/** What servers of this process have open, by the port of the client. */
const served = new Map<number | undefined, Socket>();
subscribe('net.server.socket', (message) => {
  const { socket } = message as { socket: Socket };
  const { remotePort } = socket;
  served.set(remotePort, socket);
  socket.once('close', () => served.delete(remotePort));
});

/** The side of a connection that a server of this process has. */
export async function peerOf(client: Socket): Promise<Socket> {
  await until(() => served.has(client.localPort));
  return served.get(client.localPort)!;
}

/** A connection on which everything is written by hand. */
export class RawConnection {
  readonly socket: Socket;
  /** What has come and is not taken. */
  #chunks: Buffer[] = [];
  #length = 0;
  /** Before so much has come there is no answer to take; bytes. */
  #needed = 0;
  #ended = false;
  #wake: () => void = () => {};

  private constructor(socket: Socket) {
    this.socket = socket;
    socket.on('data', (chunk: Buffer) => {
      this.#chunks.push(chunk);
      this.#length += chunk.length;
      this.#wake();
    });
    const end = () => {
      this.#ended = true;
      this.#wake();
    };
    socket.on('end', end);
    socket.on('close', end);
    socket.on('error', end);
  }

  /** @param test whose end closes the connection. */
  static async open(
    test: { after(close: () => unknown): void },
    port: number,
  ): Promise<RawConnection> {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    await new Promise<void>((resolve, reject) => {
      socket.once('connect', resolve);
      socket.once('error', reject);
    });
    closeBeforeServices(test, () => socket.destroy());
    return new RawConnection(socket);
  }

  /** The server's side of it; the server is of this process. */
  peer(): Promise<Socket> {
    return peerOf(this.socket);
  }

  /** Resolves when the server has read all that was written, and looked at it, or has closed its side. */
  async read(): Promise<void> {
    // One that is closed at once may never be seen on the server's side.
    const isRead = () => {
      const peer = served.get(this.socket.localPort);
      return peer !== undefined && (peer.destroyed || peer.bytesRead >= this.socket.bytesWritten);
    };
    await until(() => this.#ended || isRead());
    await new Promise(setImmediate);
  }

  /** Sends lines as an HTTP message: joined by CR LF, the last one followed by nothing. */
  send(...lines: readonly string[]): void {
    this.socket.write(lines.join('\r\n'), 'latin1');
  }

  /** Sends a request of HTTP/1.1, or its beginning. @param line its method and target. */
  ask(line: string, headers: readonly string[], body = ''): void {
    this.send(`${line} HTTP/1.1`, 'Host: x', ...headers, '', body);
  }

  /** The next answer; interim answers are answers of their own. @throws {Error} when the connection ends before it. */
  async answer(): Promise<RawAnswer> {
    for (;;) {
      const answer = this.#take();
      if (answer !== undefined) return answer;
      if (this.#ended)
        throw new Error(`the connection ended: ${this.#all().toString('latin1', 0, 1_000)}`);
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  /** Resolves when the server has closed its side; what came before it and was not taken. */
  async ended(): Promise<string> {
    while (!this.#ended) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    return this.#all().toString('latin1');
  }

  #all(): Buffer {
    const all = this.#chunks.length === 1 ? this.#chunks[0]! : Buffer.concat(this.#chunks);
    this.#chunks = [all];
    return all;
  }

  #take(): RawAnswer | undefined {
    if (this.#length < this.#needed) return undefined;
    const received = this.#all();
    const end = received.indexOf('\r\n\r\n');
    if (end < 0) return undefined;
    const head = received.toString('latin1', 0, end);
    const length = Number(/^content-length: *(\d+)$/im.exec(head)?.[1] ?? 0);
    this.#needed = end + 4 + length;
    if (received.length < this.#needed) return undefined;
    const body = received.subarray(end + 4, this.#needed);
    this.#chunks = [received.subarray(this.#needed)];
    this.#length = received.length - this.#needed;
    this.#needed = 0;
    return { status: Number(head.slice(9, 12)), head, body: body.toString('utf8') };
  }
}
