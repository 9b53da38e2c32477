import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { coveredIn } from '../../../../scripts/mutants/covered.ts';
import { mutantsOf } from '../../../../scripts/mutants/sites.ts';

const SOURCE = `/** Größe 漢: bytes before the code move what comes after. */
export function far(left: number, right: number): boolean {
  if (left - right > 4_000) report(left);
  return left === right ? false : true;
}
function report(_: number): void {}
`;

it('npm run mutants changes one place at a time, where it says, into what still runs', () => {
  const mutants = mutantsOf('far.ts', SOURCE);
  const told = mutants.map(({ line, before, after }) => `${line}: ${before} -> ${after}`);
  assert.deepEqual(told.sort(), [
    '3: - -> +',
    '3: 4_000 -> 40000',
    '3: > -> >=',
    '3: left - right > 4_000 -> false as boolean',
    '3: left - right > 4_000 -> true as boolean',
    '3: report(left); -> ;',
    '4: === -> !==',
    '4: false -> true',
    '4: left === right -> false as boolean',
    '4: left === right -> true as boolean',
    '4: true -> false',
  ]);
  const bytes = Buffer.from(SOURCE);
  for (const { start, end, after } of mutants) {
    const changed = Buffer.concat([
      bytes.subarray(0, start),
      Buffer.from(after),
      bytes.subarray(end),
    ]).toString();
    assert.notEqual(stripTypeScriptTypes(changed), stripTypeScriptTypes(SOURCE));
  }
});

it('npm run mutants knows which places a test runs', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'ws01-covered-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const coverage = join(folder, 'coverage');
  mkdirSync(coverage);
  writeFileSync(join(folder, 'far.ts'), SOURCE);
  writeFileSync(join(folder, 'far.test.ts'), "import { far } from './far.ts';\nfar(2, 1);\n");
  execFileSync(process.execPath, [join(folder, 'far.test.ts')], {
    env: { NODE_V8_COVERAGE: coverage },
  });
  const covered = coveredIn(coverage, folder, mutantsOf('far.ts', SOURCE));
  assert.deepEqual([...new Set([...covered].map(({ before }) => before))].sort(), [
    '-',
    '4_000',
    '===',
    '>',
    'left - right > 4_000',
    'left === right',
    'true',
  ]);
  assert.deepEqual(readdirSync(coverage), []);
});
