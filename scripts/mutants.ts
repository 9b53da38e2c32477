/**
 * `npm run mutants`: changes the source in one place at a time and sees whether the tests notice. What they do not
 * notice is printed: a rule that no test holds, or a change that makes no difference.
 */
import { spawn } from 'node:child_process';
import {
  cpSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Mutant, mutantsOf } from './mutants/sites.ts';
import { ROOT } from './spec/tree.ts';
import { closureOf, sharesWith } from './test/lanes.ts';
import { makeTemporary } from './test/temporary.ts';

const HELP = `Changes the source in one place at a time and runs the test files that need this source, the nearest first;
prints the changes that no test notices.

  npm run mutants                          # 50 changes of each area
  npm run mutants -- store --count 20      # of one area: engine, store or domain
  npm run mutants -- --seed 7 --json       # other places; every change with its verdict as JSON
  npm run mutants -- --minutes 30          # begins no other change after so long; default: 60`;

/** A test file that takes so long with a change, and less without, has lost its way: the change was noticed. */
const HANGS_AFTER_MS = 120_000;
/** For so long test files are begun for one change. */
const LONGEST_JUDGEMENT_MS = 180_000;
const MINUTE = 60_000;
/** After the nearest test file, so many are run in one process: most of the time of one is its start. */
const AT_ONCE = 8;

interface Area {
  /** In the fast lane PostgreSQL is not asked. */
  readonly lane: 'change' | 'fast';
  readonly source: readonly string[];
  readonly tests: readonly string[];
}

/** What is changed, and what must notice. */
const AREAS: Readonly<Record<string, Area>> = {
  engine: {
    lane: 'fast',
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
      'apps/ws01/test/security/intake-*.test.ts',
    ],
  },
  store: {
    lane: 'change',
    source: ['apps/ws01/src/store/*.ts', 'apps/ws01/src/store/{sqlite,postgres}/**/*.ts'],
    // Of the faults, those of the database alone: what kills services takes minutes for each change.
    tests: [
      'apps/ws01/test/store/**/*.test.ts',
      'apps/ws01/test/cli/{backup,backup-to,backups-in-s3,database,dumps,restore}.test.ts',
      'apps/ws01/test/portable/**/*.test.ts',
      'apps/ws01/test/faults/{bounded-postgres,commit-without-reply,database-away,failing-disk}.test.ts',
    ],
  },
  domain: {
    lane: 'fast',
    source: ['apps/ws01/src/domain/**/*.ts'],
    tests: [
      'apps/ws01/test/{domain,journeys,portable}/**/*.test.ts',
      'apps/ws01/test/api/*.test.ts',
      'apps/ws01/test/cli/{backup,verify-backup}.test.ts',
    ],
  },
};

const temporary = makeTemporary();
/** Test files, and whether they pass as the source is. */
const green = new Map<string, Promise<boolean>>();

interface Judgement {
  /** The test file that noticed; `undefined` when none did. */
  readonly noticedBy: string | undefined;
  /** How many test files were run. */
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
    minutes: { type: 'string', default: '60' },
    json: { type: 'boolean' },
    help: { type: 'boolean' },
  },
});
const unknown = positionals.find((name) => AREAS[name] === undefined);
if (values.help) console.log(HELP);
else if (unknown !== undefined || !/^\d+ \d+$/.test(`${values.count} ${values.minutes}`)) {
  const wrong =
    unknown === undefined ? '--count and --minutes are numbers' : `${unknown} is no area`;
  console.error(`mutants: ${wrong}; see --help`);
  process.exitCode = 2;
} else
  await main(
    positionals.length === 0 ? Object.keys(AREAS) : positionals,
    Number(values.count),
    Number(values.seed),
  );

async function main(areas: readonly string[], count: number, seed: number): Promise<void> {
  const endsAt = performance.now() + Number(values.minutes) * MINUTE;
  process.chdir(ROOT);
  const folder = join(temporary, 'tree');
  process.on('SIGINT', () => process.exit(130));
  copyTree(folder);
  const verdicts: Verdict[] = [];
  for (const area of areas) {
    const { lane, source, tests } = AREAS[area]!;
    const all = globSync(source)
      .sort()
      .flatMap((file) => mutantsOf(file, readFileSync(file, 'utf8')));
    const chosen = sample(all, count, seed);
    const files = globSync(tests).sort();
    console.error(`${area}: ${chosen.length} of ${all.length} changes, ${files.length} test files`);
    for (const [index, mutant] of chosen.entries()) {
      if (performance.now() > endsAt) {
        console.error(`${area}: ${values.minutes} minutes are over after ${index} changes`);
        break;
      }
      process.stderr.write(`${index + 1}/${chosen.length} ${told(mutant)}: `);
      const { noticedBy, tried } = await judge({ folder, lane }, mutant, nearest(mutant, files));
      verdicts.push({ ...mutant, area, noticedBy, tried });
      console.error(noticedBy ?? `LIVES (${tried} test files)`);
    }
  }
  report(verdicts);
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

/** Where test files are run, and as of which lane. */
interface Place {
  readonly folder: string;
  readonly lane: Area['lane'];
}

/** @returns the first test file that fails with the change and passes without it. */
async function judge(place: Place, mutant: Mutant, tests: readonly string[]): Promise<Judgement> {
  const endsAt = performance.now() + LONGEST_JUDGEMENT_MS;
  let tried = 0;
  for (const group of groupsOf(tests)) {
    if (performance.now() > endsAt) break;
    tried += group.length;
    if (await passesWith(place, mutant, group)) continue;
    for (const test of group) {
      const noticed = group.length === 1 || !(await passesWith(place, mutant, [test]));
      if (noticed && (await isGreen(place, test))) return { noticedBy: test, tried };
    }
  }
  return { noticedBy: undefined, tried };
}

/** What is run in one process each: the first alone, and those that do not share one. */
function groupsOf(tests: readonly string[]): string[][] {
  const groups: string[][] = [];
  let open: string[] = [];
  for (const [index, test] of tests.entries()) {
    const alone = index === 0 || sharesWith(test) !== 'other';
    if (alone) groups.push([test]);
    else {
      if (open.length % AT_ONCE === 0) {
        open = [];
        groups.push(open);
      }
      open.push(test);
    }
  }
  return groups;
}

async function passesWith(
  place: Place,
  mutant: Mutant,
  tests: readonly string[],
): Promise<boolean> {
  const path = join(place.folder, mutant.file);
  const original = readFileSync(path);
  const [before, behind] = [original.subarray(0, mutant.start), original.subarray(mutant.end)];
  writeFileSync(path, Buffer.concat([before, Buffer.from(mutant.after), behind]));
  try {
    return await passes(place, tests);
  } finally {
    writeFileSync(path, original);
  }
}

/** Whether a test file passes as the source is. What does not says nothing about a change. */
function isGreen(place: Place, test: string): Promise<boolean> {
  const found = green.get(test) ?? passes(place, [test]);
  green.set(test, found);
  return found;
}

/** The test files that need the changed source: that of the same name, those of the same room, then the nearest. */
function nearest({ file }: Mutant, tests: readonly string[]): string[] {
  const namesake = file.replace('/src/', '/test/').replace(/\.ts$/, '.test.ts');
  const room = namesake.split('/').slice(0, 4).join('/');
  const far = (test: string) => {
    if (test === namesake) return 0;
    return test.startsWith(`${room}/`) ? 1 : 2;
  };
  return tests
    .map((test) => ({ test, far: far(test), at: [...closureOf(test)].indexOf(file) }))
    .filter(({ at }) => at >= 0)
    .sort((a, b) => a.far - b.far || a.at - b.at)
    .map(({ test }) => test);
}

function passes({ folder, lane }: Place, tests: readonly string[]): Promise<boolean> {
  const args = [
    '--conditions=ws01-source',
    '--import=./scripts/use-bundles.js',
    '--test-force-exit',
    '--test-reporter=dot',
    'scripts/test/main.js',
    ...tests,
  ];
  const child = spawn(process.execPath, args, {
    cwd: folder,
    detached: true,
    stdio: 'ignore',
    env: {
      TEST_LANE: lane,
      NODE_COMPILE_CACHE: join(folder, 'compiled'),
      ...process.env,
      TMPDIR: temporary,
    },
  });
  const kill = () => {
    try {
      process.kill(-child.pid!, 'SIGKILL');
    } catch {
      // It has ended.
    }
  };
  const deadline = setTimeout(kill, HANGS_AFTER_MS);
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
