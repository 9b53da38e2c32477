import { rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { TestContext } from 'node:test';
import { BIN_DIR, POSTGRES_IDS, Program, postgresIn } from './programs.ts';

/** A machine with PostgreSQL and the Patroni that watches over it. */
export class DatabaseServer {
  readonly name: string;
  readonly port: number;
  readonly restPort: number;
  /** The folder that its disk is mounted on. */
  readonly disk: string;
  readonly #t: TestContext;
  readonly #config: string;
  #patroni: Program | undefined;
  #watchdog: Program | undefined;

  constructor(
    t: TestContext,
    {
      name,
      port,
      restPort,
      disk,
      config,
    }: Pick<DatabaseServer, 'name' | 'port' | 'restPort' | 'disk'> & { config: string },
  ) {
    this.#t = t;
    this.name = name;
    this.port = port;
    this.restPort = restPort;
    this.disk = disk;
    this.#config = config;
    t.after(() => this.kill());
  }

  /** What Patroni and the watchdog print. */
  get output(): string {
    return `${this.#patroni?.output ?? ''}${this.#watchdog?.output ?? ''}`;
  }

  /** As its machine does when it boots. */
  start(): void {
    const env = { PATH: process.env.PATH, HOME: this.disk, PGPASSFILE: join(this.disk, 'pgpass') };
    const options = { ...POSTGRES_IDS, env, cwd: this.disk };
    this.#patroni = new Program(this.#t, 'patroni', [this.#config], options);
    const script = resolve('deploy/patroni/postgres-watchdog.sh');
    const args = [script, join(this.disk, 'data'), BIN_DIR, '127.0.0.1', String(this.port)];
    this.#watchdog = new Program(this.#t, 'sh', args, options);
  }

  /** PostgreSQL alone dies. */
  async killPostgres(): Promise<void> {
    await this.#signal('SIGKILL', await this.#postgres());
  }

  /** The whole machine dies. */
  async kill(): Promise<void> {
    const postgres = await this.#postgres();
    await this.#watchdog?.kill();
    await this.#patroni?.kill();
    // Patroni may have started another one meanwhile.
    await this.#signal('SIGKILL', [...postgres, ...(await this.#postgres())]);
  }

  /** The whole machine stands still, as a virtual one does while it is moved. */
  async freeze(): Promise<void> {
    this.#watchdog?.child.kill('SIGSTOP');
    this.#patroni?.child.kill('SIGSTOP');
    await this.freezePostgres();
  }

  /** PostgreSQL alone stands still. */
  async freezePostgres(): Promise<void> {
    await this.#signal('SIGSTOP', await this.#postgres());
  }

  async thaw(): Promise<void> {
    await this.#signal('SIGCONT', await this.#postgres());
    this.#patroni?.child.kill('SIGCONT');
    this.#watchdog?.child.kill('SIGCONT');
  }

  /** Writes until nothing more fits. */
  async fillDisk(): Promise<void> {
    for (let index = 0; index < 64; index++) {
      const full = await writeFile(this.#ballast(index), Buffer.alloc(64 * 1024 ** 2)).then(
        () => false,
        () => true,
      );
      if (full) return;
    }
    throw new Error('The disk does not fill up.');
  }

  async emptyDisk(): Promise<void> {
    for (let index = 0; index < 64; index++) await rm(this.#ballast(index), { force: true });
  }

  #ballast(index: number): string {
    return join(this.disk, `ballast-${index}`);
  }

  #postgres(): Promise<readonly number[]> {
    return postgresIn(join(this.disk, 'data'));
  }

  async #signal(signal: NodeJS.Signals, pids: readonly number[]): Promise<void> {
    for (const pid of pids) {
      try {
        process.kill(pid, signal);
      } catch {
        // It has ended meanwhile.
      }
    }
  }
}
