import { join } from 'node:path';
import type { TestContext } from 'node:test';
import pg from 'pg';
import { freePort } from '../../../../../packages/asmx/test/kit/listen.ts';
import { DatabaseServer } from './database-server.ts';
import {
  adapted,
  BIN_DIR,
  folderOf,
  mountDisk,
  Program,
  until,
  writeForPostgres,
} from './programs.ts';

const NAMES = ['db1', 'db2', 'db3'] as const;
const PASSWORD = 'superuser';

/** Room for the database, for what three minutes write, and for a base backup. */
const DISK_SIZE = '1g';

/** A server that has not followed the primary for this long is rebuilt; ms. */
const STUCK_MS = 30_000;

/** What Patroni tells of a server (`GET /cluster`). */
interface Member {
  readonly name: string;
  readonly role: string;
  readonly state: string;
}

const isUp = ({ state }: Member) => state === 'running' || state === 'streaming';

/** PostgreSQL under Patroni, with etcd and HAProxy, by the files of deploy/. */
export class Cluster {
  /** Where the service finds the primary: through HAProxy. */
  readonly databaseUrl: string;
  readonly servers: readonly DatabaseServer[];
  readonly etcd: Program;
  /** Servers that did not come back by themselves. */
  readonly rebuilt: string[] = [];
  readonly #synchronous: boolean;
  readonly #haproxy: Program;

  private constructor(
    servers: readonly DatabaseServer[],
    etcd: Program,
    haproxy: Program,
    port: number,
    synchronous: boolean,
  ) {
    this.servers = servers;
    this.etcd = etcd;
    this.#haproxy = haproxy;
    this.databaseUrl = `postgres://postgres:${PASSWORD}@127.0.0.1:${port}/postgres`;
    this.#synchronous = synchronous;
  }

  static async start(t: TestContext, synchronous: boolean): Promise<Cluster> {
    const folder = await folderOf(t);
    const etcdPort = await freePort();
    const etcd = await startEtcd(t, folder, etcdPort);
    const servers: DatabaseServer[] = [];
    for (const name of NAMES)
      servers.push(await prepareServer(t, folder, name, etcdPort, synchronous));
    const port = await freePort();
    const haproxy = await startHaproxy(t, folder, port, servers);
    const cluster = new Cluster(servers, etcd, haproxy, port, synchronous);
    for (const server of servers) server.start();
    await cluster.healthy();
    await until('HAProxy to find the primary', () =>
      cluster.client().then((client) => client.end().then(() => true)),
    );
    return cluster;
  }

  /** What servers and HAProxy printed between two times of a day (`HH:MM:SS.mmm`, UTC), in order. */
  printedBetween(from: string, to: string): string {
    const outputs = [
      ...this.servers.map(({ name, output }) => [name, output]),
      ['haproxy', this.#haproxy.output],
    ];
    const lines = outputs.flatMap(([name, output]) =>
      output!
        .split('\n')
        .filter((line) => line.slice(0, 12) >= from && line.slice(0, 12) <= to)
        .map((line) => `${line.slice(0, 12)} ${name}${line.slice(12)}`),
    );
    return lines.sort().join('\n');
  }

  /** A connection to the primary. */
  async client(): Promise<pg.Client> {
    const client = new pg.Client({
      connectionString: this.databaseUrl,
      connectionTimeoutMillis: 5_000,
    });
    client.on('error', () => {});
    await client.connect();
    return client;
  }

  async primary(): Promise<DatabaseServer> {
    return this.#byRole(({ role }) => role === 'leader');
  }

  /** The one that commits wait for; without synchronous mode any standby. */
  async standby(): Promise<DatabaseServer> {
    return this.#byRole(({ role }) => role === (this.#synchronous ? 'sync_standby' : 'replica'));
  }

  /**
   * Waits until there is a primary, and both others follow it. A server that does not come back by itself is rebuilt, as its
   * operator does (`patronictl reinit`).
   */
  async healthy(): Promise<void> {
    // A server that cannot start is not `starting` all the time: Patroni tries again and again.
    const downSince = new Map<string, number>();
    try {
      await until('the cluster to be whole', async () => {
        const members = await this.#members();
        const now = performance.now();
        for (const member of members) {
          if (isUp(member)) downSince.delete(member.name);
          else if (!downSince.has(member.name)) downSince.set(member.name, now);
          else if (now - downSince.get(member.name)! > STUCK_MS) {
            downSince.set(member.name, now);
            await this.#rebuild(member.name);
          }
        }
        const roles = members.filter(isUp).map(({ role }) => role);
        const whole =
          roles.length === NAMES.length && roles.filter((role) => role === 'leader').length === 1;
        return whole && (!this.#synchronous || roles.includes('sync_standby'));
      });
    } catch (error) {
      const members = JSON.stringify(await this.#members().catch(String));
      const logs = this.servers.map(({ name, output }) => `${name}:\n${output.slice(-3_000)}`);
      throw new Error([members, ...logs].join('\n'), { cause: error });
    }
  }

  async #rebuild(name: string): Promise<void> {
    const { restPort, output } = this.servers.find((server) => server.name === name)!;
    console.log(`${name} does not follow:\n${output}`);
    this.rebuilt.push(name);
    await fetch(`http://127.0.0.1:${restPort}/reinitialize`, {
      method: 'POST',
      body: '{"force":true}',
    });
  }

  /** Has another server become the primary, as before the maintenance of a machine. */
  async switchOver(): Promise<void> {
    const [leader, candidate] = [await this.primary(), await this.standby()];
    const body = JSON.stringify({ leader: leader.name, candidate: candidate.name });
    const headers = { 'Content-Type': 'application/json' };
    await fetch(`http://127.0.0.1:${leader.restPort}/switchover`, {
      method: 'POST',
      body,
      headers,
    });
  }

  async restartPrimary(): Promise<void> {
    const { restPort } = await this.primary();
    await fetch(`http://127.0.0.1:${restPort}/restart`, { method: 'POST', body: '{}' }).catch(
      () => {},
    );
  }

  async #byRole(fits: (member: Member) => boolean): Promise<DatabaseServer> {
    const name = (await this.#members()).find(fits)?.name;
    return this.servers.find((server) => server.name === name)!;
  }

  async #members(): Promise<readonly Member[]> {
    const asked = this.servers.map(async ({ restPort }) => {
      const answer = await fetch(`http://127.0.0.1:${restPort}/cluster`, {
        signal: AbortSignal.timeout(2_000),
      });
      return ((await answer.json()) as { members: Member[] }).members;
    });
    return Promise.any(asked);
  }
}

async function startEtcd(t: TestContext, folder: string, port: number): Promise<Program> {
  const peer = `http://127.0.0.1:${await freePort()}`;
  const client = `http://127.0.0.1:${port}`;
  const etcd = new Program(t, 'etcd', [
    '--enable-v2=true',
    ...['--name', 'one', '--data-dir', join(folder, 'etcd'), '--initial-cluster', `one=${peer}`],
    ...['--listen-client-urls', client, '--advertise-client-urls', client],
    ...['--listen-peer-urls', peer, '--initial-advertise-peer-urls', peer],
  ]);
  await until('etcd', async () => (await fetch(`${client}/health`)).ok);
  return etcd;
}

async function prepareServer(
  t: TestContext,
  folder: string,
  name: string,
  etcdPort: number,
  synchronous: boolean,
): Promise<DatabaseServer> {
  const disk = join('/run', `${folder.split('/').at(-1)}-${name}`);
  await mountDisk(t, disk, DISK_SIZE);
  const [port, restPort] = [await freePort(), await freePort()];
  const config = join(disk, 'patroni.yml');
  const text = await adapted('patroni/patroni.yml', [
    ['name: db1', `name: ${name}`],
    ['10.0.0.11:8008', `127.0.0.1:${restPort}`],
    ['10.0.0.11:2379,10.0.0.12:2379,10.0.0.13:2379', `127.0.0.1:${etcdPort}`],
    ['10.0.0.11:5432', `127.0.0.1:${port}`],
    ['10.0.0.0/24', '127.0.0.1/32'],
    ['/var/lib/postgresql/15/ws01', `${disk}/data`],
    ['/usr/lib/postgresql/15/bin', BIN_DIR],
    ['/var/lib/postgresql/.pgpass-patroni', `${disk}/pgpass`],
    ['SUPERUSER_PASSWORD', PASSWORD],
    ['synchronous_mode: true', `synchronous_mode: ${synchronous}`],
    [/^ {2}parameters:$/m, `  parameters:\n    unix_socket_directories: ''`],
  ]);
  await writeForPostgres(config, text);
  return new DatabaseServer(t, { name, port, restPort, disk, config });
}

async function startHaproxy(
  t: TestContext,
  folder: string,
  port: number,
  servers: readonly DatabaseServer[],
): Promise<Program> {
  const config = join(folder, 'postgres.cfg');
  const addresses = servers.map(
    (server, index) =>
      [
        `10.0.0.1${index + 1}:5432 check port 8008`,
        `127.0.0.1:${server.port} check port ${server.restPort}`,
      ] as const,
  );
  const text = await adapted('haproxy/postgres.cfg', [
    ['127.0.0.1:5000\n', `127.0.0.1:${port}\n`],
    ...addresses,
  ]);
  await writeForPostgres(config, text);
  return new Program(t, 'haproxy', ['-db', '-f', config]);
}
