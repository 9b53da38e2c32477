import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { heard } from '../../../../../packages/asmx/test/kit/heard.ts';
import { SOURCE_ARGUMENTS } from '../../../../../packages/asmx/test/kit/source-process.ts';
import type { ServiceEnv } from '../../kit/fixed.ts';
import { TOKEN } from '../../kit/names.ts';

/** What the service has cost so far, and holds now. */
export interface Figures {
  /** User and system time of the whole process; ms. */
  readonly cpuMs: number;
  /** Bytes. */
  readonly rss: number;
  /** What its heap has in use and what belongs to it outside, after a collection; bytes. */
  readonly held: number;
  readonly arrayBuffers: number;
  /** The longest that its event loop was kept since this was asked last; ms. */
  readonly turnMs: number;
}

/** What the process tells when it listens. */
export type Started = Pick<Target, 'port' | 'sides' | 'dataDir'>;

/** The service in a process of its own, so that what it costs can be told from what the attacker costs. */
export class Target {
  readonly port: number;
  /** Its other ports, where it has any. */
  readonly sides: Readonly<Record<string, number>>;
  readonly dataDir: string;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, { port, sides, dataDir }: Started) {
    this.#child = child;
    this.port = port;
    this.sides = sides;
    this.dataDir = dataDir;
  }

  /**
   * @param environment settings beside the token and the place, and fixed values in the place of others.
   * @param module of a server that listens at `PORT`, which is started instead of the service.
   */
  static async start(
    test: { after(close: () => unknown): void },
    environment: Omit<ServiceEnv, 'impatient'> = {},
    module?: string,
  ): Promise<Target> {
    const child = fork(
      new URL('target-process.ts', import.meta.url),
      [
        JSON.stringify({ BOOTSTRAP_TOKEN: TOKEN, ...environment }),
        ...(module === undefined ? [] : [module]),
      ],
      { execArgv: [...SOURCE_ARGUMENTS, '--expose-gc', '--disable-warning=ExperimentalWarning'] },
    );
    const [started] = (await heard(child, 'message')) as [Started];
    const target = new Target(child, started);
    test.after(() => target.stop());
    return target;
  }

  get pid(): number {
    return this.#child.pid!;
  }

  /** Whether the process is alive. */
  get alive(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** @param collect whether garbage is collected first, which counts as its own work. */
  async figures(collect = false): Promise<Figures> {
    this.#child.send(collect);
    const [figures] = (await heard(this.#child, 'message')) as [Figures];
    return figures;
  }

  /** Sends bytes on a connection of their own and reads what comes until the answer is whole or the connection ends. */
  async ask(bytes: Uint8Array, port = this.port): Promise<string> {
    const socket = await this.connect(port);
    socket.write(bytes);
    let text = '';
    for await (const chunk of socket) {
      text += chunk.toString('latin1');
      const head = text.indexOf('\r\n\r\n');
      if (head < 0) continue;
      const length = Number(/^content-length: *(\d+)/im.exec(text)?.[1] ?? 0);
      if (text.length >= head + 4 + length) break;
    }
    socket.destroy();
    return text;
  }

  async connect(port = this.port): Promise<Socket> {
    const socket = connect({ port, host: '127.0.0.1' });
    socket.on('error', () => {});
    await once(socket, 'connect');
    return socket;
  }

  async stop(): Promise<void> {
    if (this.alive) {
      this.#child.disconnect();
      await once(this.#child, 'exit');
    }
    await rm(this.dataDir, { recursive: true, force: true });
  }
}
