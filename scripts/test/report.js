/** What a run of tests says at its end. */
import { COUNTED } from './run.js';

const MOST_SHOWN = 10;
/** Of the reason of a failure: lines, and UTF-16 code units of a line. */
const REASON_LINES = 12;
const REASON_LENGTH = 200;
const SECOND = 1_000;
const MINUTE = 60_000;

/**
 * Prints where the time went, how many tests there were, and of each that failed the reason and, last of all, a line that
 * runs it again.
 * @param results of `runFiles`.
 * @returns whether all passed.
 */
export function report(results, lane, ms) {
  line('most processor time, of the files and the processes that they started:');
  const cpu = results.flatMap((result) => [...result.cpu]).sort(([, a], [, b]) => b - a);
  for (const [file, time] of cpu.slice(0, MOST_SHOWN))
    line(`${(time / SECOND).toFixed(1).padStart(7)} s  ${file}`);
  line('longest by the clock:');
  const longest = results.filter(({ files }) => files.length === 1).sort((a, b) => b.ms - a.ms);
  for (const result of longest.slice(0, MOST_SHOWN)) {
    line(`${(result.ms / SECOND).toFixed(1).padStart(7)} s  ${result.files[0]}`);
  }
  const holding = results.filter(({ held }) => held.length > 0);
  if (holding.length > 0) line('left open by tests, which kept the process from its end:');
  for (const { files, held } of holding)
    line(`  ${[...new Set(held)].join(' ')}  ${files.join(' ')}`);
  for (const name of COUNTED) {
    line(`ℹ ${name} ${results.reduce((sum, { counts }) => sum + (counts[name] ?? 0), 0)}`);
  }
  const total = cpu.reduce((sum, [, time]) => sum + time, 0);
  line(
    `ℹ processor time ${(total / MINUTE).toFixed(1)} minutes, ${(ms / MINUTE).toFixed(1)} by the clock`,
  );
  const failures = results.flatMap((result) => result.failures);
  if (failures.length === 0) return true;
  line('✖ failures:');
  for (const { file, name, reason } of failures) {
    line(`  ${file}${name === undefined ? '' : `: ${name}`}`);
    for (const one of reason.split('\n').filter(says).slice(0, REASON_LINES))
      line(`      ${one.slice(0, REASON_LENGTH)}`);
  }
  line(`✖ ${failures.length} failed; to see each again:`);
  for (const failure of failures) line(`  ${commandFor(failure, lane)}`);
  return false;
}

function says(line) {
  return line.trim() !== '' && !/^\s+at .*node:/.test(line);
}

/** With the seed of the random cases, if the reason names one. A failure of a file itself has the name of the file. */
function commandFor({ file, name, reason }, lane) {
  const seed = /\bseed: (-?\d+)/i.exec(reason)?.[1];
  const command = lane === 'change' ? 'test:run' : `test:${lane}`;
  const chosen =
    name === undefined || name.endsWith(file)
      ? ''
      : ` --name '${name.replaceAll("'", String.raw`'\''`)}'`;
  return `${seed === undefined ? '' : `SEED=${seed} `}npm run ${command} -- ${file}${chosen}`;
}

function line(text) {
  process.stdout.write(`${text}\n`);
}
