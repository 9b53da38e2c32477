import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { runNode } from '../../../../packages/asmx/test/kit/programs.ts';
import {
  checkClauses,
  committedSources,
  type Sources,
  withMoved,
} from '../../../../scripts/spec/check-clauses.ts';
import { clausesOf } from '../../../../scripts/spec/clauses.ts';
import { clausesCommand } from '../../../../scripts/spec/clauses-command.ts';
import { testsOf } from '../../../../scripts/spec/test-names.ts';
import { ROOT } from '../../../../scripts/spec/tree.ts';

/** Read once: to find the names of all tests takes more than a second. */
const sources = committedSources();

describe('the clauses of the specification', () => {
  it('have a test each, and every test that is named is there', () => {
    const { clauses, amendments, faults } = checkClauses(sources);
    assert.deepEqual(faults, []);
    assert.ok(clauses.length >= 290, `${clauses.length} clauses`);
    assert.ok(clauses.every(({ text, tests }) => text !== '' && tests.length > 0));
    assert.ok(amendments.length >= 34, `${amendments.length} amendments`);
  });

  it('reach from their id to the next one, to the end of the cell or of the paragraph', () => {
    const page =
      '| a | [S2-1] one; [S2-2] two, |\n| [S2-3] a \\| b | c |\n\n- [S5.1-1] goes\n  on. [S5.1-2] x\n- no clause\n';
    assert.deepEqual(
      clausesOf(page).map(({ id, text }) => `${id} ${text}`),
      ['S2-1 a: one', 'S2-2 a: two', 'S2-3 a \\| b', 'S5.1-1 goes on.', 'S5.1-2 x'],
    );
  });
});

/** A page, a list and a file of tests that agree. */
const AGREED: Sources = {
  pages: {
    contract: '[C1-1] zero\n',
    semantics: '[S1-1] one\n\n[S1-2] two\n\n| A1 (1) | Built: S1-2. |\n| A2 (1) | more |\n',
    wire: '',
  },
  list: '# Head\n\n## 1\n\n- S1-1\n  - `a.test.ts` › is one\n- C1-1\n  - `a.test.ts` › is one\n- S1-2\n  - `b/c.test.ts` › suite › is two\n',
  tests: new Map([
    ['apps/x/test/a.test.ts', ['is one']],
    ['packages/y/test/b/c.test.ts', ['suite', 'suite › is two']],
  ]),
};

describe('the check of the clauses', () => {
  const faultOf = (change: Partial<Sources>): string => {
    const { faults } = checkClauses({ ...AGREED, ...change });
    assert.equal(faults.length, 1, faults.join('\n'));
    return faults[0]!;
  };
  const semantics = (from: string, to: string): Partial<Sources> => ({
    pages: { ...AGREED.pages, semantics: AGREED.pages.semantics.replace(from, to) },
  });
  const list = (from: string, to: string): Partial<Sources> => ({
    list: AGREED.list.replace(from, to),
  });

  it('finds nothing wrong where all is right, and tells the amendments that wait', () => {
    const { faults, amendments, clauses } = checkClauses(AGREED);
    assert.deepEqual(faults, []);
    assert.deepEqual(
      amendments.map(({ builtAs }) => builtAs),
      [['S1-2'], undefined],
    );
    assert.deepEqual(clauses[2]!.tests, [
      { path: 'packages/y/test/b/c.test.ts', name: 'suite › is two' },
    ]);
  });

  it('finds a clause without a test', () => {
    assert.match(faultOf(list('  - `a.test.ts` › is one\n', '')), /S1-1 has no test: one/);
    assert.match(
      faultOf(semantics('[S1-2] two', '[S1-2] two [S1-3] three')),
      /S1-3 has no test: three/,
    );
  });

  it('finds a test that is not there, is skipped or is in another file', () => {
    assert.match(
      faultOf(list('is one', 'is won')),
      /:6: S1-1: a\.test\.ts has no test "is won"\.$/,
    );
    assert.match(
      faultOf(list('a.test.ts', 'd.test.ts')),
      /it is in apps\/x\/test\/a\.test\.ts: npm run spec/,
    );
    assert.deepEqual(
      testsOf("it.skip('a', () => {}); it('b', { skip: true }, f); test.todo('c'); it('d', f);"),
      [{ path: ['d'] }],
    );
  });

  it('finds what stands in the list and is no clause, twice, or of another form', () => {
    assert.match(
      faultOf(list('# Head\n\n## 1\n', '# Head\n\n## 1\n\n- S9-9\n')),
      /:5: there is no clause S9-9/,
    );
    assert.match(
      faultOf(list('- S1-2\n', '- S1-1\n  - `a.test.ts` › is one\n- S1-2\n')),
      /S1-1 stands there twice/,
    );
    assert.match(
      faultOf(list('## 1\n', '## 1\n\nnonsense\n')),
      /:5: "nonsense" is neither a clause/,
    );
  });

  it('finds an amendment that is built as no clause', () => {
    const built = (text: string) => semantics('Built: S1-2.', text);
    assert.match(faultOf(built('Built: S1-9.')), /A1 names S1-9, which is no clause/);
    assert.match(faultOf(built('Built: yes.')), /A1 is built; name the clauses/);
  });

  it('lets a test that has moved be put down by npm run spec', () => {
    const moved = { ...AGREED, ...list('b/c.test.ts', 'old/place.test.ts') };
    assert.equal(withMoved(moved.list, checkClauses(moved).moved), AGREED.list);
  });
});

describe('npm run -s clauses', () => {
  /** The command in this process. @returns its exit code, and what it printed. */
  const run = (test: TestContext, ...args: readonly string[]) => {
    const lines: { log: string[]; error: string[] } = { log: [], error: [] };
    const mocks = (['log', 'error'] as const).map((name) =>
      test.mock.method(console, name, (line: string) => lines[name].push(line)),
    );
    const code = clausesCommand(args, () => sources);
    for (const { mock } of mocks) mock.restore();
    return { code, stdout: lines.log.join('\n'), stderr: lines.error.join('\n') };
  };

  it('checks everything, and tells it as JSON', (test) => {
    const { code, stdout, stderr } = run(test, '--json');
    const { clauses, faults } = JSON.parse(stdout);
    assert.deepEqual([code, stderr, faults], [0, '', []]);
    assert.ok(clauses[0].tests[0].path.endsWith('.test.ts'));
  });

  it('shows the clauses of a section with their tests', (test) => {
    const { code, stdout } = run(test, 'S5.1', 'S5.11-3');
    assert.equal(code, 0);
    assert.match(stdout, /^S5\.1-1 {2}A put by key.*\n {4}\S+\.test\.ts › /);
    assert.match(stdout, /^S5\.11-3 /m);
    assert.doesNotMatch(stdout, /^S5\.1[02]|^S5\.11-2/m);
  });

  it('runs the tests of a clause', async () => {
    const { code, stdout } = await runNode(ROOT, 'scripts/clauses.ts', 'C4-5', '--run');
    assert.equal(code, 0, stdout);
    assert.match(stdout, /^Running 1 test file\.\n[\s\S]*has the 20 operations of section 4/m);
  });

  it('says in one line what is wrong with its arguments', (test) => {
    for (const args of [['--nonsense'], ['--run', '--json']]) {
      const { code, stdout, stderr } = run(test, ...args);
      assert.deepEqual([code, stdout], [2, '']);
      assert.match(stderr, /^clauses: .*--help\.$/);
    }
  });

  it('says in one line that there is no such clause', (test) => {
    const { code, stderr } = run(test, 'S5.99');
    assert.deepEqual(
      [code, stderr],
      [
        1,
        'There is no clause or section S5.99; write S5.11-3 or S5.11 (C for the contract, S for the semantics, W for the wire).',
      ],
    );
  });
});
