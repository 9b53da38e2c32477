/**
 * `npm run corpus -- FOLDER [--every N]`: takes every WSDL of a folder, or every Nth, the whole way: read, written as a
 * project, compiled under `strict`, served, its WSDL compared with the old one, and a value of each element sent there and
 * back.
 */
import { parseArgs } from 'node:util';
import { compileAll } from './compile.ts';
import { corpusFiles } from './files.ts';
import { type Outcome, take } from './take.ts';

const { values, positionals } = parseArgs({
  options: {
    every: { type: 'string', default: '1' },
    json: { type: 'boolean' },
    help: { type: 'boolean' },
  },
  allowPositionals: true,
});
const [folder] = positionals;
const every = Number(values.every);
if (folder === undefined || values.help || !Number.isSafeInteger(every) || every < 1) {
  console.log(
    'npm run corpus -- FOLDER [--every N] [--json]\n\nTakes every WSDL of a folder the whole way, or every Nth, and counts.',
  );
  process.exit(values.help ? 0 : 2);
}

const files = (await corpusFiles(folder)).filter((_, index) => index % every === 0);
const outcomes: Outcome[] = [];
for (const [index, file] of files.entries()) {
  if (index % 100 === 0) process.stderr.write(`${index} of ${files.length} …\n`);
  outcomes.push(await take(file));
}
const compiled = await compileAll(outcomes);
const all = outcomes.map((outcome) => compiled.get(outcome.file) ?? outcome);

const count = (step: Outcome['step']) => all.filter((outcome) => outcome.step === step).length;
const passed = count('passed');
const failed =
  count('compile') + count('serve') + count('differs') + count('round trip') + count('defect');
const whole = passed + failed + count('refused');
const off = count('off profile');
const share = (of: number) => (of === 0 ? 0 : ((100 * passed) / of).toFixed(1));
const summary = {
  files: files.length,
  'no service over HTTP': count('no service'),
  invalid: count('invalid'),
  'against the WS-I Basic Profile 1.1, refused by rule': off,
  'valid, with a service': whole,
  passed,
  refused: count('refused'),
  failed,
};
if (values.json) {
  console.log(
    JSON.stringify({
      summary,
      outcomes: all.map(({ file, step, reason }) => ({ file, step, reason })),
    }),
  );
} else {
  for (const { step, file, reason } of all) {
    if (step !== 'passed' && step !== 'no service' && step !== 'invalid')
      console.log(`${step}: ${file}: ${reason}`);
  }
  for (const [what, number] of Object.entries(summary))
    console.log(`${String(number).padStart(6)} ${what}`);
  console.log(
    `${share(whole)} % of those that are valid and hold a service pass; ${share(whole + off)} % with those against the profile.`,
  );
}
process.exitCode = failed === 0 ? 0 : 1;
