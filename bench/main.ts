/** `npm run bench`: runs the benches, see {@link USAGE}. */
import { readdir } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import type { Engine } from '../apps/ws01/src/store/store.ts';
import { type Bench, type BenchOptions, UsageError } from './kit/bench.ts';
import { describeMachine } from './kit/machine.ts';
import { progress } from './kit/report.ts';

/** What runs without a name: the figures of docs/performance.md. */
const SUITE = ['peers', 'clients', 'operations', 'footprint'];

const USAGE = `npm run bench                        the suite: ${SUITE.join(', ')}; one page, about five minutes
npm run bench -- --full              the same, longer; about twenty minutes
npm run bench -- <name> [arguments]  one bench, in full
npm run bench -- list                what there is

--quick              a short run, to see that everything works
--json               prints the figures as JSON, too
--engine postgres    on PostgreSQL instead of SQLite (clients, operations, overload, versus)
`;

try {
  await main();
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  console.error(`${error.message}\n\n${USAGE}`);
  process.exitCode = 2;
}

async function main(): Promise<void> {
  const { values, positionals } = readArguments();
  const benches = await knownBenches();
  const [name, ...args] = positionals;
  if (values.help || name === 'list') {
    console.log(USAGE);
    for (const known of benches) console.log(`${known.padEnd(18)} ${(await load(known)).summary}`);
    return;
  }
  if (name !== undefined && !benches.includes(name))
    throw new UsageError(`There is no bench called ${name}.`);
  const isSuite = name === undefined;
  const options = {
    quick: values.quick,
    short: isSuite && !values.full,
    engine: engineOf(values.engine),
  };
  console.log(describeMachine());
  if (options.quick) console.log('A quick run, to see that it works: the figures say nothing.');
  for (const one of isSuite ? SUITE : [name]) await run(one, args, options, values.json);
}

function readArguments() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        quick: { type: 'boolean', default: false },
        full: { type: 'boolean', default: false },
        json: { type: 'boolean', default: false },
        engine: { type: 'string', default: 'sqlite' },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

function engineOf(text: string): Engine {
  if (text === 'sqlite' || text === 'postgres') return text;
  throw new UsageError(`There is no engine called ${text}; there are sqlite and postgres.`);
}

async function run(
  name: string,
  args: readonly string[],
  options: BenchOptions,
  json: boolean,
): Promise<void> {
  const started = performance.now();
  progress(`${name} begins`);
  console.log(`\n## ${name}\n`);
  const figures = await (await load(name)).run(args, options);
  if (json) console.log(JSON.stringify({ bench: name, ...options, figures }));
  progress(`${name} took ${Math.round((performance.now() - started) / 1000)} s`);
}

async function knownBenches(): Promise<string[]> {
  const files = (await readdir(import.meta.dirname)).filter(
    (file) => file.endsWith('.ts') && file !== 'main.ts',
  );
  return files.map((file) => file.slice(0, -'.ts'.length)).sort();
}

async function load(bench: string): Promise<Bench> {
  return (await import(`./${bench}.ts`)) as Bench;
}
