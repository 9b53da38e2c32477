import { cpus, loadavg } from 'node:os';
import {
  HONEST,
  READER_ATTACKS,
  type ReaderAttack,
} from '../apps/ws01/test/security/kit/reader-attacks.ts';
import { Target } from '../apps/ws01/test/security/kit/target.ts';
import {
  READ_WITH_CREDENTIAL,
  VALUES_WITH_CREDENTIAL,
} from '../apps/ws01/test/security/kit/with-credential.ts';
import { freePort } from '../packages/asmx/test/kit/listen.ts';
import { besidePictures } from './hostile/beside-picture.ts';
import { FACET_ATTACKS, generateServer } from './hostile/generated.ts';
import { type Cost, costOf, once } from './hostile/measure.ts';
import { DOOR_ATTACKS, EVERY_DOOR, OTHER_ATTACKS } from './hostile/other-attacks.ts';
import { picturesCost } from './hostile/pictures.ts';
import { consoleAttacks, cookieOf, SIDE_ATTACKS, TOKEN_ATTACKS } from './hostile/signed-in.ts';
import { heldBy, STALLED } from './hostile/stalled.ts';
import { type BenchOptions, UsageError } from './kit/bench.ts';
import { fixed, printGoal, printTable, progress } from './kit/report.ts';

const PARTS: readonly string[] = [
  ...['requests', 'doors', 'signed-in', 'generated', 'credential', 'stalled', 'pictures'],
];

const WORDS = PARTS.map((part) => `[${part}]`).join(' ');
export const summary = `what hostile clients can cost: ${WORDS}; attack, answer, CPU, memory, beside the goals`;

const MOST_CPU_MS = 50;
/** With a credential. */
const MOST_TURN_MS = 250;
const MOST_MIB = 16;
const MOST_TOGETHER_MIB = 64;
/** Of a body, before it is compressed. */
const BODY_BYTES = 1_000_000;
/** A third of it is the query, which may have 384 KiB. */
const QUERY_BYTES = 900_000;
const ROUNDS = 5;
/** A quick run sends one attack in so many. */
const QUICK_STEP = 16;

/** `npm run bench -- hostile [PART …]`: each kind of attack, from outside, against a service of its own. */
export async function run(
  args: readonly string[],
  { quick }: Pick<BenchOptions, 'quick'>,
): Promise<unknown> {
  const unknown = args.find((arg) => !PARTS.includes(arg));
  if (unknown !== undefined)
    throw new UsageError(`There is no part called ${unknown}; there are ${PARTS.join(', ')}.`);
  const wants = (part: string) => args.length === 0 || args.includes(part);
  const figures: Record<string, unknown> = {};
  if (wants('requests'))
    figures.requests = await withTarget((target) =>
      requests(target, [HONEST, ...READER_ATTACKS, ...OTHER_ATTACKS], quick),
    );
  if (wants('doors'))
    figures.doors = await withTarget(
      (target) => requests(target, [...DOOR_ATTACKS, ...SIDE_ATTACKS], quick),
      { ...EVERY_DOOR, CONSOLE_PORT: '0', METRICS_PORT: String(await freePort()) },
    );
  if (wants('signed-in'))
    figures.signedIn = await withTarget((target) => signedIn(target, quick), EVERY_DOOR);
  if (wants('generated')) figures.generated = await generated(quick);
  if (wants('credential'))
    figures.credential = await withTarget((target) => withCredential(target, quick));
  if (wants('stalled')) figures.stalled = await stalled(quick);
  if (wants('pictures') && !quick) figures.pictures = await pictures();
  return figures;
}

async function requests(
  target: Target,
  attacks: readonly ReaderAttack[],
  quick: boolean,
): Promise<readonly Row[]> {
  const rows = await costs(
    target,
    quick ? attacks.filter((_, index) => index % QUICK_STEP === 0) : attacks,
    quick,
  );
  printRows(rows, 'attack');
  printGoalOf(
    rows,
    ({ cpuMs }) => cpuMs,
    'ms',
    MOST_CPU_MS,
    `no request of 1 MB takes more than ${MOST_CPU_MS} ms of CPU without a credential`,
  );
  printGoalOf(rows, ({ peakMib }) => peakMib, 'MiB', MOST_MIB, `nor ${MOST_MIB} MiB`);
  return rows;
}

/** Past the guard of the console, and with a token at the doors beside the endpoint. */
async function signedIn(target: Target, quick: boolean): Promise<readonly Row[]> {
  const all = [...consoleAttacks(await cookieOf(target)), ...TOKEN_ATTACKS];
  const rows = await costs(target, quick ? all.slice(0, 2) : all, quick);
  printRows(rows, 'signed in, or with a token');
  printGoalOf(
    rows,
    ({ turnMs }) => turnMs,
    'ms',
    MOST_TURN_MS,
    `nor does who is signed in keep it for more than ${MOST_TURN_MS} ms`,
  );
  return rows;
}

/** A server that `asmx from` made of a contract with facets. */
async function generated(quick: boolean): Promise<readonly Row[]> {
  const { module, remove } = await generateServer();
  try {
    return await withTarget((target) => requests(target, FACET_ATTACKS, quick), {}, module);
  } finally {
    await remove();
  }
}

async function withCredential(target: Target, quick: boolean): Promise<readonly Row[]> {
  const read = await costs(
    target,
    quick ? READ_WITH_CREDENTIAL.slice(0, 2) : READ_WITH_CREDENTIAL,
    quick,
  );
  const operations = [...new Set(VALUES_WITH_CREDENTIAL.map(({ operation }) => operation))];
  const worst: Row[] = [];
  for (const operation of quick ? operations.slice(0, 1) : operations) {
    const values = VALUES_WITH_CREDENTIAL.filter((one) => one.operation === operation);
    progress(operation);
    let slowest = { turnMs: -1, attack: values[0]! };
    for (const attack of quick ? values.slice(0, 2) : values) {
      const { turnMs } = await once(target, attack.make(BODY_BYTES));
      if (turnMs > slowest.turnMs) slowest = { turnMs, attack };
    }
    const again = await costs(target, [slowest.attack], quick);
    worst.push(...again.map((row) => ({ ...row, name: `${operation}: ${row.name}` })));
  }
  const rows = [...read, ...worst];
  printRows(rows, 'with a credential');
  printGoalOf(
    rows,
    ({ turnMs }) => turnMs,
    'ms',
    MOST_TURN_MS,
    `no request of 1 MB with a credential keeps the event loop for more than ${MOST_TURN_MS} ms`,
  );
  return rows;
}

interface Row {
  readonly name: string;
  readonly cost: Cost;
}

async function costs(
  target: Target,
  attacks: readonly ReaderAttack[],
  quick: boolean,
): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (const { name, make, side } of attacks) {
    progress(name);
    const request = make(name.startsWith('query') ? QUERY_BYTES : BODY_BYTES);
    const port = side && target.sides[side];
    rows.push({ name, cost: await costOf(target, request, quick ? 1 : ROUNDS, port) });
  }
  return rows;
}

function printRows(rows: readonly Row[], title: string): void {
  printTable(
    [title, 'bytes sent', 'answer', 'CPU ms', 'first CPU ms', 'longest turn ms', 'memory MiB'],
    rows.map(({ name, cost: { answer, sent, cpuMs, firstCpuMs, turnMs, peakMib } }) => [
      name.replaceAll('|', '\\|'),
      sent.toLocaleString('en'),
      answer,
      cpuMs.toFixed(0),
      firstCpuMs.toFixed(0),
      turnMs.toFixed(0),
      peakMib.toFixed(1),
    ]),
  );
  console.log(`The least of ${ROUNDS} rounds each, on a machine with a load of ${load()}.\n`);
}

function printGoalOf(
  rows: readonly Row[],
  figure: (cost: Cost) => number,
  unit: string,
  most: number,
  goal: string,
): void {
  const [first] = rows.toSorted((one, other) => figure(other.cost) - figure(one.cost));
  const value = figure(first!.cost);
  printGoal(goal, `${fixed(1)(value)} ${unit}, ${first!.name}`, value <= most);
}

async function stalled(quick: boolean) {
  const connections = quick ? 10 : 1_000;
  const figures: { readonly name: string; readonly oneMib: number; readonly allMib: number }[] = [];
  for (const [name, begun] of Object.entries(STALLED).slice(0, quick ? 1 : undefined)) {
    progress(name);
    await withTarget(async (target) => {
      const oneMib = await heldBy(target, begun, 1);
      figures.push({ name, oneMib, allMib: await heldBy(target, begun, connections) });
    });
  }
  printTable(
    ['begun, and not gone on with', 'one MiB', `${connections} together MiB`],
    figures.map(({ name, oneMib, allMib }) => [name, oneMib.toFixed(1), allMib.toFixed(1)]),
  );
  const one = Math.max(...figures.map(({ oneMib }) => oneMib));
  const all = Math.max(...figures.map(({ allMib }) => allMib));
  printGoal(
    `a stalled connection holds ${MOST_MIB} MiB at most`,
    `${fixed(1)(one)} MiB`,
    one <= MOST_MIB,
  );
  printGoal(
    `${connections} of the worst kind ${MOST_TOGETHER_MIB} MiB`,
    `${fixed(1)(all)} MiB`,
    all <= MOST_TOGETHER_MIB,
  );
  return figures;
}

async function pictures() {
  let costs: Awaited<ReturnType<typeof picturesCost>> = [];
  await withTarget(async (target) => {
    progress('pictures');
    costs = await picturesCost(target);
  });
  printTable(
    ['picture', 'answer', 'CPU ms, decoders included', 'longest turn ms', 'decoder MiB'],
    costs.map(({ name, answer, cpuMs, turnMs, decoderMib }) => [
      name,
      answer,
      cpuMs.toFixed(0),
      turnMs.toFixed(0),
      decoderMib.toFixed(0),
    ]),
  );
  progress('what others wait beside pictures');
  const beside = await besidePictures();
  console.log('');
  printTable(
    [
      'beside',
      ...Object.keys(beside[0]!.waits).flatMap((name) => [`${name} p50 ms`, 'p99', 'most']),
    ],
    beside.map(({ name, waits }) => [
      name,
      ...Object.values(waits).flatMap(({ p50, p99, max }) => [p50, p99, max].map(fixed(1))),
    ]),
  );
  return { costs, beside };
}

async function withTarget<Result>(
  use: (target: Target) => Promise<Result>,
  environment: Readonly<Record<string, string>> = {},
  module?: string,
): Promise<Result> {
  const closers: (() => unknown)[] = [];
  const test = { after: (close: () => unknown) => closers.push(close) };
  const target = await Target.start(test, environment, module);
  try {
    // What runs for the first time is loaded and compiled then.
    await target.ask(Buffer.from('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n'));
    return await use(target);
  } finally {
    for (const close of closers) await close();
  }
}

/** Of the last minute. */
function load(): string {
  return `${loadavg()[0]!.toFixed(1)} and ${cpus().length} processors`;
}
