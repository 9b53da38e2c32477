import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { DEFAULT_LIMITS, defineLimits, type Limits } from '../packages/asmx/src/contract/limits.ts';
import { ReadError } from '../packages/asmx/src/message/read-error.ts';
import type { Shape } from '../packages/asmx/test/xml/kit/shapes.ts';
import { type BenchOptions, UsageError } from './kit/bench.ts';
import { HOSTILITIES, type Hostility } from './kit/hostile-inputs.ts';
import { printGoal, printTable } from './kit/report.ts';

export const summary =
  'time and memory of the XML, JSON and form readers for hostile inputs of 128 KB to 1 MB';

const KIB = 1024;
const SIZES = [128 * KIB, 256 * KIB, 512 * KIB, 1024 * KIB];
const GOALS = { growth: 2.5, ms: 50, mib: 16 };
/** Other load only ever adds time, so what looks too slow is measured again, so many times at most. */
const MOST_ROUNDS = 60;
const ROUNDS = 6;
/** Pieces in which an input is read to see what is kept in between. */
const LOOKS = 16;
const FAR = 2 ** 40;
/** As good as no limits, so that each input is read to its end. */
const wide = defineLimits({
  bodyBytes: FAR,
  depth: FAR,
  elements: FAR,
  attributes: FAR,
  namespaces: FAR,
  nameChars: FAR,
  attributeValueChars: FAR,
  textChars: FAR,
  formPairs: FAR,
});

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** What an input of a shape costs: with `wide` limits by size, and the largest of them with the default ones. */
interface Cost {
  readonly reader: string;
  readonly shape: string;
  readonly ms: readonly number[];
  /** The largest factor at a doubling. */
  readonly growth: number;
  /** MiB kept at most. */
  readonly kept: number;
  /** The first size pushed in single bytes; µs a byte. */
  readonly perByte: number;
  readonly limited: { readonly ms: number; readonly kept: number; readonly outcome: string };
}

/** `npm run bench -- xml-growth [XML | JSON | form]` */
export async function run(
  [only]: readonly string[],
  { quick }: BenchOptions,
): Promise<readonly Cost[]> {
  const sizes = quick ? SIZES.map((size) => size / 16) : SIZES;
  const sides = HOSTILITIES.filter(({ reader }) => only === undefined || only === reader);
  if (sides.length === 0)
    throw new UsageError(`There is no reader called ${only}; there are XML, JSON and form.`);
  const costs = sides.flatMap((side) =>
    (quick ? side.shapes.slice(0, 1) : side.shapes).map((shape) => measure(side, shape, sizes)),
  );
  console.log(
    'ms without limits, by size; the largest growth at a doubling; MiB kept at most; µs a byte when pushed byte',
  );
  console.log(
    'by byte; then, of the largest size with the default limits, ms, MiB and how it ended.',
  );
  printTable(
    [
      'input',
      ...sizes.map((size) => `${size / KIB} KB`),
      'growth',
      'MiB',
      'µs/byte',
      'limited: ms',
      'MiB',
      'outcome',
    ],
    costs.map((cost) => [
      `${cost.reader}: ${cost.shape}`,
      ...cost.ms.map((ms) => ms.toFixed(2)),
      `${cost.growth.toFixed(2)}×`,
      cost.kept.toFixed(1),
      cost.perByte.toFixed(2),
      cost.limited.ms.toFixed(2),
      cost.limited.kept.toFixed(1),
      cost.limited.outcome,
    ]),
  );
  printWorst(costs);
  return costs;
}

function printWorst(costs: readonly Cost[]): void {
  const worst = (of: (cost: Cost) => number) =>
    costs.reduce((one, other) => (of(other) > of(one) ? other : one));
  const growth = worst((cost) => cost.growth);
  const ms = worst((cost) => cost.limited.ms);
  const kept = worst((cost) => cost.limited.kept);
  printGoal(
    `at most ${GOALS.growth} × the time for twice the input`,
    `${growth.growth.toFixed(2)} × (${growth.reader}: ${growth.shape})`,
    growth.growth <= GOALS.growth,
  );
  printGoal(
    `at most ${GOALS.ms} ms for 1 MB`,
    `${ms.limited.ms.toFixed(1)} ms (${ms.reader}: ${ms.shape})`,
    ms.limited.ms <= GOALS.ms,
  );
  printGoal(
    `at most ${GOALS.mib} MiB for 1 MB`,
    `${kept.limited.kept.toFixed(1)} MiB (${kept.reader}: ${kept.shape})`,
    kept.limited.kept <= GOALS.mib,
  );
}

function measure(side: Hostility, shape: Shape, sizes: readonly number[]): Cost {
  const inputs = sizes.map((size) => inputOf(shape, size));
  const largest = inputs.at(-1)!;
  const ms = timesOf(side, inputs);
  return {
    reader: side.reader,
    shape: shape.name,
    ms,
    growth: growthOf(ms),
    kept: keptBy(side, largest, wide),
    perByte: (fastest(() => read(side, inputs[0]!, wide, 1), Infinity) / inputs[0]!.length) * 1000,
    limited: {
      ms: fastest(() => read(side, largest, DEFAULT_LIMITS, FAR), GOALS.ms),
      kept: keptBy(side, largest, DEFAULT_LIMITS),
      outcome: read(side, largest, DEFAULT_LIMITS, FAR),
    },
  };
}

/** The largest input of this shape that is no longer than `size` bytes. */
function inputOf(shape: Shape, size: number): Buffer {
  let low = 1;
  let high = 2;
  while (Buffer.byteLength(shape.make(high)) <= size) high *= 2;
  while (high - low > Math.max(1, high / 100)) {
    const middle = (low + high) >> 1;
    if (Buffer.byteLength(shape.make(middle)) <= size) low = middle;
    else high = middle;
  }
  return Buffer.from(shape.make(low));
}

/** The least time for each input, all by turns, until they are within the goal or it is no use. */
function timesOf(side: Hostility, inputs: readonly Buffer[]): number[] {
  const best = inputs.map(() => Infinity);
  for (let round = 0; round < MOST_ROUNDS; round++) {
    inputs.forEach((input, i) => {
      best[i] = Math.min(
        best[i]!,
        timeOf(() => read(side, input, wide, FAR)),
      );
    });
    if (round >= ROUNDS && growthOf(best) <= GOALS.growth) break;
  }
  return best;
}

function growthOf(times: readonly number[]): number {
  return Math.max(...times.slice(1).map((time, i) => time / times[i]!));
}

function fastest(work: () => unknown, goal: number): number {
  let best = Infinity;
  for (let round = 0; round < ROUNDS || (best > goal && round < MOST_ROUNDS); round++) {
    best = Math.min(best, timeOf(work));
  }
  return best;
}

/** What is quick is done a few times, so that the clock is fine enough. */
function timeOf(work: () => unknown): number {
  const start = performance.now();
  let times = 0;
  let spent = 0;
  while (spent < 0.5) {
    work();
    times++;
    spent = performance.now() - start;
  }
  return spent / times;
}

/** Reads an input. @returns how it ended. */
function read(side: Hostility, input: Buffer, limits: Limits, pieceSize: number): string {
  const { reader } = collecting(side, limits);
  try {
    for (let at = 0; at < input.length; at += pieceSize)
      reader.push(input.subarray(at, at + pieceSize));
    reader.end();
    return 'read';
  } catch (error) {
    if (!(error instanceof ReadError) || limits === wide) throw error;
    return error.limit ?? error.code;
  }
}

/** A reader whose texts are put together and kept, as the bindings keep the values of parameters. */
function collecting(side: Hostility, limits: Limits) {
  const texts: string[] = [];
  let text = '';
  const reader = side.create(limits, {
    text: (piece) => {
      text = text === '' ? piece : text + piece;
    },
    close() {
      if (text !== '') texts.push(text);
      text = '';
    },
  });
  return { reader, texts };
}

/** MiB that live at most while an input is read, the input itself left out. */
function keptBy(side: Hostility, input: Buffer, limits: Limits): number {
  collect();
  const before = process.memoryUsage().heapUsed;
  const kept = collecting(side, limits);
  let most = 0;
  const look = () => {
    collect();
    most = Math.max(most, process.memoryUsage().heapUsed - before);
  };
  const size = Math.ceil(input.length / LOOKS);
  try {
    for (let at = 0; at < input.length; at += size) {
      kept.reader.push(input.subarray(at, at + size));
      look();
    }
    kept.reader.end();
  } catch (error) {
    if (!(error instanceof ReadError)) throw error;
    look();
  }
  return kept.texts.length < 0 ? 0 : most / 2 ** 20;
}
