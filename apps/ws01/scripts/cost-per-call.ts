/**
 * Prints what a call of each operation costs over SOAP on PostgreSQL: microseconds of CPU of the service and of the
 * database, which is durable; and, where Debian's pgbench is there, what the rows of an InsertArticle cost through that. With
 * `--rate`, so many calls a second, and what both use when nobody calls. `--rounds` does it all several times, each round
 * beside pgbench; `--warm` has each worker answer so many calls of an operation before the first that count.
 *
 *     node --conditions=ws01-source apps/ws01/scripts/cost-per-call.ts [--seconds=3] [--workers=1] [--connections=64] [--rate=N]
 *       [--rounds=1] [--warm=N] [operation …]
 */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { envelope } from '../test/kit/bindings.ts';
import { NAMESPACE, TOKEN } from '../test/kit/names.ts';
import { OPERATION_CALLS } from '../test/kit/operation-calls.ts';
import { POSTGRES_PASSWORD, POSTGRES_USER, postgresUrl, startPostgresServer } from '../test/kit/postgres-server.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seconds: { type: 'string', default: '3' },
    workers: { type: 'string', default: '1' },
    connections: { type: 'string', default: '64' },
    rate: { type: 'string' },
    rounds: { type: 'string', default: '1' },
    warm: { type: 'string', default: '0' },
  },
});
const SECONDS = Number(values.seconds);
/** Calls under way, and connections of pgbench. */
const AT_ONCE = Number(values.connections);
/** Of the service to the database, as it has them by itself. */
const POOL_SIZE = 10;
/** Calls a second; as many as there can be when absent. */
const RATE = values.rate === undefined ? undefined : Number(values.rate);
/** A tick of `/proc`; µs. */
const TICK = 10_000;

/** CPU that a process has used, and those that it has waited for; µs. */
function cpuOf(pid: number, withChildren: boolean): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)!.split(' ').map(Number);
  const [user, system, ofUser, ofSystem] = fields.slice(11, 15) as [number, number, number, number];
  return (user + system + (withChildren ? ofUser + ofSystem : 0)) * TICK;
}

/** As {@link cpuOf}; of a process that has ended meanwhile its parent knows. */
function cpuNow(pid: number): number {
  try {
    return cpuOf(pid, true);
  } catch {
    return 0;
  }
}

/** CPU of a process and all below it; µs. */
function cpuBelow(root: number): number {
  const parents = new Map<number, number>();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      parents.set(Number(name), Number(readFileSync(`/proc/${name}/stat`, 'utf8').split(') ').at(-1)!.split(' ')[1]));
    } catch {
      // It has ended meanwhile.
    }
  }
  const below = [root];
  for (const pid of below) for (const [child, parent] of parents) if (parent === pid) below.push(child);
  return below.reduce((sum, pid) => sum + cpuNow(pid), 0);
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  return port;
}

const folder = await mkdtemp(join(tmpdir(), 'ws01-cost-'));
const cleanUps: (() => unknown)[] = [() => rm(folder, { recursive: true, force: true })];

async function main(): Promise<void> {
  const settings = { fsync: 'on', full_page_writes: 'on' };
  const server = await startPostgresServer('ws01-cost-db-', { settings, parent: tmpdir() });
  cleanUps.push(() => server.dispose());
  const databaseUrl = postgresUrl(server.port, 'postgres');
  const [postmaster] = execFileSync('pgrep', ['-f', `postgres.*-p ${server.port}`], { encoding: 'utf8' }).split('\n');
  const port = await freePort();
  const service = spawn(process.execPath, ['--conditions=ws01-source', 'bin/ws01.js', 'serve'], {
    env: {
      ...process.env,
      PORT: String(port),
      DATA_DIR: folder,
      DATABASE_URL: databaseUrl,
      DATABASE_POOL_SIZE: String(Math.ceil(POOL_SIZE / Number(values.workers))),
      WORKERS: values.workers,
      BOOTSTRAP_TOKEN: TOKEN,
      RATE_LIMITS: 'off',
      // All calls come from one address, and at the start all of them may have reached the first worker that listens.
      DATABASE_QUEUE: String(Math.max(200, 4 * AT_ONCE)),
      LOG_LEVEL: 'error',
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  // Orderly, since it has processes of its own.
  cleanUps.push(() => service.kill() && once(service, 'exit'));
  const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });
  cleanUps.push(() => agent.destroy());
  const call = (operation: string, n: number): Promise<{ status: number; body: string }> =>
    new Promise((resolve, reject) => {
      const asked = request(
        { port, host: '127.0.0.1', path: '/WS01.asmx', method: 'POST', agent, headers: headersOf(operation) },
        (answer) => {
          let body = '';
          answer.setEncoding('utf8').on('data', (text: string) => {
            body += text;
          });
          answer.on('end', () => resolve({ status: answer.statusCode!, body }));
        },
      );
      asked.on('error', reject).end(envelope('soap11', operation, OPERATION_CALLS[operation]!(n)));
    });
  const answers = () => call('QueryImgData', 0).catch(() => undefined);
  while ((await answers())?.status !== 200) await sleep(200);
  console.log('operation                       calls   CPU µs a call: service  database');
  if (RATE !== undefined) {
    // The work of a start, such as the sweep and the check of the disk, is over by then.
    await sleep(30_000);
    const [ofService, ofDatabase] = [cpuBelow(service.pid!), cpuBelow(Number(postmaster))];
    await sleep(SECONDS * 1000);
    const idle = [cpuBelow(service.pid!) - ofService, cpuBelow(Number(postmaster)) - ofDatabase];
    console.log(
      `nobody calls, CPU µs a second  ${idle.map((cpu) => (cpu / SECONDS).toFixed(0).padStart(10)).join('')}`,
    );
  }
  const chosen = positionals.length > 0 ? positionals : Object.keys(OPERATION_CALLS);
  const made = new Map<string, number>();
  for (let round = 1; round <= Number(values.rounds); round++) {
    let ofArticle = 0;
    for (const operation of chosen) {
      const cost = await costOf(operation);
      if (operation === 'InsertArticle') ofArticle = cost;
    }
    if (RATE !== undefined || ofArticle === 0) continue;
    const ofRows = throughPgbench(server.port, Number(postmaster), round);
    if (ofRows !== undefined) console.log(`pgbench's CPU through InsertArticle's: ${(ofRows / ofArticle).toFixed(2)}`);
  }

  /** Measures an operation. @returns CPU a call of both, µs. */
  async function costOf(operation: string): Promise<number> {
    let n = made.get(operation) ?? 0;
    let most = 0;
    let until = 0;
    let begin = 0;
    let asked = 0;
    const keepCalling = async () => {
      while (performance.now() < until && n < most) {
        const wait = RATE === undefined ? 0 : begin + (asked++ * 1000) / RATE - performance.now();
        if (wait > 0) await sleep(wait);
        n++;
        const { status, body } = await call(
          operation,
          CHANGES.has(operation) ? ((n - 1) % made.get('InsertArticle')!) + 1 : n,
        );
        if (status !== 200) throw new Error(`${operation} ${n}: ${status} ${body}`);
      }
    };
    const drive = () => Promise.all(Array.from({ length: AT_ONCE }, keepCalling));
    const warm = n + Number(values.warm) * Number(values.workers);
    const all = supplyOf(operation);
    most = n + (all - n) / 5;
    do {
      until = performance.now() + 1_000;
      await drive();
    } while (n < Math.min(warm, most));
    most = all;
    const before = { calls: n, service: cpuBelow(service.pid!), database: cpuBelow(Number(postmaster)) };
    begin = performance.now();
    asked = 0;
    until = begin + SECONDS * 1000;
    await drive();
    const calls = n - before.calls;
    const ofService = (cpuBelow(service.pid!) - before.service) / calls;
    const ofDatabase = (cpuBelow(Number(postmaster)) - before.database) / calls;
    made.set(operation, n);
    console.log(
      `${operation.padEnd(30)} ${String(calls).padStart(6)}   ${ofService.toFixed(0).padStart(22)}  ${ofDatabase.toFixed(0).padStart(8)}`,
    );
    return ofService + ofDatabase;
  }

  /** How many calls there is something for. */
  function supplyOf(operation: string): number {
    const maker = REMOVES.get(operation);
    return maker === undefined ? Number.POSITIVE_INFINITY : (made.get(maker) ?? 0);
  }
}

/**
 * The rows of an InsertArticle in one transaction, from a client that does nothing else.
 * @returns CPU a transaction of both, µs; `undefined` without pgbench.
 */
function throughPgbench(port: number, postmaster: number, round: number): number | undefined {
  if (spawnSync('pgbench', ['--version']).status !== 0) return undefined;
  const script = join(folder, 'rows.sql');
  writeFileSync(
    script,
    `\\set n random(${round}000000000000, ${round}999999999999)
begin;
insert into articles (guid, owner, caption, content, category_key, contact_phone, pinned_until, icon_guid, status, from_url, ip, claimed_ip, token_id, created_at, updated_at, deleted_at, revision) values ('p-' || :n, 'ada', 'c', 'x', null, '', null, null, 0, '', '127.0.0.1', null, null, :n, :n, null, 1) on conflict (guid) do nothing;
insert into postings (kind, record_key, user_id, network, at) values (1, 'p-' || :n, 'ada', '127.0.0.1', :n);
insert into audit (id, at, token_id, action, target_kind, target_key, address, details, request_id) values ('p-' || :n, :n, null, 'article.create', 'article', 'p-' || :n, '127.0.0.1', '{"revision":1}', 'r-' || :n);
commit;
`,
  );
  const before = cpuBelow(postmaster);
  const own = cpuOf(process.pid, true);
  const { stdout, stderr } = spawnSync(
    'pgbench',
    [
      '-n',
      '-M',
      'prepared',
      '-c',
      String(AT_ONCE),
      '-T',
      String(SECONDS + 1),
      '-f',
      script,
      '-h',
      '127.0.0.1',
      '-p',
      String(port),
      '-U',
      POSTGRES_USER,
      'postgres',
    ],
    { encoding: 'utf8', env: { ...process.env, PGPASSWORD: POSTGRES_PASSWORD } },
  );
  const done = Number(/actually processed: (\d+)/.exec(stdout)?.[1]);
  if (!(done > 0)) throw new Error(stderr);
  const ofClient = (cpuOf(process.pid, true) - own) / done;
  const ofDatabase = (cpuBelow(postmaster) - before) / done;
  console.log(
    `${'the same rows through pgbench'.padEnd(30)} ${String(done).padStart(6)}   ${ofClient.toFixed(0).padStart(22)}  ${ofDatabase.toFixed(0).padStart(8)}`,
  );
  return ofClient + ofDatabase;
}

/** What takes away what another operation has made. */
const REMOVES: ReadonlyMap<string, string> = new Map([
  ['DeleteArticleByGuid', 'InsertArticle'],
  ['DeleImgById', 'InsertArticleImageFile'],
]);

/** Of articles that are there. */
const CHANGES: ReadonlySet<string> = new Set(['UpdatePinnedTopDueDateByGuid', 'UpdateArticleCategory']);

const headersOf = (operation: string) => ({
  'content-type': 'text/xml; charset=utf-8',
  soapaction: `"${NAMESPACE}/${operation}"`,
});

try {
  await main();
} finally {
  for (const cleanUp of cleanUps.reverse()) await cleanUp();
}
process.exit(0);
