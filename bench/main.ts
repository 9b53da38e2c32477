/** `npm run bench`: runs the benches, see {@link USAGE}. */
import { readdir } from 'node:fs/promises';
import { cpus, release } from 'node:os';
import { parseArgs } from 'node:util';
import type { Bench, BenchOptions } from './kit/bench.ts';
import { progress } from './kit/report.ts';

/** What runs without a name: the figures of docs/performance.md, a quarter of an hour. */
const SUITE = ['peers', 'operations', 'article', 'latency', 'footprint'];

const USAGE = `npm run bench                        the suite: ${SUITE.join(', ')}; about a quarter of an hour
npm run bench -- <name> [arguments]  one bench
npm run bench -- list                what there is

--quick              a short run, to see that everything works
--json               prints the figures as JSON, too
--engine postgres    on PostgreSQL instead of SQLite (operations, article, latency)
`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    engine: { type: 'string', default: 'sqlite' },
    help: { type: 'boolean', short: 'h', default: false },
  },
});
const benches = await knownBenches();
const [name, ...args] = positionals;

if (values.help || name === 'list') {
  console.log(USAGE);
  for (const known of benches) console.log(`${known.padEnd(18)} ${(await load(known)).summary}`);
} else if (values.engine !== 'sqlite' && values.engine !== 'postgres') {
  fail(`There is no engine called ${values.engine}; there are sqlite and postgres.`);
} else if (name !== undefined && !benches.includes(name)) {
  fail(`There is no bench called ${name}; npm run bench -- list shows what there is.`);
} else {
  await runAll(name === undefined ? SUITE : [name], { quick: values.quick, engine: values.engine });
}

async function runAll(names: readonly string[], options: BenchOptions): Promise<void> {
  console.log(`Node ${process.versions.node}, Linux ${release()}, ${cpus().length} × ${cpus()[0]?.model}`);
  for (const one of names) {
    const started = performance.now();
    progress(`${one} begins`);
    console.log(`\n## ${one}`);
    const figures = await (await load(one)).run(args, options);
    if (values.json) console.log(JSON.stringify({ bench: one, ...options, figures }));
    progress(`${one} took ${Math.round((performance.now() - started) / 1000)} s`);
  }
}

async function knownBenches(): Promise<string[]> {
  const files = (await readdir(import.meta.dirname)).filter((file) => file.endsWith('.ts') && file !== 'main.ts');
  return files.map((file) => file.slice(0, -'.ts'.length)).sort();
}

async function load(bench: string): Promise<Bench> {
  return (await import(`./${bench}.ts`)) as Bench;
}

function fail(line: string): void {
  console.error(line);
  process.exitCode = 2;
}
