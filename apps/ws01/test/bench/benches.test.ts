// night: every bench runs once at its shortest, which is a minute of processor time; types hold by day
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import { SOURCE_ARGUMENTS } from '../../../../packages/asmx/test/kit/source-process.ts';

const run = promisify(execFile);

/** The figures of a bench's shortest run. They say nothing; that there are any says that the bench works. */
async function quick(...args: readonly string[]): Promise<{ stdout: string; figures: unknown }> {
  const { stdout } = await run(process.execPath, [
    ...SOURCE_ARGUMENTS,
    'bench/main.ts',
    ...args,
    '--quick',
    '--json',
  ]);
  const json = stdout.trim().split('\n').at(-1)!;
  return { stdout, figures: JSON.parse(json).figures };
}

interface Driven {
  readonly name: string;
  readonly drives: readonly { readonly answers: number; readonly refused: number }[];
}

interface Attacked {
  readonly name: string;
  readonly cost: { readonly answer: string; readonly cpuMs: number };
}

describe('the benches', () => {
  it('drive this service and its peers with one request that all answer alike', async () => {
    const { stdout, figures } = await quick('peers');
    const sides = figures as readonly Driven[];
    for (const name of ['this service', 'bare node:http', 'npm soap', 'strong-soap']) {
      const side = sides.find((one) => one.name === name);
      assert.equal(side?.drives.length, 1, name);
      assert.ok(side.drives.every(({ answers, refused }) => answers > 0 && refused === 0));
    }
    assert.match(stdout, /\n\| this service \| /);
    assert.match(stdout, /\nNoise: the same server twice differs by /);
    assert.match(stdout, /\n- (?:Met|Missed): at least 0\.65 × the bare server; found /);
  });

  it('call an operation in every binding', async () => {
    const { figures } = await quick('operations', 'countUserPosted', 'InsertArticle');
    assert.equal((figures as readonly unknown[]).length, 2 * 5);
  });

  it('take each short cut of the fast path out', async () => {
    const { figures } = await quick('fast');
    const variants = figures as readonly Driven[];
    assert.deepEqual(
      variants.map(({ drives }) => drives.length),
      [1, 1, 1, 1, 1],
    );
    assert.ok(
      variants.every(({ drives }) =>
        drives.every(({ answers, refused }) => answers > 0 && refused === 0),
      ),
    );
  });

  it('attack the service, and no attack costs a hundred times as much as a long text', async () => {
    const parts = ['requests', 'doors', 'signed-in', 'generated', 'credential'];
    const { stdout, figures } = await quick('hostile', ...parts);
    const { requests, credential, ...others } = figures as Readonly<
      Record<'requests' | 'doors' | 'signedIn' | 'generated' | 'credential', readonly Attacked[]>
    >;
    assert.deepEqual(Object.keys(others), ['doors', 'signedIn', 'generated']);
    const [honest, ...attacks] = requests;
    assert.equal(honest?.name, 'a long text');
    assert.ok(attacks.length > 5 && credential.length > 2);
    for (const { name, cost } of [...attacks, ...credential]) {
      assert.match(cost.answer, /^\d{3}/, name);
      assert.ok(cost.cpuMs < 100 * Math.max(10, honest.cost.cpuMs), `${name}: ${cost.cpuMs} ms`);
    }
    assert.match(stdout, /\n- (?:Met|Missed): no request of 1 MB takes more than 50 ms/);
  });

  it('start the service again and again and look at its memory', async () => {
    const { figures } = await quick('footprint');
    const { memory } = figures as {
      readonly memory: { readonly restMib: number; readonly afterMib: number };
    };
    assert.ok(memory.restMib > 0 && memory.afterMib > 0);
  });

  it('are listed, and say what is not there', async () => {
    const { stdout } = await run(process.execPath, [...SOURCE_ARGUMENTS, 'bench/main.ts', 'list']);
    for (const name of ['peers', 'clients', 'operations', 'footprint'])
      assert.match(stdout, new RegExp(`\n${name} +\\w`));
    await assert.rejects(run(process.execPath, [...SOURCE_ARGUMENTS, 'bench/main.ts', 'nothing']), {
      code: 2,
      stderr: /no bench called nothing/,
    });
    await assert.rejects(
      run(process.execPath, [...SOURCE_ARGUMENTS, 'bench/main.ts', '--nothing']),
      {
        code: 2,
        stderr: /--nothing/,
      },
    );
    await assert.rejects(
      run(process.execPath, [...SOURCE_ARGUMENTS, 'bench/main.ts', 'operations', 'nothing']),
      {
        code: 2,
        stderr: /no operation/,
      },
    );
  });
});
