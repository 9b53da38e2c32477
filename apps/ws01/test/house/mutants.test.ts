import assert from 'node:assert/strict';
import { stripTypeScriptTypes } from 'node:module';
import { it } from 'node:test';
import { mutantsOf } from '../../../../scripts/mutants/sites.ts';
import { closureOf } from '../../../../scripts/test/lanes.ts';

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

it('what a test needs is known, the nearest first, also by the entries of our packages', () => {
  const test = 'packages/asmx/test/values/required.test.ts';
  const closure = [...closureOf(test)];
  assert.deepEqual(closure.slice(0, 2), [test, 'packages/asmx/src/index.ts']);
  assert.ok(closure.includes('packages/asmx/src/xml/reader.ts'));
  const handlers = closureOf('apps/ws01/src/app/endpoint.ts');
  assert.ok(handlers.has('packages/asmx/src/fast/index.ts'), '@ws01/asmx/fast');
  assert.ok(handlers.has('packages/asmx/src/contract/service.ts'), '@ws01/asmx/internal/…');
  assert.ok(!handlers.has('apps/ws01/src/cli/main.ts'));
});
