/** `npm run -s clauses`: whether every clause of the specification has its test. */
import { parseArgs } from 'node:util';
import { checkClauses, committedSources } from './spec/check-clauses.ts';

const HELP = `Checks that every clause in docs/spec/ has a test, and that each test named in docs/spec/clauses.md is there.
Exit code 1 when not.

  npm run -s clauses                 the check, what is missing, the amendments that wait
  npm run -s clauses -- S5.11 S2-1   clauses with their tests: one, or those of a section
  npm run -s clauses -- --all        every clause with its tests
  npm run -s clauses -- --json       the same as JSON`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { all: { type: 'boolean' }, json: { type: 'boolean' }, help: { type: 'boolean' } },
});

if (values.help) {
  console.log(HELP);
} else {
  const { clauses, amendments, faults } = checkClauses(committedSources());
  const isAsked = (id: string) => values.all || positionals.some((part) => id === part || id.startsWith(`${part}-`));
  const asked = clauses.filter(({ id }) => isAsked(id));
  const unknown = positionals.filter((part) => !asked.some(({ id }) => id === part || id.startsWith(`${part}-`)));
  if (values.json) {
    const shown = positionals.length > 0 ? asked : clauses;
    console.log(JSON.stringify({ clauses: shown, amendments, faults }, undefined, 2));
  } else {
    for (const { id, text, tests } of asked) {
      console.log([`${id}  ${text}`, ...tests.map(({ path, name }) => `    ${path} › ${name}`)].join('\n'));
    }
    const waiting = amendments.filter(({ builtAs }) => builtAs === undefined).map(({ id }) => id);
    const held = clauses.filter(({ tests }) => tests.length > 0).length;
    console.log(`${clauses.length} clauses, ${held} with a test.`);
    console.log(`${amendments.length} amendments, ${amendments.length - waiting.length} built.`);
    if (waiting.length > 0) console.log(`Not built: ${waiting.join(', ')}.`);
  }
  for (const fault of faults) console.error(fault);
  for (const part of unknown)
    console.error(
      `There is no clause or section ${part}; write S5.11-3 or S5.11 (C for the contract, S for the semantics, W for the wire).`,
    );
  process.exitCode = faults.length + unknown.length > 0 ? 1 : 0;
}
