import { connect, createServer, type Socket } from 'node:net';

/** What has gone over one connection between a proxy and the service. */
export interface TappedConnection {
  /** Requests that the proxy has passed on, as it has marked them. */
  readonly passedOn: number;
  /** Answers of the service, interim ones left out. */
  readonly answered: number;
  /** Whether the service has ended it after an answer that said so. */
  readonly closedByUs: boolean;
  /** Whether the proxy has left before an answer could be there, since its client had. */
  readonly gaveUp: boolean;
  /** The first of what the proxy has sent. */
  readonly sent: string;
}

const KEPT = 20_000;
/** Who leaves sooner after the last byte has not waited for an answer; ms. */
const SOON_MS = 300;

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
  #serviceEnded = false;
  #lastSent = 0;
  #gaveUp = false;

  constructor(proxy: Socket, port: number, mark: RegExp) {
    this.#proxy = proxy;
    this.#mark = mark;
    this.#service = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    proxy.on('data', (bytes: Buffer) => {
      this.#sent.push(bytes);
      this.#lastSent = performance.now();
    });
    const left = () => {
      this.#gaveUp ||= performance.now() - this.#lastSent < SOON_MS;
    };
    proxy.once('end', left).once('close', left).once('error', left);
    this.#service.on('data', (bytes: Buffer) => this.#answers.push(bytes));
    this.#service.on('end', () => {
      this.#serviceEnded = true;
    });
    for (const socket of [proxy, this.#service]) socket.on('error', () => this.end());
    proxy.pipe(this.#service);
    this.#service.pipe(proxy);
  }

  end(): void {
    this.#proxy.destroy();
    this.#service.destroy();
  }

  findings(): TappedConnection {
    const sent = Buffer.concat(this.#sent).toString('latin1');
    const { answered, closes } = readAnswers(Buffer.concat(this.#answers).toString('latin1'));
    return {
      passedOn: sent.match(new RegExp(this.#mark, 'gi'))?.length ?? 0,
      answered,
      closedByUs: closes || this.#serviceEnded,
      gaveUp: this.#gaveUp,
      sent: sent.slice(0, KEPT),
    };
  }
}

function readAnswers(text: string): { answered: number; closes: boolean } {
  let answered = 0;
  let closes = false;
  for (let at = 0; at < text.length; ) {
    const end = text.indexOf('\r\n\r\n', at);
    if (end < 0) break;
    const head = text.slice(at, end);
    const status = Number(head.slice(9, 12));
    const length = Number(/^content-length: *(\d+)$/im.exec(head)?.[1] ?? 0);
    at = end + 4 + (status < 200 || status === 204 || status === 304 ? 0 : length);
    if (status < 200) continue;
    answered++;
    closes ||= /^connection: *close/im.test(head);
  }
  return { answered, closes };
}
