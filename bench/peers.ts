import { existsSync } from 'node:fs';
import { type BenchOptions, sizeOf, warmSteps } from './kit/bench.ts';
import { type Load, startLoad } from './kit/load/load.ts';
import {
  fixed,
  percent,
  printGoal,
  printTable,
  progress,
  thousands,
  withSpread,
} from './kit/report.ts';
import { startBare } from './kit/sides/bare.ts';
import type { BareAnswer } from './kit/sides/bare-server.ts';
import { alternate, type Drive, noteDisturbance, warmUp } from './kit/sides/compare.ts';
import { ask, type HttpRequest, wireText } from './kit/sides/http.ts';
import { startService } from './kit/sides/service.ts';
import { type Side, startNode } from './kit/sides/side.ts';
import { median, ratios, type Spread, spread } from './kit/statistics.ts';
import { CALLS } from './kit/workloads/calls.ts';
import { requestOf } from './kit/workloads/requests.ts';
import { COUNTED_POSTS, COUNTED_USER, seed } from './kit/workloads/seed.ts';
import { gsoap } from './peers/gsoap.ts';
import { jaxws } from './peers/jaxws.ts';
import type { Peer } from './peers/peer.ts';
import { php } from './peers/php.ts';
import { RUNTIMES } from './peers/runtimes.ts';
import { soapCore } from './peers/soapcore.ts';
import { spyne } from './peers/spyne.ts';
import { h2o, nginx, phpFpm } from './peers/web-servers.ts';

export const summary =
  'countUserPosted, SOAP 1.1, 32 connections: this service, whole, beside servers of a constant and SOAP servers that echo';

const CONNECTIONS = 32;
const TIMES = {
  quick: { rounds: 1, warmUpMs: 50, durationMs: 200 },
  short: { rounds: 5, warmUpMs: 100, durationMs: 400 },
  full: { rounds: 7, warmUpMs: 300, durationMs: 2_000 },
};

/** What this service is to reach at least. */
const GOALS = { bare: 0.65, gsoap: 1 };

/** Seven posts in seven days: what peers echo is what this service counts. */
const REQUEST: HttpRequest = requestOf('SOAP 1.1', 'countUserPosted', {
  ...CALLS.countUserPosted.params,
  userId: COUNTED_USER,
  lastFewDays: String(COUNTED_POSTS),
});

/** A library that is a development dependency: `npm run install:dev` brings it. */
const peerInNode = (name: string, library: string, file: string): Peer => ({
  name,
  async start() {
    if (!existsSync(`${import.meta.dirname}/../node_modules/${library}`)) return undefined;
    return startNode(name, [`${import.meta.dirname}/peers/${file}`]);
  },
});

/** UTF-16 code units of the reason why a peer is left out. */
const REASON_LENGTH = 160;

const OURS = 'this service';
const BARE = 'bare node:http';
/** The same once more: what differs between the two is noise. */
const NOISE = `${BARE}, a second one`;

const bare = (name: string): Peer => ({
  name,
  async start(answer) {
    const side = await startBare(name);
    await side.tell(answer);
    return side;
  },
});

const PEERS: readonly Peer[] = [
  bare(BARE),
  bare(NOISE),
  ...RUNTIMES,
  nginx,
  h2o,
  gsoap('epoll'),
  gsoap('threads'),
  peerInNode('npm soap', 'soap', 'soap-server.ts'),
  peerInNode('strong-soap', 'strong-soap', 'strong-soap-server.ts'),
  php,
  phpFpm,
  jaxws,
  soapCore,
  spyne,
];

/** `npm run bench -- peers [a part of a name ...]` */
export async function run(args: readonly string[], options: BenchOptions): Promise<unknown> {
  const sides: Side[] = [];
  // Each side has a listener of its own for the end of this process.
  process.setMaxListeners(4 * PEERS.length);
  const load = startLoad();
  try {
    progress(`starting ${OURS}`);
    const ours = await startService();
    sides.push(ours);
    await seed(ours.port);
    const answer = await checkedAnswer(ours);
    const left: string[] = [];
    for (const peer of PEERS.filter(({ name }) => isWanted(name, args))) {
      progress(`starting ${peer.name}`);
      const side = await startPeer(peer, answer);
      if (typeof side !== 'string') sides.push(side);
      else if (peer.name.startsWith(BARE)) throw new Error(side);
      else left.push(`${peer.name} (${side})`);
    }
    if (left.length > 0) console.log(`Left out: ${left.join('; ')}.`);
    return report(sides, await measure(load, sides, options));
  } finally {
    await Promise.all([load.stop(), ...sides.map((side) => side.stop())]);
  }
}

/** The bare server is what all are compared with. */
function isWanted(name: string, parts: readonly string[]): boolean {
  return parts.length === 0 || name.startsWith(BARE) || parts.some((part) => name.includes(part));
}

/** Starts a peer and asks it once. @returns why not, on one line, where that fails. */
async function startPeer(peer: Peer, answer: BareAnswer): Promise<Side | string> {
  let side: Side | undefined;
  try {
    side = await peer.start(answer);
    if (side === undefined) return 'not installed';
    await checkedAnswer(side);
    return side;
  } catch (error) {
    await side?.stop();
    return reasonOf(error);
  }
}

/** The line of an error that says what is wrong: of a program's output, where it names an error. */
function reasonOf(error: unknown): string {
  const lines = String((error as Error).message)
    .replace(/^.* ended with \w+: /, '')
    .split('\n');
  return (lines.find((line) => /error|cannot/i.test(line)) ?? lines[0]!)
    .trim()
    .slice(0, REASON_LENGTH);
}

/** @throws {Error} when a side does not answer what this service does. */
async function checkedAnswer(side: Side): Promise<BareAnswer> {
  const { status, contentType, body } = await ask(side.port, REQUEST);
  const result = /countUserPostedResult[^>]*>([^<]*)</.exec(body)?.[1];
  if (status !== 200 || result !== String(COUNTED_POSTS))
    throw new Error(`${side.name} answers ${status}: ${body}`);
  return { contentType, body };
}

async function measure(
  load: Load,
  sides: readonly Side[],
  options: BenchOptions,
): Promise<readonly (readonly Drive[])[]> {
  const contenders = sides.map((side) => ({ side, requests: [wireText(REQUEST)] }));
  if (!options.quick) {
    progress('warming up');
    for (const contender of contenders)
      await warmUp(load, contender, CONNECTIONS, warmSteps(options));
  }
  const times = sizeOf(options, TIMES);
  progress(`${times.rounds} rounds of ${sides.length} sides`);
  return alternate(load, contenders, { connections: CONNECTIONS, ...times });
}

function report(sides: readonly Side[], drives: readonly (readonly Drive[])[]): unknown {
  const of = (name: string): readonly Drive[] | undefined =>
    drives[sides.findIndex((side) => side.name.startsWith(name))];
  const [ours, bare] = [of(OURS)!, of(BARE)!];
  const native = thriftiest(sides, drives, 'gSOAP');
  const rate = (drive: Drive) => drive.rate;
  const thrift = (drive: Drive) => 1 / drive.cpuPerCall;
  const against = (
    others: readonly Drive[] | undefined,
    drives: readonly Drive[],
    value: (drive: Drive) => number,
  ) => (others === undefined ? '' : withSpread(ratios(drives, others, value), fixed(2)));

  console.log(
    `${CONNECTIONS} connections, one request in flight on each; median of ${bare.length} rounds (least–most).`,
  );
  printTable(
    [
      '',
      'calls/s',
      '× bare',
      '× gSOAP',
      'CPU µs a call',
      '× bare by CPU',
      '× gSOAP by CPU',
      'p50 ms',
      'p99 ms',
      'its core',
      'the load’s core',
    ],
    sides.map(({ name }, index) => {
      const rounds = drives[index]!;
      const middle = (value: (drive: Drive) => number) => median(rounds.map(value));
      return [
        name,
        withSpread(spread(rounds.map(rate)), thousands),
        against(bare, rounds, rate),
        against(native, rounds, rate),
        middle((drive) => drive.cpuPerCall).toFixed(1),
        against(bare, rounds, thrift),
        against(native, rounds, thrift),
        middle((drive) => drive.latency.p50).toFixed(2),
        middle((drive) => drive.latency.p99).toFixed(2),
        percent(middle((drive) => drive.serverShare)),
        percent(middle((drive) => drive.loadShare)),
      ];
    }),
  );
  const noise = ratios(of(NOISE)!, bare, thrift);
  console.log(
    `Noise: the same server twice differs by ${withSpread(noise, fixed(2))} in CPU time; less than that is no difference.`,
  );
  noteDisturbance(bare);
  goal('the bare server', GOALS.bare, ratios(ours, bare, rate));
  if (native !== undefined) goal('gSOAP', GOALS.gsoap, ratios(ours, native, rate));
  return sides.map(({ name }, index) => ({ name, drives: drives[index] }));
}

function goal(other: string, least: number, found: Spread): void {
  printGoal(`at least ${least} × ${other}`, withSpread(found, fixed(2)), found.median >= least);
}

/** The drives of the side that needs the least CPU time, of those whose names begin alike. */
function thriftiest(
  sides: readonly Side[],
  drives: readonly (readonly Drive[])[],
  name: string,
): readonly Drive[] | undefined {
  const cpuOf = (rounds: readonly Drive[]) => median(rounds.map(({ cpuPerCall }) => cpuPerCall));
  return drives
    .filter((_, index) => sides[index]!.name.startsWith(name))
    .sort((one, other) => cpuOf(one) - cpuOf(other))[0];
}
