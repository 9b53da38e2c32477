import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';

/** Two files that are good, and one for each way to fail. */
const FILES = {
  'good-1': `it('is good', () => {});`,
  'good-2': `it('is good', () => {});`,
  crash: `throw new Error('at import');`,
  exits: `it('ends the process', () => process.exit(3));`,
  'exits-well': `it('ends the process', () => { console.log('ℹ tests 1'); process.exit(0); });`,
  hook: `describe('a suite', () => {
    before(() => { throw new Error('before'); });
    it('is not run', () => {});
  });`,
  'hook-of-file': `after(() => { throw new Error('after'); }); it('is good', () => {});`,
  'suite-of-kit': `import { suiteOfKit } from './kit.ts'; suiteOfKit(() => it('fails', () => { throw new Error(); }));`,
  rejection: `it('leaves a promise', () => { Promise.reject(new Error('left')); return new Promise(setImmediate); });`,
  property: `it('is small', () => fc.assert(fc.property(fc.integer(), (n) => n < 1000)));`,
};

/** A working copy whose only tests are {@link FILES}. */
function workingCopy(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'ws01-test-runner-'));
  t.after(() => rmSync(folder, { recursive: true }));
  for (const path of ['scripts', 'apps/ws01/bin', 'package.json'])
    cpSync(path, join(folder, path), { recursive: true });
  symlinkSync(join(process.cwd(), 'node_modules'), join(folder, 'node_modules'));
  const tests = join(folder, 'apps', 'ws01', 'test');
  mkdirSync(tests);
  const imports = `import { after, before, describe, it } from 'node:test'; import fc from 'fast-check';`;
  for (const [name, text] of Object.entries(FILES))
    writeFileSync(join(tests, `${name}.test.ts`), `${imports}\n${text}\n`);
  const kit = `export const suiteOfKit = (declare) => describe('a kind', declare);`;
  writeFileSync(join(tests, 'kit.ts'), `${imports}\n${kit}\n`);
  return folder;
}

test('whatever way a test fails, the last lines of a run have the command that runs it again, once', (t) => {
  const folder = workingCopy(t);
  const run = (...args: readonly string[]) =>
    spawnSync(process.execPath, ['scripts/test.js', 'change', ...args], {
      cwd: folder,
      encoding: 'utf8',
      env: { PATH: process.env.PATH, ...(args.length > 0 ? { SEED: seed } : {}) },
    });
  let seed = '';
  const { status, stdout } = run();
  assert.equal(status, 1);
  seed = /seed: (-?\d+)/.exec(stdout)![1]!;
  const [, commands] = /^✖ 8 failed; to see each again:\n([\s\S]*)$/m.exec(stdout) ?? [];
  const again = (file: string, name?: string) =>
    `npm run test:run -- apps/ws01/test/${file}.test.ts${name === undefined ? '' : ` --name '${name}'`}`;
  const expected = [
    again('crash'),
    again('exits'),
    again('exits-well'),
    again('hook', 'a suite'),
    again('hook-of-file'),
    again('suite-of-kit', 'a kind fails'),
    again('rejection'),
    `SEED=${seed} ${again('property', 'is small')}`,
  ];
  assert.deepEqual(commands?.trim().split(/\n */).toSorted(), expected.toSorted(), stdout);

  const counterexample = (text: string) => /seed: .*\s.*Counterexample: .*/.exec(text)?.[0];
  const second = run('apps/ws01/test/property.test.ts', '--name', 'is small');
  assert.equal(second.status, 1);
  assert.equal(counterexample(second.stdout), counterexample(stdout));
});
