/**
 * `npm run mutants`: changes the source in one place at a time and sees whether the tests notice. What they do not
 * notice is printed: a rule that no test holds, or a change that makes no difference.
 */
import { spawn } from 'node:child_process';
import {
  cpSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { coveredIn } from './mutants/covered.ts';
import { type Mutant, mutantsOf } from './mutants/sites.ts';
import { ROOT } from './spec/tree.ts';

const HELP = `Changes the source in one place at a time and runs the test files that run this place, those of its own room
first; prints the changes that no test notices.

  npm run mutants                          # 50 changes of each area
  npm run mutants -- store --count 20      # of one area: engine, store or domain
  npm run mutants -- --seed 7 --json       # other places; every change with its verdict as JSON`;

/** The longest that a test file may take as the source is. */
const SLOWEST_FILE_MS = 900_000;
/** How many documents the property tests try; more of them find little more, again and again. */
const RUNS = '500';
/** A machine under load may fail a test once. */
const ATTEMPTS = 2;
/** A test file that takes this and five times its time with a change has lost its way: the change was noticed. */
const HANGS_AFTER_MS = 120_000;
/** How long the tests of one change may take together, by what they take as the source is. */
const LONGEST_JUDGEMENT_MS = 180_000;

/** What is changed, and what must notice. */
const AREAS: Readonly<Record<string, { readonly source: string[]; readonly tests: string[] }>> = {
  engine: {
    source: [
      'packages/asmx/src/{engine,bindings,contract,describe,exchange,fast,lexical,message,node,security,values,xml}/**/*.ts',
      'packages/asmx-tools/src/{client,mcp}/*.ts',
      'packages/fast-http/src/*.ts',
    ],
    tests: [
      'packages/asmx/test/{bindings,contract,doors,engine,fast,lexical,message,node,values,xml}/**/*.test.ts',
      'packages/asmx/test/library/mount.test.ts',
      'apps/ws01/test/{contract/service,describe/{descriptions,disco,openapi,pages,samples,script,wsdl}}.test.ts',
      'packages/asmx-tools/test/doors/*.test.ts',
      'packages/fast-http/test/*.test.ts',
      'apps/ws01/test/wire/**/*.test.ts',
      'apps/ws01/test/security/intake.test.ts',
    ],
  },
  store: {
    source: ['apps/ws01/src/store/*.ts', 'apps/ws01/src/store/{sqlite,postgres}/**/*.ts'],
    // Of the faults, those of the database alone: what kills services takes minutes for each change.
    tests: [
      'apps/ws01/test/store/**/*.test.ts',
      'apps/ws01/test/cli/{backup,database,restore}.test.ts',
      'apps/ws01/test/portable/**/*.test.ts',
      'apps/ws01/test/faults/{bounded-postgres,commit-without-reply,database-away,failing-disk}.test.ts',
    ],
  },
  domain: {
    source: ['apps/ws01/src/domain/**/*.ts'],
    tests: [
      'apps/ws01/test/{domain,journeys,portable}/**/*.test.ts',
      'apps/ws01/test/api/*.test.ts',
      'apps/ws01/test/cli/backup.test.ts',
    ],
  },
};

/** A test file as it runs on the source as it is. */
interface Run {
  readonly test: string;
  readonly ms: number;
  readonly covered: ReadonlySet<Mutant>;
}

interface Judgement {
  /** The test file that noticed; `undefined` when none did. */
  readonly noticedBy: string | undefined;
  /** How many test files run the place. */
  readonly tried: number;
}

interface Verdict extends Mutant, Judgement {
  readonly area: string;
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    count: { type: 'string', default: '50' },
    seed: { type: 'string', default: '1' },
    json: { type: 'boolean' },
    help: { type: 'boolean' },
  },
});
const unknown = positionals.find((name) => AREAS[name] === undefined);
if (values.help) console.log(HELP);
else if (unknown !== undefined || !/^\d+$/.test(values.count)) {
  console.error(
    `mutants: ${unknown === undefined ? '--count is a number' : `${unknown} is no area`}; see --help`,
  );
  process.exitCode = 2;
} else
  await main(
    positionals.length === 0 ? Object.keys(AREAS) : positionals,
    Number(values.count),
    Number(values.seed),
  );

async function main(areas: readonly string[], count: number, seed: number): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'ws01-mutants-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  process.on('SIGINT', () => process.exit(130));
  copyTree(folder);
  const verdicts: Verdict[] = [];
  for (const area of areas) {
    const { source, tests } = AREAS[area]!;
    const all = globSync(source, { cwd: ROOT })
      .sort()
      .flatMap((file) => mutantsOf(file, readFileSync(join(ROOT, file), 'utf8')));
    const chosen = sample(all, count, seed);
    const files = globSync(tests, { cwd: ROOT }).sort();
    console.error(`${area}: ${chosen.length} of ${all.length} changes, ${files.length} test files`);
    const runs: Run[] = [];
    for (const test of files) runs.push(await observe(folder, test, chosen));
    for (const [index, mutant] of chosen.entries()) {
      const { noticedBy, tried } = await judge(folder, mutant, runs);
      verdicts.push({ ...mutant, area, noticedBy, tried });
      const verdict = noticedBy ?? `LIVES (${tried} test files)`;
      console.error(`${index + 1}/${chosen.length} ${told(mutant)}: ${verdict}`);
    }
  }
  report(verdicts);
}

/** Runs a test file on the source as it is, and sees which of the places it runs. */
async function observe(folder: string, test: string, places: readonly Mutant[]): Promise<Run> {
  const coverage = join(folder, 'coverage-of-one');
  mkdirSync(coverage, { recursive: true });
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const startedAt = performance.now();
    const right = await passes(folder, test, SLOWEST_FILE_MS, { NODE_V8_COVERAGE: coverage });
    const covered = coveredIn(coverage, folder, places);
    if (right) return { test, ms: performance.now() - startedAt, covered };
  }
  console.error(`mutants: ${test} fails as the source is; mend it first`);
  process.exit(1);
}

/** The tree; its dependencies are linked, all but our own packages. */
function copyTree(folder: string): void {
  const left = /[\\/](node_modules|\.git|data|coverage)$/;
  cpSync(ROOT, folder, { recursive: true, filter: (path) => path === ROOT || !left.test(path) });
  for (const modules of globSync(['node_modules', '{apps,packages}/*/node_modules'], {
    cwd: ROOT,
  })) {
    mkdirSync(join(folder, modules));
    for (const name of readdirSync(join(ROOT, modules))) {
      if (name !== '@ws01' && name !== 'ws01')
        symlinkSync(join(ROOT, modules, name), join(folder, modules, name));
    }
  }
  mkdirSync(join(folder, 'node_modules/@ws01'));
  for (const name of readdirSync(join(folder, 'packages')))
    symlinkSync(join(folder, 'packages', name), join(folder, 'node_modules/@ws01', name));
  symlinkSync(join(folder, 'apps/ws01'), join(folder, 'node_modules/ws01'));
}

/** @returns the first test file that fails with the change, of those that run the place. */
async function judge(folder: string, mutant: Mutant, runs: readonly Run[]): Promise<Judgement> {
  const path = join(folder, mutant.file);
  const original = readFileSync(path);
  writeFileSync(
    path,
    Buffer.concat([
      original.subarray(0, mutant.start),
      Buffer.from(mutant.after),
      original.subarray(mutant.end),
    ]),
  );
  const order = inOrder(mutant, runs);
  try {
    for (const { test, ms } of order) {
      if (!(await passes(folder, test, HANGS_AFTER_MS + 5 * ms)))
        return { noticedBy: test, tried: order.length };
    }
    return { noticedBy: undefined, tried: order.length };
  } finally {
    writeFileSync(path, original);
  }
}

/** The test of the same name first, those of the same room, then the quick ones; for as long as a change may take. */
function inOrder(mutant: Mutant, runs: readonly Run[]): Run[] {
  const namesake = mutant.file.replace('/src/', '/test/').replace(/\.ts$/, '.test.ts');
  const room = namesake.split('/').slice(0, 4).join('/');
  const far = ({ test }: Run) => (test === namesake ? 0 : test.startsWith(`${room}/`) ? 1 : 2);
  const order = runs
    .filter(({ covered }) => covered.has(mutant))
    .sort((a, b) => far(a) - far(b) || a.ms - b.ms);
  let ms = 0;
  const tooMany = order.findIndex((run) => {
    ms += run.ms;
    return ms > LONGEST_JUDGEMENT_MS;
  });
  return tooMany < 0 ? order : order.slice(0, Math.max(1, tooMany));
}

function passes(
  folder: string,
  test: string,
  withinMs: number,
  env: NodeJS.ProcessEnv = {},
): Promise<boolean> {
  const args = ['--conditions=ws01-source', '--test-reporter=dot', test];
  const child = spawn(process.execPath, args, {
    cwd: folder,
    detached: true,
    stdio: 'ignore',
    env: { RUNS, ...process.env, ...env },
  });
  const kill = () => {
    try {
      process.kill(-child.pid!, 'SIGKILL');
    } catch {
      // It has ended.
    }
  };
  const deadline = setTimeout(kill, withinMs);
  return new Promise((resolve) => {
    child.on('exit', (code) => {
      clearTimeout(deadline);
      kill();
      resolve(code === 0);
    });
  });
}

/** So many of a list, the same for the same seed (Lehmer's generator). */
function sample<T>(list: readonly T[], count: number, seed: number): T[] {
  const left = [...list];
  let state = (seed % 2_147_483_646) + 1;
  const next = () => (state = (state * 48_271) % 2_147_483_647);
  return Array.from(
    { length: Math.min(count, left.length) },
    () => left.splice(next() % left.length, 1)[0]!,
  );
}

function told({ file, line, before, after }: Mutant): string {
  const shown = before.length > 60 ? `${before.slice(0, 57)}...` : before;
  return `${file}:${line} ${shown.replaceAll(/\s+/g, ' ')} -> ${after}`;
}

function report(verdicts: readonly Verdict[]): void {
  if (values.json) {
    console.log(JSON.stringify(verdicts));
    return;
  }
  for (const area of new Set(verdicts.map((one) => one.area))) {
    const own = verdicts.filter((one) => one.area === area);
    const noticed = own.filter((one) => one.noticedBy !== undefined).length;
    console.log(
      `${area}: ${noticed} of ${own.length} changes noticed, ${((100 * noticed) / own.length).toFixed(0)} %`,
    );
  }
  for (const one of verdicts) if (one.noticedBy === undefined) console.log(`  lives: ${told(one)}`);
}
