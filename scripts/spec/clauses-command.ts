/** What `npm run -s clauses` does. */
import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { type ClauseReport, checkClauses, type HeldClause, type Sources } from './check-clauses.ts';
import { ROOT } from './tree.ts';

const HELP = `Checks that every clause in docs/spec/ has a test, and that each test named in docs/spec/clauses.md is there.
Exit code 1 when not.

  npm run -s clauses                 the check, what is missing, the amendments that wait
  npm run -s clauses -- S5.11 S2-1   clauses with their tests: one, or those of a section
  npm run -s clauses -- --all        every clause with its tests
  npm run -s clauses -- S5.11 --run  runs the test files of these clauses, too
  npm run -s clauses -- --json       what is shown, as JSON`;

const OPTIONS = {
  all: { type: 'boolean' },
  run: { type: 'boolean' },
  json: { type: 'boolean' },
  help: { type: 'boolean' },
} as const;

/** What was asked, or the line that says what is wrong with it. */
function asked(args: readonly string[]) {
  try {
    const given = { args: [...args], allowPositionals: true, options: OPTIONS } as const;
    const { values, positionals } = parseArgs(given);
    if (values.run && values.json) return '--run prints what the tests print: leave out --json.';
    return { ...values, parts: positionals };
  } catch (error) {
    return (error as Error).message.split('\n')[0]!;
  }
}

function show(clauses: readonly HeldClause[], { clauses: every, amendments }: ClauseReport): void {
  for (const { id, text, tests } of clauses) {
    console.log(
      [`${id}  ${text}`, ...tests.map(({ path, name }) => `    ${path} › ${name}`)].join('\n'),
    );
  }
  const waiting = amendments.filter(({ builtAs }) => builtAs === undefined).map(({ id }) => id);
  console.log(
    `${every.length} clauses, ${every.filter(({ tests }) => tests.length > 0).length} with a test.`,
  );
  console.log(`${amendments.length} amendments, ${amendments.length - waiting.length} built.`);
  if (waiting.length > 0) console.log(`Not built: ${waiting.join(', ')}.`);
}

/** Runs the files of the tests of clauses. @returns whether all of them passed. */
function run(clauses: readonly HeldClause[]): boolean {
  const files = new Set(clauses.flatMap(({ tests }) => tests.map(({ path }) => path)));
  if (files.size === 0) return true;
  console.log(`Running ${files.size} test ${files.size === 1 ? 'file' : 'files'}.`);
  const args = ['--conditions=ws01-source', '--test', ...files];
  // A test that runs this must not make its tests report to it.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  return spawnSync(process.execPath, args, { cwd: ROOT, stdio: 'inherit', env }).status === 0;
}

/**
 * Prints what its arguments ask for.
 * @param sourcesOf what it checks, read only when that is asked for.
 * @returns the exit code.
 */
export function clausesCommand(args: readonly string[], sourcesOf: () => Sources): number {
  const options = asked(args);
  if (typeof options === 'string') {
    console.error(`clauses: ${options} See npm run -s clauses -- --help.`);
    return 2;
  }
  if (options.help) {
    console.log(HELP);
    return 0;
  }
  const report = checkClauses(sourcesOf());
  const { parts, all = parts.length === 0 && (options.run || options.json) } = options;
  const isOf = (part: string) => (id: string) => id === part || id.startsWith(`${part}-`);
  const chosen = report.clauses.filter(({ id }) => all || parts.some((part) => isOf(part)(id)));
  const unknown = parts.filter((part) => !report.clauses.some(({ id }) => isOf(part)(id)));
  if (options.json)
    console.log(JSON.stringify({ ...report, clauses: chosen, moved: undefined }, undefined, 2));
  else show(chosen, report);
  for (const fault of report.faults) console.error(fault);
  for (const part of unknown) {
    console.error(
      `There is no clause or section ${part}; write S5.11-3 or S5.11 (C for the contract, S for the semantics, W for the wire).`,
    );
  }
  const passed = !options.run || run(chosen);
  return report.faults.length + unknown.length > 0 || !passed ? 1 : 0;
}
