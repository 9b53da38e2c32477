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
import { type Mutant, mutantsOf } from './mutants/sites.ts';
import { ROOT } from './spec/tree.ts';

const HELP = `Changes the source in one place at a time and runs the tests; prints the changes that no test notices.

  npm run mutants                          # 50 changes of each area
  npm run mutants -- store --count 20      # of one area: ${'engine, store'}
  npm run mutants -- --seed 7 --json       # other places; every change with its verdict as JSON`;

/** A test file that runs longer has lost its way: the change was noticed. ms. */
const FILE_TIMEOUT_MS = 300_000;

/** What is changed, and what must notice. */
const AREAS: Readonly<Record<string, { readonly source: string[]; readonly tests: string[] }>> = {
  engine: {
    source: ['packages/asmx/src/{engine,bindings,message,lexical,values,xml,node}/**/*.ts'],
    tests: ['packages/asmx/test/**/*.test.ts', 'apps/ws01/test/wire/**/*.test.ts'],
  },
  store: {
    source: ['apps/ws01/src/store/*.ts', 'apps/ws01/src/store/{sqlite,postgres}/**/*.ts'],
    // Of the faults, those of the database alone: what kills services takes minutes for each change.
    tests: [
      'apps/ws01/test/store/**/*.test.ts',
      'apps/ws01/test/faults/{bounded-postgres,commit-without-reply,database-away,failing-disk}.test.ts',
    ],
  },
};

interface Verdict extends Mutant {
  readonly area: string;
  /** The test file that noticed; `undefined` when none did. */
  readonly noticedBy: string | undefined;
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
  console.error(`mutants: ${unknown === undefined ? '--count is a number' : `${unknown} is no area`}; see --help`);
  process.exitCode = 2;
} else
  await main(positionals.length === 0 ? Object.keys(AREAS) : positionals, Number(values.count), Number(values.seed));

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
    const order = globSync(tests, { cwd: ROOT }).sort();
    for (const test of order) {
      if (await passes(folder, test)) continue;
      console.error(`mutants: ${test} fails as the source is; mend it first`);
      process.exit(1);
    }
    const chosen = sample(all, count, seed);
    console.error(`${area}: ${chosen.length} of ${all.length} changes, ${order.length} test files`);
    for (const [index, mutant] of chosen.entries()) {
      const noticedBy = await judge(folder, mutant, order);
      verdicts.push({ ...mutant, area, noticedBy });
      if (noticedBy !== undefined) moveToFront(order, noticedBy);
      console.error(`${index + 1}/${chosen.length} ${noticedBy === undefined ? 'LIVES' : 'noticed'} ${told(mutant)}`);
    }
  }
  report(verdicts);
}

/** The tree; its dependencies are linked, all but our own packages. */
function copyTree(folder: string): void {
  const left = /[\\/](node_modules|\.git|data|coverage)$/;
  cpSync(ROOT, folder, { recursive: true, filter: (path) => path === ROOT || !left.test(path) });
  for (const modules of globSync(['node_modules', '{apps,packages}/*/node_modules'], { cwd: ROOT })) {
    mkdirSync(join(folder, modules));
    for (const name of readdirSync(join(ROOT, modules))) {
      if (name !== '@ws01' && name !== 'ws01') symlinkSync(join(ROOT, modules, name), join(folder, modules, name));
    }
  }
  mkdirSync(join(folder, 'node_modules/@ws01'));
  symlinkSync(join(folder, 'packages/asmx'), join(folder, 'node_modules/@ws01/asmx'));
  symlinkSync(join(folder, 'apps/ws01'), join(folder, 'node_modules/ws01'));
}

/** @returns the first test file that fails with the change. */
async function judge(folder: string, mutant: Mutant, tests: readonly string[]): Promise<string | undefined> {
  const path = join(folder, mutant.file);
  const original = readFileSync(path);
  writeFileSync(
    path,
    Buffer.concat([original.subarray(0, mutant.start), Buffer.from(mutant.after), original.subarray(mutant.end)]),
  );
  try {
    for (const test of tests) if (!(await passes(folder, test))) return test;
    return undefined;
  } finally {
    writeFileSync(path, original);
  }
}

function passes(folder: string, test: string): Promise<boolean> {
  const args = ['--conditions=ws01-source', '--test-reporter=dot', test];
  const child = spawn(process.execPath, args, { cwd: folder, detached: true, stdio: 'ignore' });
  const kill = () => {
    try {
      process.kill(-child.pid!, 'SIGKILL');
    } catch {
      // It has ended.
    }
  };
  const deadline = setTimeout(kill, FILE_TIMEOUT_MS);
  return new Promise((resolve) => {
    child.on('exit', (code) => {
      clearTimeout(deadline);
      kill();
      resolve(code === 0);
    });
  });
}

function moveToFront(order: string[], test: string): void {
  order.splice(order.indexOf(test), 1);
  order.unshift(test);
}

/** So many of a list, the same for the same seed (Lehmer's generator). */
function sample<T>(list: readonly T[], count: number, seed: number): T[] {
  const left = [...list];
  let state = (seed % 2_147_483_646) + 1;
  const next = () => (state = (state * 48_271) % 2_147_483_647);
  return Array.from({ length: Math.min(count, left.length) }, () => left.splice(next() % left.length, 1)[0]!);
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
    console.log(`${area}: ${noticed} of ${own.length} changes noticed, ${((100 * noticed) / own.length).toFixed(0)} %`);
  }
  for (const one of verdicts) if (one.noticedBy === undefined) console.log(`  lives: ${told(one)}`);
}
