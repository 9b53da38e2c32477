// night: three nodes and their database are killed in turn
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { freePort } from '../../../../packages/asmx/test/kit/listen.ts';
import { until } from '../../../../packages/asmx/test/kit/until.ts';
import { freshDatabase } from '../kit/database.ts';
import { arrivedIn } from '../kit/drill/arrived.ts';
import { Load } from '../kit/drill/load.ts';
import { ServiceNode } from '../kit/drill/service-node.ts';
import { startMailServer } from '../kit/mail-server.ts';
import { type PostgresServer, postgresUrl, startPostgresServer } from '../kit/postgres-server.ts';

/** Kills of `kill -9`; `KILLS=50` for the long run. */
const KILLS = Number(process.env.KILLS ?? 6);
const CLIENTS = 4;

/** Effects that are acknowledged between two kills. */
const BETWEEN_KILLS = 15;

/** How long PostgreSQL stands still, or is away: longer than a call waits for a lock; ms. */
const AWAY_MS = 3_000;

/** What happens to PostgreSQL, in turn, behind every second node. */
const OF_DATABASE: readonly ((server: PostgresServer) => Promise<void>)[] = [
  // A backend that is killed has the server end all others, and recover from its log.
  async ({ port }) => {
    const victim = new pg.Client({ connectionString: postgresUrl(port, 'postgres') });
    victim.on('error', () => {});
    await victim.connect();
    const { rows } = await victim.query('select pg_backend_pid() as pid');
    process.kill(rows[0].pid, 'SIGKILL');
  },
  async (server) => {
    await server.stop();
    await sleep(AWAY_MS);
    await server.start();
  },
  async (server) => {
    const stopped = new Set<number>();
    const stop = () => {
      for (const pid of processesOf(server)) {
        if (!stopped.has(pid)) process.kill(pid, 'SIGSTOP');
        stopped.add(pid);
      }
    };
    stop();
    // Those that the first one had begun.
    stop();
    await sleep(AWAY_MS);
    for (const pid of stopped) process.kill(pid, 'SIGCONT');
  },
];

/** The processes of a server, the first one first, which begins all others. */
function processesOf({ folder }: PostgresServer): readonly number[] {
  const first = Number(readFileSync(join(folder, 'postmaster.pid'), 'utf8').split('\n')[0]);
  const parentOf = (pid: string) => {
    try {
      return Number(readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)!.split(' ')[1]);
    } catch {
      return undefined;
    }
  };
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return [first, ...pids.filter((pid) => parentOf(pid) === first).map(Number)];
}

it(`three nodes, ${KILLS} times kill -9 or SIGSTOP, and their PostgreSQL killed, restarted and frozen amid mixed calls: every acknowledged effect is there once, every mail arrives`, async (t) => {
  const server = await startPostgresServer('ws01-nodes-postgres-');
  t.after(() => server.dispose());
  const database = {
    ...(await freshDatabase('sqlite', t)),
    databaseUrl: postgresUrl(server.port, 'postgres'),
  };
  const mails = await startMailServer(t);
  // Sending takes a while, so that kills fall into it: before the message, amid it, before its acknowledgement.
  mails.behave('accept-late');
  const ports = [await freePort(), await freePort(), await freePort()];
  const urls = ports.map((port) => `http://127.0.0.1:${port}`);
  const env = {
    SMTP_URL: `${mails.url}?connections=3`,
    RATE_LIMITS: 'off',
    LOG_LEVEL: 'fatal',
    DATABASE_POOL_SIZE: '4',
  };
  const nodes: ServiceNode[] = [];
  for (const port of ports) nodes.push(await ServiceNode.start(t, database, port, env));

  const load = new Load({ urls, proxied: false, readsSeeWrites: true });
  t.after(() => load.end());
  load.start(CLIENTS);
  for (let kill = 0; kill < KILLS; kill++) {
    const acknowledged = load.ledger.count('done') + BETWEEN_KILLS;
    await until(
      () => load.ledger.count('done') >= acknowledged,
      () => 'acknowledged effects',
    );
    const victim = nodes[kill % nodes.length]!;
    if (kill % 3 === 2) {
      victim.signal('SIGSTOP');
      await sleep(500);
      victim.signal('SIGCONT');
    } else {
      victim.signal('SIGKILL');
    }
    if (kill % 2 === 1) await OF_DATABASE[((kill - 1) / 2) % OF_DATABASE.length]!(server);
  }
  await until(
    () => nodes.every((node) => node.runs),
    () => 'all nodes to be back',
  );
  await load.end();

  const client = new pg.Client({ connectionString: database.databaseUrl! });
  client.on('error', () => {});
  await client.connect();
  t.after(() => client.end());
  const count = async (sql: string) =>
    Number((await client.query(`select count(*) as n ${sql}`)).rows[0].n);
  await until(
    async () => (await count('from outbox where due_at is not null')) === 0,
    () => 'the outbox to be empty',
  );
  assert.equal(await count(`from outbox where state <> 'sent'`), 0);
  // A mail arrived more often than once only where the acknowledgement of an earlier attempt died with its node.
  const copies = [
    ...Map.groupBy(mails.received, ({ headers }) => headers.get('message-id')!).values(),
  ];
  assert.ok(copies.filter(({ length }) => length > 1).length <= KILLS * 3);
  const findings = await load.ledger.compare(client, arrivedIn(mails));
  const { dishonest } = load.ledger;
  const verdicts = new Set(load.ledger.calls.map(({ verdict }) => verdict));
  assert.ok(verdicts.has('refused'), 'no call met the database while it was away');
  assert.deepEqual(
    { ...findings, dishonest },
    { lost: [], doubled: [], denied: [], dishonest: [] },
  );
  t.diagnostic(
    `${load.ledger.calls.length} calls, ${load.ledger.count('done')} acknowledged, ${copies.length} mails`,
  );
});
