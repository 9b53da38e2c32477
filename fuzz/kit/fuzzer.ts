import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Random } from '../../packages/asmx/test/kit/random.ts';
import { Coverage } from './coverage.ts';
import { Mutator } from './mutator.ts';
import type { Target } from './target.ts';

const CORPORA = fileURLToPath(new URL('../corpus/', import.meta.url));

/** Coverage is looked at after so many inputs; when there is something new, they are run again one by one. */
const BATCH = 64;
/** CPU time that an input of at most 16 KiB may take in all of its readings, some six; ms. It is tried again before it counts. */
const MOST_CPU_MS = 200;
const TRIALS = 3;

/** An input with which something does not hold. */
export class Finding extends Error {
  readonly input: Buffer;

  constructor(input: Buffer, cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.input = input;
  }
}

export interface FuzzOptions {
  /** Ends it; ms. */
  readonly durationMs?: number;
  /** Ends it. */
  readonly executions?: number;
  readonly seed: number;
  /** Whether CPU time is judged: not where others have the machine. */
  readonly judgeTime: boolean;
  readonly onProgress?: (progress: FuzzReport) => void;
}

export interface FuzzReport {
  readonly executions: number;
  /** Characters of our sources that were run. */
  readonly covered: number;
  readonly corpus: number;
  /** Inputs that ran something new. */
  readonly added: readonly Buffer[];
}

export async function readCorpus(name: string): Promise<Buffer[]> {
  const folder = join(CORPORA, name);
  const files = await readdir(folder).catch((): string[] => []);
  return Promise.all(files.sort().map((file) => readFile(join(folder, file))));
}

/** Keeps inputs; a file is called by its content. */
export async function keep(name: string, inputs: readonly Buffer[]): Promise<void> {
  const folder = join(CORPORA, name);
  await mkdir(folder, { recursive: true });
  for (const input of inputs) await writeFile(join(folder, fileName(input)), input);
}

export function fileName(input: Buffer): string {
  return createHash('sha256').update(input).digest('hex').slice(0, 16);
}

/** Runs a target over its corpus, and over what becomes of it by changes, steered to what runs something new. */
export async function fuzz(target: Target, options: FuzzOptions): Promise<FuzzReport> {
  const corpus = [
    ...(await readCorpus(target.name)),
    ...target.seeds.map((seed) => Buffer.from(seed as string)),
  ];
  const random = new Random(options.seed);
  const mutator = new Mutator(random, target.tokens);
  const coverage = new Coverage();
  const added: Buffer[] = [];
  let executions = 0;
  const report = (): FuzzReport => ({
    executions,
    covered: coverage.covered,
    corpus: corpus.length,
    added,
  });
  const run = async (input: Buffer) => {
    executions++;
    try {
      await target.run(input);
    } catch (error) {
      throw new Finding(input, error);
    }
  };
  const { executions: most = Number.POSITIVE_INFINITY } = options;
  const deadline = performance.now() + (options.durationMs ?? Number.POSITIVE_INFINITY);
  coverage.start();
  try {
    for (const input of corpus) await run(input);
    coverage.take();
    while (executions < most && performance.now() < deadline) {
      const length = Math.min(BATCH, most - executions);
      const batch = Array.from({ length }, () => mutator.mutate(random.of(corpus), corpus));
      const before = process.cpuUsage();
      for (const input of batch) await run(input);
      const { user, system } = process.cpuUsage(before);
      if (options.judgeTime && (user + system) / 1000 > MOST_CPU_MS)
        for (const input of batch) await judgeTime(target, input);
      if (coverage.take() > 0) await keepNew(batch);
      options.onProgress?.(report());
    }
    return report();
  } finally {
    coverage.stop();
  }

  /** Runs them again, to learn which of them it was. */
  async function keepNew(batch: readonly Buffer[]): Promise<void> {
    coverage.undo();
    for (const input of batch) {
      await run(input);
      if (coverage.take() === 0) continue;
      corpus.push(input);
      added.push(input);
    }
  }
}

async function judgeTime(target: Target, input: Buffer): Promise<void> {
  let least = Number.POSITIVE_INFINITY;
  for (let trial = 0; trial < TRIALS && least > MOST_CPU_MS; trial++) {
    const before = process.cpuUsage();
    await target.run(input);
    const { user, system } = process.cpuUsage(before);
    least = Math.min(least, (user + system) / 1000);
  }
  if (least > MOST_CPU_MS)
    throw new Finding(input, `It takes ${least.toFixed(0)} ms of CPU for ${input.length} bytes.`);
}
