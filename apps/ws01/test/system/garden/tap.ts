import { connect, createServer, type Socket } from 'node:net';
import { readAnswers, readPassedOn } from './messages.ts';

/** What has gone over one connection between a proxy and the service. */
export interface TappedConnection {
  /** Requests that the proxy has passed on, as it has marked them. */
  readonly passedOn: number;
  /** Those of them that it has passed on to their end. */
  readonly complete: number;
  /** Answers of the service, interim ones left out. */
  readonly answered: number;
  /** Whether the service has ended it, or said in an answer that it does. */
  readonly closedByUs: boolean;
  /** The first of what the proxy has sent. */
  readonly sent: string;
}

const KEPT = 20_000;

/** Stands between a proxy and the service, and counts on both sides. */
export class Tap {
  readonly port: number;
  readonly #connections: Passing[] = [];
  readonly #close: () => void;

  private constructor(port: number, connections: Passing[], close: () => void) {
    this.port = port;
    this.#connections = connections;
    this.#close = close;
  }

  /** @param mark what the proxy adds to each request once, and nobody else writes. */
  static async open(servicePort: number, mark: RegExp): Promise<Tap> {
    const connections: Passing[] = [];
    const server = createServer({ allowHalfOpen: true }, (proxy) =>
      connections.push(new Passing(proxy, servicePort, mark)),
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    return new Tap(port, connections, () => {
      server.close();
      for (const connection of connections) connection.end();
    });
  }

  get connections(): readonly TappedConnection[] {
    return this.#connections.map((connection) => connection.findings());
  }

  close(): void {
    this.#close();
  }
}

class Passing {
  readonly #proxy: Socket;
  readonly #service: Socket;
  readonly #mark: RegExp;
  readonly #sent: Buffer[] = [];
  readonly #answers: Buffer[] = [];
  #proxyLeft = false;
  #serviceEnded = false;

  constructor(proxy: Socket, port: number, mark: RegExp) {
    this.#proxy = proxy;
    this.#mark = mark;
    this.#service = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    proxy.on('data', (bytes: Buffer) => this.#sent.push(bytes));
    proxy.on('end', () => this.#leave());
    for (const event of ['error', 'close']) proxy.on(event, () => this.#leave());
    this.#service.on('data', (bytes: Buffer) => {
      this.#answers.push(bytes);
      this.#endWhenAnswered();
    });
    for (const event of ['end', 'error', 'close']) {
      this.#service.on(event, () => {
        this.#serviceEnded = true;
        proxy.end();
      });
    }
    proxy.pipe(this.#service, { end: false });
    this.#service.pipe(proxy, { end: false });
  }

  end(): void {
    this.#proxy.destroy();
    this.#service.destroy();
  }

  /** The proxy's client may have been too impatient for an answer; ours is awaited all the same. */
  #leave(): void {
    this.#proxyLeft = true;
    // What comes from now on is for nobody, but is counted.
    this.#service.unpipe(this.#proxy).resume();
    this.#endWhenAnswered();
  }

  #endWhenAnswered(): void {
    if (!this.#proxyLeft || this.#service.writableEnded) return;
    const { answered, complete } = this.findings();
    if (answered >= complete) this.#service.end();
  }

  findings(): TappedConnection {
    const sent = Buffer.concat(this.#sent).toString('latin1');
    const { answered, closes } = readAnswers(Buffer.concat(this.#answers).toString('latin1'));
    return {
      ...readPassedOn(sent, this.#mark),
      answered,
      closedByUs: closes || this.#serviceEnded,
      sent: sent.slice(0, KEPT),
    };
  }
}
