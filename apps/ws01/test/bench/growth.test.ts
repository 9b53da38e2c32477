import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { it } from 'node:test';
import { promisify } from 'node:util';
import { SOURCE_ARGUMENTS } from '../../../../packages/asmx/test/kit/source-process.ts';
import { WS01 } from '../../src/contract/service.ts';

interface Figure {
  readonly name: string;
  readonly rows: number;
  readonly median: number;
}

async function figuresOf(...args: readonly string[]): Promise<readonly unknown[]> {
  const { stdout } = await promisify(execFile)(process.execPath, [
    ...SOURCE_ARGUMENTS,
    'bench/main.ts',
    ...args,
    '--quick',
    '--json',
  ]);
  return JSON.parse(stdout.trim().split('\n').at(-1)!).figures;
}

it('growth calls every operation', async () => {
  const figures = (await figuresOf('growth', 'sqlite')) as readonly Figure[];
  for (const { name } of WS01.operations) {
    const ofOperation = figures.filter((figure) => figure.name.startsWith(name));
    assert.ok(ofOperation.length > 0, name);
    for (const { median, rows } of ofOperation) assert.ok(median > 0 && rows === 1_000, name);
  }
});
