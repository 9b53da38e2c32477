import type { TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TestDatabase } from '../database.ts';
import { type ServiceProcess, spawnService } from '../process.ts';

/** How long a supervisor waits before it starts a process again; ms. */
const RESTART_MS = 500;

/** One node of the service, with a supervisor that starts it again whenever it ends. */
export class ServiceNode {
  readonly port: number;
  readonly #begin: () => Promise<ServiceProcess>;
  #process: ServiceProcess | undefined;
  #on = true;
  readonly #begun: ServiceProcess[] = [];
  /** Exit codes and signals so far. */
  readonly ends: (number | string | null)[] = [];

  private constructor(
    t: TestContext,
    database: TestDatabase,
    port: number,
    env: Record<string, string>,
  ) {
    this.port = port;
    this.#begin = () => spawnService(t, database, { ...env, PORT: String(port) });
    t.after(() => {
      this.#on = false;
    });
  }

  static async start(
    t: TestContext,
    database: TestDatabase,
    port: number,
    env: Record<string, string>,
  ): Promise<ServiceNode> {
    const node = new ServiceNode(t, database, port, env);
    node.#watch(await node.#begin());
    return node;
  }

  /** Whether it runs and listens. */
  get runs(): boolean {
    return this.#process !== undefined;
  }

  /** What its log says of calls that were answered with `Internal`, the defects. */
  get defects(): readonly string[] {
    const lines = this.#begun.flatMap((process) => process.output().split('\n'));
    return lines.filter((line) => line.includes('"Internal"'));
  }

  signal(signal: NodeJS.Signals): void {
    this.#process?.child.kill(signal);
  }

  #watch(process: ServiceProcess): void {
    this.#process = process;
    this.#begun.push(process);
    process.child.once('exit', (code, signal) => {
      this.ends.push(signal ?? code);
      this.#process = undefined;
      void this.#again();
    });
  }

  async #again(): Promise<void> {
    while (this.#on && this.#process === undefined) {
      await sleep(RESTART_MS);
      const process = await this.#begin().catch(() => undefined);
      if (process !== undefined) this.#watch(process);
    }
  }
}
