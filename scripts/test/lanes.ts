/** The lanes of the tests, and which file is in which. */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, parse } from 'node:path';

/**
 * What a lane holds of all test files, and its share of the random cases.
 *
 * `fast` is for each save: the engine, and of the service the rooms that an operation lives in, on SQLite. `change` is
 * before each submission: all files but those marked `// night: REASON`, on PostgreSQL those whose
 * subject is the database
 * (`forBothEngines`). `night` is all files on both engines with all random cases. `faults` is what kills processes.
 */
const FAST =
  /^packages\/|^apps\/ws01\/test\/(adapters|config|contract|describe|domain|failure|store|wire)\//;
const FAULTS = /\/test\/(faults|cluster)\//;
export const LANES: Readonly<Record<string, (file: string) => boolean>> = {
  fast: (file) => FAST.test(file) && !startsProcess(file) && !NOT_FAST.test(textOf(file)),
  change: (file) => !NIGHT.test(textOf(file)),
  night: () => true,
  faults: (file) => FAULTS.test(file),
};

/** What starts a process, by the modules that a test needs for it; images are decoded in processes. */
const STARTS_PROCESS =
  /from '(node:child_process|playwright-core|typescript|sharp|[./]+\/kit\/images\/\w+\.ts)'/;
/** `forEachEngine` does not start it in the fast lane. */
const SHARED_SERVER = /\/kit\/(shared-postgres|postgres-server)\.ts$/;
/** What asks for PostgreSQL by its name, and a file with a line `// slow: it sends many megabytes`. */
const NOT_FAST = /Database\('postgres'|startPostgresServer|^\/\/ slow: /m;
/** A line of a file that is for the night: `// night: every bench runs once, at its shortest`. */
const NIGHT = /^\/\/ night: /m;
/** A line of a file that must not share its process with others: `// alone: it measures the memory of its process`. */
const ALONE = /^\/\/ alone: /m;
const BROWSER = /from '(playwright-core|[./]+\/kit\/(browser|chromium)\.ts)'/;
/** These wait for longer than they work: for leases that run out, for processes that end. */
const WAITS = /\/test\/(faults|cluster)\/|^\/\/ waits: /m;

/** The test files of a lane whose path contains one of the patterns, if there are any. */
export function filesOf(lane: string, patterns: readonly string[]): string[] {
  return globSync(['packages/*/test/**/*.test.ts', 'apps/*/test/**/*.test.ts'])
    .sort()
    .filter(
      (file) =>
        LANES[lane]!(file) && (patterns.length === 0 || patterns.some((one) => file.includes(one))),
    );
}

/** What a file shares its process with: others with a `browser`, others that are `waiting`, any `other`, or `none`. */
export function sharesWith(file: string): 'none' | 'browser' | 'waiting' | 'other' {
  const text = textOf(file);
  if (ALONE.test(text)) return 'none';
  if (WAITS.test(file) || WAITS.test(text)) return 'waiting';
  return BROWSER.test(text) ? 'browser' : 'other';
}

/** Whether a test file, or what it imports of the tests, starts processes. */
function startsProcess(file: string, seen = new Set<string>()): boolean {
  if (seen.has(file) || SHARED_SERVER.test(file)) return false;
  seen.add(file);
  return (
    STARTS_PROCESS.test(textOf(file)) ||
    importsOf(file).some((path) => path.includes('/test/') && startsProcess(path, seen))
  );
}

/** Has the compiler read projects, which need the builds of the packages. */
const COMPILES = 'packages/asmx/test/kit/compile.ts';

/** Whether a test file compiles projects. */
export function compiles(file: string): boolean {
  return closureOf(file).has(COMPILES);
}

/** A file and all of ours that it needs, the nearest first. */
export function closureOf(file: string): ReadonlySet<string> {
  const closure = new Set([file]);
  // What is added meanwhile comes, too.
  for (const one of closure) for (const path of importsOf(one)) closure.add(path);
  return closure;
}

/** What a change of concerns every test: dependencies, and what runs the tests. */
const OF_ALL =
  /(^|\/)package(-lock)?\.json$|^tsconfig\.json$|^scripts\/(test|bundles|use-bundles)\b/;

/**
 * Those of some test files that changed files concern: they are the changed files, import them, or name what is read or
 * started and not imported (of the tests' own data its folder is enough).
 */
export function concernedBy(changed: ReadonlySet<string>, files: readonly string[]): string[] {
  if ([...changed].some((path) => OF_ALL.test(path))) return [...files];
  const closures = new Map(files.map((file) => [file, closureOf(file)]));
  const imported = new Set([...closures.values()].flatMap((closure) => [...closure]));
  const named = [...changed].filter((path) => !imported.has(path)).map(nameOf);
  const names = new Map<string, boolean>();
  const isNaming = (one: string) => {
    if (!names.has(one))
      names.set(
        one,
        named.some((name) => name.test(textOf(one))),
      );
    return names.get(one)!;
  };
  return files.filter((file) =>
    [...closures.get(file)!].some((one) => changed.has(one) || isNaming(one)),
  );
}

/** How a file is named by those who read or start it; or the folder of data that it is in. */
function nameOf(path: string): RegExp {
  const { name, base } = parse(path);
  const isModule = /\.[jt]s$/.test(path);
  const names = [isModule ? name : base, ...(isModule ? [] : dataFolderOf(path))];
  return new RegExp(`['"\`/](${names.map(RegExp.escape).join('|')})['"\`/.$]`);
}

/** The name of the outermost folder around it below `test/` that has no test files. */
function dataFolderOf(path: string): string[] {
  const [above, below] = path.split(/(?<=\/test\/)/);
  if (below === undefined) return [];
  let folder = above!;
  for (const name of below.split('/').slice(0, -1)) {
    folder = join(folder, name);
    if (globSync(`${folder}/*.test.ts`).length === 0) return [name];
  }
  return [];
}

const imports = new Map<string, readonly string[]>();

/** Those of our own files that a file names: beside it, or in one of our packages. */
function importsOf(file: string): readonly string[] {
  let found = imports.get(file);
  if (found === undefined) {
    found = [...textOf(file).matchAll(/(?:from|import)[ (]'((?:\.|@ws01\/)[^']+)'/g)]
      .map(([, name]) => (name!.startsWith('.') ? join(dirname(file), name!) : sourceOf(name!)))
      .filter((path) => existsSync(path));
    imports.set(file, found);
  }
  return found;
}

/** What the packages' `exports` lead to in the sources: `@ws01/asmx/node`, `@ws01/asmx/internal/xml/reader`. */
function sourceOf(name: string): string {
  const [, folder = '', entry = ''] = /^@ws01\/([^/]+)\/?(.*)$/.exec(name)!;
  const { exports } = JSON.parse(textOf(join('packages', folder, 'package.json')));
  const own = exports[entry === '' ? '.' : `./${entry}`]?.['ws01-source'];
  return join('packages', folder, own ?? entry.replace(/^internal\/(.*)$/, 'src/$1.ts'));
}

const texts = new Map<string, string>();

function textOf(file: string): string {
  let text = texts.get(file);
  if (text === undefined) {
    text = readFileSync(file, 'utf8');
    texts.set(file, text);
  }
  return text;
}

/** Has files read anew. */
export function forgetTexts(): void {
  texts.clear();
  imports.clear();
}
