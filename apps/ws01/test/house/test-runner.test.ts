import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';

const HIDES_CODE = `process.on('exit', () => { process.exitCode = 0; });`;

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
  'rejection-late': `it('is good', () => {}); after(() => { setTimeout(() => Promise.reject(new Error('late')), 20); });`,
  'error-late': `it('is good', () => {}); after(() => { setTimeout(() => { throw new Error('late'); }, 20); });`,
  'error-hidden': `${HIDES_CODE} it('is good', () => { setTimeout(() => { throw new Error('late'); }, 20); });`,
  'fails-hidden': `${HIDES_CODE} it('fails', () => { throw new Error(); });`,
  'exits-late': `it('is good', () => {}); after(() => { setTimeout(() => process.exit(0), 1); });`,
  only: `it('fails', () => { throw new Error(); }); describe('a suite', () => { it('is chosen', { only: true }, () => {}); });`,
  none: `export const nothing = 0;`,
  waits: `describe('a suite', () => it('waits in vain', () => new Promise(() => {}))); it('is run', () => {});`,
  'waits-twice': `for (const name of ['one', 'two']) it(name, () => new Promise(() => {}));`,
  'hook-waits': `describe('a suite', () => { before(() => new Promise(() => {})); it('is not run', () => {}); });`,
  'hook-each-waits': `let runs = 0; beforeEach(() => ++runs === 2 && new Promise(() => {})); for (const name of ['one', 'two', 'three']) it(name, () => {});`,
  'hook-after-waits': `it('waits for its end', (t) => t.after(() => new Promise(() => {})));`,
  'top-level-waits': `it('is good', () => {}); await new Promise(() => {});`,
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
  const imports = `import { after, before, beforeEach, describe, it } from 'node:test'; import fc from 'fast-check';`;
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
  // Where a file was run in vain with others it had other random cases.
  const told = stdout.slice(stdout.indexOf('✖ failures:'));
  seed = /seed: (-?\d+)/.exec(told)![1]!;
  const [, commands] = /^✖ 22 failed; to see each again:\n([\s\S]*)$/m.exec(stdout) ?? [];
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
    again('rejection-late'),
    again('error-late'),
    again('error-hidden'),
    again('fails-hidden', 'fails'),
    again('exits-late'),
    again('only'),
    again('none'),
    again('waits', 'a suite waits in vain'),
    again('waits-twice', 'one'),
    again('waits-twice', 'two'),
    again('hook-waits', 'a suite'),
    again('hook-each-waits', 'two'),
    again('hook-after-waits', 'waits for its end'),
    again('top-level-waits'),
    `SEED=${seed} ${again('property', 'is small')}`,
  ];
  assert.deepEqual(commands?.trim().split(/\n */).toSorted(), expected.toSorted(), stdout);

  const counterexample = (text: string) =>
    /seed: .*\s*Counterexample: .*/.exec(text)?.[0].replace(/\s+/g, ' ');
  const second = run('apps/ws01/test/property.test.ts', '--name', 'is small');
  assert.equal(second.status, 1);
  assert.equal(counterexample(second.stdout), counterexample(told));
});

test('what was not run does not pass: a name or a path that nothing has', (t) => {
  const folder = workingCopy(t);
  const run = (...args: readonly string[]) =>
    spawnSync(process.execPath, ['scripts/test.js', 'change', ...args], {
      cwd: folder,
      encoding: 'utf8',
      env: { PATH: process.env.PATH },
    });
  assert.equal(run('good-1', '--name', 'is good').status, 0);
  const misnamed = run('good-1', '--name', 'is god');
  assert.deepEqual(
    [misnamed.status, /no test of these files has "is god" in its name/.test(misnamed.stdout)],
    [1, true],
  );
  const misplaced = run('good-1', 'god-2');
  assert.deepEqual(
    [misplaced.status, misplaced.stderr],
    [2, 'test: no test file of the lane change has god-2 in its path\n'],
  );
});

test('what the shell of a run has for other programs does not reach the tests', (t) => {
  const folder = workingCopy(t);
  const shell = {
    ...{ HTTPS_PROXY: 'http://127.0.0.1:1', no_proxy: '*', NODE_OPTIONS: '--no-deprecation' },
    ...{
      TZ: 'Pacific/Apia',
      LC_ALL: 'tr_TR.UTF-8',
      AWS_PROFILE: 'own',
      GIT_DIR: '/',
      PGHOST: 'db',
    },
  };
  const names = `[${Object.keys(shell).map((name) => `'${name}'`)}]`;
  writeFileSync(
    join(folder, 'apps/ws01/test/shell.test.ts'),
    `import { test } from 'node:test'; import assert from 'node:assert/strict';
    test('sees', () => assert.deepEqual(${names}.map((name) => process.env[name]).join(), ',,,UTC,,,,'));`,
  );
  const { status, stdout } = spawnSync(process.execPath, ['scripts/test.js', 'change', 'shell'], {
    cwd: folder,
    encoding: 'utf8',
    env: { PATH: process.env.PATH, ...shell },
  });
  assert.equal(status, 0, stdout);
});

test('the fast lane runs what the changes since main concern, says so, and runs all of it when asked to', (t) => {
  const folder = workingCopy(t);
  const inFast = join(folder, 'apps', 'ws01', 'test', 'domain');
  mkdirSync(join(inFast, 'texts'), { recursive: true });
  const write = (name: string, text: string) => writeFileSync(join(inFast, name), text);
  const good = `import { test } from 'node:test'; test('is good', () => {});`;
  write('imports.test.ts', `${good} import '../kit.ts';`);
  write('reads.test.ts', `${good} export const FOLDER = './texts/';`);
  write('texts/one.txt', '');
  write('other.test.ts', good);
  const does = (program: string, ...args: string[]) => {
    const options = { cwd: folder, encoding: 'utf8', env: { PATH: process.env.PATH } } as const;
    const { status, stdout, stderr } = spawnSync(program, args, options);
    assert.equal(status, 0, stdout + stderr);
    return stdout;
  };
  const git = (...args: string[]) =>
    does('git', '-c', 'user.name=x', '-c', 'user.email=x@x.example', ...args);
  const lane = (...args: string[]) => {
    const told = does(process.execPath, 'scripts/test.js', 'fast', ...args);
    return [/^test: (.*)/m.exec(told)?.[1], /^ℹ tests (\d+)/m.exec(told)?.[1]];
  };
  git('init', '--quiet', '--initial-branch=main');
  write('../../../../.gitignore', 'node_modules\n');
  git('add', '.');
  git('commit', '--quiet', '--message=all');
  assert.deepEqual(lane(), ['all 3 files; nothing changed since main', '3']);

  git('switch', '--quiet', '--create=change');
  write('../kit.ts', 'export const other = 1;');
  git('commit', '--quiet', '--all', '--message=a module');
  const told = (count: number, changed: string) =>
    `${count} of 3 files, which need what changed since main (${changed}); all: npm run test:fast -- --all`;
  assert.deepEqual(lane(), [told(1, 'apps/ws01/test/kit.ts'), '1']);
  write('texts/two.txt', '');
  assert.deepEqual(lane(), [told(2, 'apps/ws01/test/kit.ts and 1 more'), '2']);
  assert.deepEqual(lane('--all'), [undefined, '3']);
  assert.deepEqual(lane('domain/other'), [undefined, '1']);

  git('switch', '--quiet', 'main');
  write('../../../../README.md', '');
  assert.deepEqual(lane(), [told(1, 'README.md and 1 more'), '1']);
});
