/**
 * Prints what a call of each operation costs over SOAP on PostgreSQL, which is durable: microseconds of CPU of the
 * service, of the database and of its connections alone, and of that of Debian's pgbench, which sends to another database
 * what the service sends for one call at a time: bench/results/postgres-2026-11-24.md. With `--rate`, so many calls a
 * second, and what service and database use when nobody calls. With `--paced`, pgbench pauses between statements as the
 * service did, and stands beside one call at a time.
 *
 *     node --conditions=ws01-source apps/ws01/scripts/cost-per-call.ts [--calls=500] [--warm=150] [--seconds=5] [--rounds=1]
 *       [--connections=64] [--workers=1] [--rate=N] [--paced] [operation …]
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { cpuMicros, microsBetween } from '../../../bench/kit/sides/process-stats.ts';
import { freePort } from '../../../packages/asmx/test/kit/listen.ts';
import { envelope } from '../test/kit/bindings.ts';
import { fixedInProcess } from '../test/kit/fixed.ts';
import { NAMESPACE, TOKEN } from '../test/kit/names.ts';
import { OPERATION_CALLS } from '../test/kit/operation-calls.ts';
import {
  POSTGRES_PASSWORD,
  POSTGRES_USER,
  postgresUrl,
  postmasterOf,
  startPostgresServer,
} from '../test/kit/postgres-server.ts';
import {
  type Flight,
  listenToPostgres,
  ofCalls,
  type Values,
} from '../test/kit/wire-statements.ts';

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    calls: { type: 'string', default: '500' },
    warm: { type: 'string', default: '150' },
    seconds: { type: 'string', default: '5' },
    rounds: { type: 'string', default: '1' },
    connections: { type: 'string', default: '64' },
    workers: { type: 'string', default: '1' },
    rate: { type: 'string' },
    paced: { type: 'boolean', default: false },
  },
});
/** Calls of an operation that count at most, those before them that do not, and for how long at most; s. */
const [CALLS, WARM, SECONDS] = [options.calls, options.warm, options.seconds].map(Number) as [
  number,
  number,
  number,
];
/** Calls under way. */
const AT_ONCE = Number(options.connections);
/** Calls a second; as many as there can be when absent. */
const RATE = options.rate === undefined ? undefined : Number(options.rate);
/** Of the service to the database, as it has them by itself. */
const POOL_SIZE = 10;

/** What takes away what another operation has made. */
const REMOVES: ReadonlyMap<string, string> = new Map([
  ['DeleteArticleByGuid', 'InsertArticle'],
  ['DeleImgById', 'InsertArticleImageFile'],
]);

/** Of articles that are there. */
const CHANGES: ReadonlySet<string> = new Set([
  'UpdatePinnedTopDueDateByGuid',
  'UpdateArticleCategory',
]);

function childrenOf(pid: number): readonly number[] {
  const ofThread = (thread: string) =>
    readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').split(' ');
  return readdirSync(`/proc/${pid}/task`).flatMap(ofThread).filter(Boolean).map(Number);
}

/** CPU time of a process, of all below it and of those that have ended; µs. */
function cpuBelow(pid: number): number {
  try {
    const ended = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .split(') ')
      .at(-1)!
      .split(' ')
      .slice(13, 15);
    // In ticks.
    const ofEnded = ended.reduce((sum, ticks) => sum + Number(ticks) * 10_000, 0);
    return childrenOf(pid).reduce((sum, child) => sum + cpuBelow(child), cpuMicros(pid) + ofEnded);
  } catch {
    // It has ended meanwhile, and its parent knows.
    return 0;
  }
}

/** CPU time of each connection to a PostgreSQL server, which is a process; µs. */
function cpuOfConnections(postmaster: number): ReadonlyMap<string, number> {
  const title = `postgres: ${POSTGRES_USER} `;
  const connections = childrenOf(postmaster).filter((pid) =>
    readFileSync(`/proc/${pid}/cmdline`, 'utf8').startsWith(title),
  );
  return new Map(connections.map((pid) => [String(pid), cpuMicros(pid)]));
}

const folder = await mkdtemp(join(tmpdir(), 'ws01-cost-'));
const cleanUps: (() => unknown)[] = [() => rm(folder, { recursive: true, force: true })];
const scope = { after: (cleanUp: () => unknown) => cleanUps.push(cleanUp) };

/** A service with a database of its own, both new. */
interface Side {
  /** Of the database. */
  readonly port: number;
  /** What the service sent so far, if anybody listens. */
  readonly flights: readonly Flight[];
  /** CPU so far; µs. */
  service(): number;
  database(): number;
  /** That of the service's connections to the database, of which each is a process. */
  connections(): ReadonlyMap<string, number>;
  call(operation: string, n: number): Promise<void>;
  /** Stops the service, not the database. */
  stop(): Promise<unknown>;
}

/** @param heard whether to listen to what it sends. */
async function startSide(heard: boolean): Promise<Side> {
  const settings = { fsync: 'on', full_page_writes: 'on' };
  const server = await startPostgresServer('ws01-cost-db-', { settings, parent: tmpdir() });
  scope.after(() => server.dispose());
  const wire = heard
    ? await listenToPostgres(scope, server.port)
    : { port: server.port, flights: [] };
  const port = await freePort();
  const service = spawn(process.execPath, ['--conditions=ws01-source', 'bin/ws01.js', 'serve'], {
    env: {
      ...process.env,
      PORT: String(port),
      DATA_DIR: await mkdtemp(join(folder, 'data-')),
      DATABASE_URL: postgresUrl(wire.port, 'postgres'),
      DATABASE_POOL_SIZE: String(Math.ceil(POOL_SIZE / Number(options.workers))),
      WORKERS: options.workers,
      BOOTSTRAP_TOKEN: TOKEN,
      RATE_LIMITS: 'off',
      // All calls come from one address, and at the start all of them may have reached the first worker that listens.
      ...fixedInProcess({ databaseQueue: Math.max(200, 4 * AT_ONCE) }),
      LOG_LEVEL: 'error',
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  // Orderly, since it has processes of its own.
  const stop = async () => service.exitCode ?? (service.kill() && once(service, 'exit'));
  scope.after(stop);
  const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });
  scope.after(() => agent.destroy());
  const call = (operation: string, n: number) =>
    new Promise<void>((resolve, reject) => {
      const headers = {
        'content-type': 'text/xml; charset=utf-8',
        soapaction: `"${NAMESPACE}/${operation}"`,
      };
      const asked = request(
        { port, host: '127.0.0.1', path: '/WS01.asmx', method: 'POST', agent, headers },
        (answer) => {
          let body = '';
          answer.setEncoding('utf8').on('data', (text: string) => {
            body += text;
          });
          answer.on('end', () => {
            if (answer.statusCode === 200) resolve();
            else reject(new Error(`${operation} ${n}: ${answer.statusCode} ${body}`));
          });
        },
      );
      asked.on('error', reject).end(envelope('soap11', operation, OPERATION_CALLS[operation]!(n)));
    });
  const answers = () =>
    call('QueryImgData', 0).then(
      () => true,
      () => false,
    );
  while (!(await answers())) await sleep(200);
  return {
    port: server.port,
    flights: wire.flights,
    service: () => cpuBelow(service.pid!),
    database: () => cpuBelow(postmasterOf(server.folder)),
    connections: () => cpuOfConnections(postmasterOf(server.folder)),
    call,
    stop,
  };
}

/** Calls to make of an operation. */
interface Wanted {
  readonly operation: string;
  /** Calls before those that count. */
  readonly warm: number;
  /** Those that count. */
  readonly counted: number;
  /** How many articles there are to change. */
  readonly articles: number;
}

/** CPU µs a call, and what was sent to the database before the calls that count, and for them. */
interface Cost {
  readonly calls: number;
  readonly service: number;
  readonly database: number;
  /** Of the database, without what it does in the background. */
  readonly connections: number;
  readonly flights: readonly [warm: readonly Flight[], counted: readonly Flight[]];
}

/**
 * Makes calls.
 * @param atOnce how many are under way at a time.
 * @param seconds those that count end after so long, when there are fewer by then.
 */
async function costOf(
  side: Side,
  { operation, warm, counted, articles }: Wanted,
  atOnce: number,
  seconds = Number.POSITIVE_INFINITY,
): Promise<Cost> {
  let n = 0;
  const drive = async (last: number, until: number, rate?: number) => {
    const [first, begin] = [n, performance.now()];
    const keepCalling = async () => {
      while (n < last && performance.now() < until) {
        const number = ++n;
        const wait =
          rate === undefined ? 0 : begin + ((number - first) * 1000) / rate - performance.now();
        if (wait > 0) await sleep(wait);
        await side.call(operation, CHANGES.has(operation) ? ((number - 1) % articles) + 1 : number);
      }
    };
    await Promise.all(Array.from({ length: atOnce }, keepCalling));
  };
  const before = side.flights.length;
  await drive(warm, Number.POSITIVE_INFINITY);
  const [service, database, connections] = [side.service(), side.database(), side.connections()];
  const begun = side.flights.length;
  await drive(warm + counted, performance.now() + seconds * 1000, RATE);
  const calls = n - warm;
  return {
    calls,
    service: (side.service() - service) / calls,
    database: (side.database() - database) / calls,
    connections: microsBetween(connections, side.connections()) / calls,
    flights: [ofCalls(side.flights.slice(before, begun)), ofCalls(side.flights.slice(begun))],
  };
}

/** Has pgbench's connection say its own CPU time in nanoseconds, as Linux knows it. */
const TELL_CPU = `do $$ begin raise notice 'cpu %', split_part(pg_read_file('/proc/self/schedstat', 0, 99), ' ', 1); end $$;`;

/** Longer pauses were not between two calls; µs. */
const LONG_US = 100_000;

/**
 * What pgbench sends to do the same as some flights: transactions one after another, with as many round trips.
 * @param warm flights before those that count.
 */
function scriptOf(warm: readonly Flight[], counted: readonly Flight[]): string {
  const prepared = new Map<string, string>();
  const run = (text: string, values: Values) => {
    // Others cannot be prepared.
    if (!/^\s*(select|insert|update|delete|with)\b/i.test(text)) return text;
    const name = prepared.get(text) ?? `s${prepared.size}`;
    prepared.set(text, name);
    const given = values.map((value) =>
      value === null ? 'null' : `'${value.replaceAll("'", "''")}'`,
    );
    return given.length === 0 ? `execute ${name}` : `execute ${name} (${given.join(', ')})`;
  };
  let last = 0;
  const linesOf = (flights: readonly Flight[]) =>
    inTransactions(flights).flatMap(({ at, statements, values }) => {
      const pause = Math.round((at - last) * 1000);
      last = at;
      const sent = `${statements.map((text, index) => run(text, values[index]!)).join(' \\; ')};`;
      return options.paced && pause > 0 && pause < LONG_US ? [`\\sleep ${pause} us`, sent] : [sent];
    });
  const lines = [...linesOf(warm), TELL_CPU, ...linesOf(counted), TELL_CPU, ''];
  return (
    [...prepared].map(([text, name]) => `prepare ${name} as ${text};\n`).join('') + lines.join('\n')
  );
}

/** Flights of several connections as if of one: those of a transaction together, when it ended. */
function inTransactions(flights: readonly Flight[]): readonly Flight[] {
  const open = new Map<number, Flight[]>();
  return flights.flatMap((flight) => {
    const sent = [...(open.get(flight.connection) ?? []), flight];
    const isOpen =
      sent[0]!.statements[0]!.startsWith('begin') &&
      !/^(commit|rollback)$/.test(flight.statements.at(-1)!);
    open.set(flight.connection, isOpen ? sent : []);
    return isOpen ? [] : sent;
  });
}

/** Has pgbench do what a service did. @returns CPU of its connection for what counts, µs. */
function throughPgbench(port: number, warm: readonly Flight[], counted: readonly Flight[]): number {
  const script = join(folder, 'calls.sql');
  writeFileSync(script, scriptOf(warm, counted));
  const told = [
    '-n',
    '-t',
    '1',
    '-f',
    script,
    '-h',
    '127.0.0.1',
    '-p',
    String(port),
    '-U',
    POSTGRES_USER,
    'postgres',
  ];
  const { status, stderr } = spawnSync('pgbench', told, {
    encoding: 'utf8',
    env: { ...process.env, PGPASSWORD: POSTGRES_PASSWORD },
  });
  const [before, after] = Array.from(stderr.matchAll(/cpu (\d+)/g), ([, nanoseconds]) =>
    Number(nanoseconds),
  );
  if (status !== 0 || after === undefined) throw new Error(stderr);
  return (after - before!) / 1000;
}

const median = (numbers: readonly number[]) =>
  numbers.toSorted((one, other) => one - other)[numbers.length >> 1]!;

/** Median and, of several, least and most. */
function shown(numbers: readonly number[], digits = 0): string {
  const [middle, least, most] = [median(numbers), Math.min(...numbers), Math.max(...numbers)].map(
    (number) => number.toFixed(digits),
  );
  return numbers.length > 1 ? `${middle} (${least}–${most})` : middle!;
}

interface Row {
  readonly calls: number;
  readonly service: number;
  readonly database: number;
  readonly connections: number;
  readonly pgbench: number | undefined;
}

async function round(
  hasPgbench: boolean,
  done: (operation: string, row: Row) => void,
): Promise<void> {
  const [crowd, single, like] = [
    await startSide(false),
    await startSide(true),
    await startSide(false),
  ];
  await like.stop();
  if (RATE !== undefined) {
    // The work of a start, such as the sweep and the check of the disk, is over by then.
    await sleep(30_000);
    const before = [crowd.service(), crowd.database()];
    await sleep(SECONDS * 1000);
    const idle = [crowd.service() - before[0]!, crowd.database() - before[1]!].map((cpu) =>
      (cpu / SECONDS).toFixed(0),
    );
    console.log(`nobody calls, CPU µs a second: service ${idle[0]}, database ${idle[1]}`);
  }
  const made = new Map<string, number>();
  for (const operation of positionals.length > 0 ? positionals : Object.keys(OPERATION_CALLS)) {
    const maker = REMOVES.get(operation);
    const supply = Math.min(
      CALLS + WARM,
      maker === undefined ? Number.POSITIVE_INFINITY : (made.get(maker) ?? 0),
    );
    const warm = Math.floor((supply * WARM) / (CALLS + WARM));
    const wanted = {
      operation,
      warm,
      counted: supply - warm,
      articles: made.get('InsertArticle') ?? 0,
    };
    const many = await costOf(crowd, wanted, AT_ONCE, SECONDS);
    const { calls } = many;
    made.set(operation, warm + calls);
    const one = await costOf(single, { ...wanted, counted: calls }, 1);
    const { service, database, connections } = options.paced ? one : many;
    const pgbench = hasPgbench ? throughPgbench(like.port, ...one.flights) / calls : undefined;
    done(operation, { calls, service, database, connections, pgbench });
  }
}

async function main(): Promise<void> {
  const hasPgbench = spawnSync('pgbench', ['--version']).status === 0;
  if (!hasPgbench) console.log('pgbench is missing: it is in Debian’s package postgresql');
  const rows = new Map<string, Row[]>();
  for (let number = 1; number <= Number(options.rounds); number++) {
    const load = () => loadavg()[0]!.toFixed(1);
    const before = load();
    await round(hasPgbench, (operation, row) => {
      rows.set(operation, [...(rows.get(operation) ?? []), row]);
      const figures = Object.values(row).map((figure) => figure?.toFixed(0).padStart(8));
      console.error(`${operation.padEnd(30)} ${figures.join(' ')}`);
    });
    for (const cleanUp of cleanUps.splice(1).reverse()) await cleanUp();
    console.log(`round ${number}: load ${before} to ${load()}`);
  }
  console.log(`
| operation | calls | service, µs | database, µs | of that its connections | pgbench's | ratio |
| --- | ---: | ---: | ---: | ---: | ---: | ---: |`);
  for (const [operation, all] of rows) {
    const columns = (['calls', 'service', 'database', 'connections', 'pgbench'] as const).map(
      (of) => shown(all.map((row) => row[of] ?? Number.NaN)),
    );
    const ratios = all.map(({ connections, pgbench = Number.NaN }) => connections / pgbench);
    console.log(`| ${[operation, ...columns, shown(ratios, 2)].join(' | ')} |`);
  }
}

try {
  await main();
} finally {
  for (const cleanUp of cleanUps.reverse()) await cleanUp();
}
process.exit(0);
