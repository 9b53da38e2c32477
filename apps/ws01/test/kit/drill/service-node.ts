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
  /** Exit codes and signals so far. */
  readonly ends: (number | string | null)[] = [];

  private constructor(t: TestContext, database: TestDatabase, port: number, env: Record<string, string>) {
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

  signal(signal: NodeJS.Signals): void {
    this.#process?.child.kill(signal);
  }

  #watch(process: ServiceProcess): void {
    this.#process = process;
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
