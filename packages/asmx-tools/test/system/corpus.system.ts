// takes: FOLDER
/**
 * Takes every WSDL below a folder the whole way: imported, compiled under `strict`, served, a
 * value of each element sent there and back, each operation called by its sample and answered by
 * another; libxml2 judges the messages by the old schemas, and zeep looks at both WSDLs, where
 * Debian's python3-zeep is there. Prints a table with a row for each folder of the folder, and
 * the causes of what did not pass.
 */
import assert from 'node:assert/strict';
import { relative, sep } from 'node:path';
import { test } from 'node:test';
import { compileAll } from './corpus/compile.ts';
import { corpusFiles } from './corpus/files.ts';
import { judge, type Verdict } from './corpus/judge.ts';
import { type Outcome, take } from './corpus/take.ts';

const FOLDER = process.env.SYSTEM_FOLDER ?? '';
/** Projects that one run of the compiler takes. */
const AT_ONCE = 150;

const COLUMNS = [
  ...['WSDLs', 'no service over HTTP', 'no WSDL', 'dangling', 'tries', 'imported', 'calls'],
  ...['requests valid', 'answers valid', 'zeep loads ours, where the old', 'sees the same'],
];

test('every WSDL of a folder', async () => {
  const files = await corpusFiles(FOLDER);
  const all: Outcome[] = [];
  const verdicts = new Map<Outcome, Verdict>();
  for (let at = 0; at < files.length; at += AT_ONCE) {
    process.stderr.write(`${at} of ${files.length} …\n`);
    const taken: Outcome[] = [];
    for (const file of files.slice(at, at + AT_ONCE)) taken.push(await take(file));
    const failed = await compileAll(taken);
    for (const [outcome, verdict] of await judge(taken)) verdicts.set(outcome, verdict);
    all.push(...taken.map((each) => failed.get(each.file) ?? { ...each, files: {} }));
    for (const [index, each] of taken.entries())
      if (verdicts.has(each)) verdicts.set(all[at + index]!, verdicts.get(each)!);
  }
  print(all, verdicts);
  const wrong = all.filter(({ step }) =>
    ['compile', 'serve', 'round trip', 'defect'].includes(step),
  );
  assert.deepEqual(
    wrong.map(({ file, reason }) => `${file}: ${reason}`),
    [],
  );
  const calls = all.flatMap((each) => each.calls);
  assert.deepEqual(
    calls.flatMap(({ malformed }) => malformed),
    [],
  );
  assert.deepEqual(
    calls.flatMap(({ failures }) => failures),
    [],
  );
});

function print(all: readonly Outcome[], verdicts: ReadonlyMap<Outcome, Verdict>): void {
  const rows = Map.groupBy(all, ({ file }) => relative(FOLDER, file).split(sep)[0]!);
  console.log(`| folder | ${COLUMNS.join(' | ')} |\n| --- |${' ---: |'.repeat(COLUMNS.length)}`);
  for (const [name, outcomes] of rows) console.log(row(name, outcomes, verdicts));
  if (rows.size > 1) console.log(row('all', all, verdicts));
  const causes = Map.groupBy(
    all.flatMap(({ step, reason, leftOut, file }) => [
      ...(step === 'passed' || step === 'no service'
        ? []
        : [{ cause: `${step}: ${reason}`, file }]),
      ...leftOut.map((cause) => ({ cause: `left out: ${cause}`, file })),
    ]),
    ({ cause }) => cause.replace(/[\w.:/{}#?&=-]*[A-Z/.][\w.:/{}#?&=-]*/g, '…'),
  );
  console.log('\ncauses, the most frequent first, each with one of its WSDLs:');
  for (const [, each] of [...causes].sort(([, a], [, b]) => b.length - a.length))
    console.log(
      `${String(each.length).padStart(5)} ${each[0]!.cause.slice(0, 200)} (${relative(FOLDER, each[0]!.file)})`,
    );
  for (const [{ file }, { requests, answers, old, ours }] of verdicts) {
    const name = relative(FOLDER, file);
    for (const wrong of requests?.wrong ?? []) console.log(`request: ${name}: ${wrong}`);
    for (const wrong of answers?.wrong ?? []) console.log(`answer: ${name}: ${wrong}`);
    if (old === null && ours) console.log(`zeep: ${name}: ${ours}`);
  }
}

function row(
  name: string,
  outcomes: readonly Outcome[],
  verdicts: ReadonlyMap<Outcome, Verdict>,
): string {
  const count = (...steps: readonly Outcome['step'][]) =>
    outcomes.filter(({ step }) => steps.includes(step)).length;
  const none = count('no service', 'no WSDL', 'dangling');
  const tries = outcomes.length - none;
  const calls = outcomes.flatMap((each) => each.calls);
  const asked = calls.reduce((sum, each) => sum + each.count, 0);
  const failed = calls.reduce((sum, { failures }) => sum + failures.length, 0);
  const judged = outcomes.flatMap((each) => verdicts.get(each) ?? []);
  const valid = (kind: 'requests' | 'answers') => {
    const each = judged.flatMap((verdict) => verdict[kind] ?? []);
    const of = each.reduce((sum, one) => sum + one.judged, 0);
    return `${of - each.reduce((sum, { wrong }) => sum + wrong.length, 0)} of ${of}`;
  };
  const loaded = judged.filter(({ old }) => old === null);
  const cells = [
    ...[name, outcomes.length, count('no service'), count('no WSDL'), count('dangling'), tries],
    `${count('passed')} (${tries === 0 ? 0 : ((100 * count('passed')) / tries).toFixed(1)} %)`,
    `${asked - failed} of ${asked}`,
    ...[valid('requests'), valid('answers')],
    `${loaded.filter(({ ours }) => ours === null).length} of ${loaded.length}`,
    loaded.filter(({ same }) => same === true).length,
  ];
  return `| ${cells.join(' | ')} |`;
}
