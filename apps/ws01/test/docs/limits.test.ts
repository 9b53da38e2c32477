import assert from 'node:assert/strict';
import { glob, readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { DEFAULT_LIMITS } from '../../../../packages/asmx/src/contract/limits.ts';
import { DEFAULT_READER_LIMITS } from '../../../../packages/asmx/src/node/slow-readers.ts';
import { SETTINGS } from '../../src/config/settings.ts';

const TESTS = ['apps/ws01/test', 'packages/asmx/test'];

test('docs/security/limits.md has every limit with its default, in the order of the code', async () => {
  const rows = await tableRows();
  const shown = rows.map(([limit, value]) => [limit, Number(value!.replaceAll(',', ''))]);
  const limits = { ...DEFAULT_LIMITS, ...DEFAULT_READER_LIMITS };
  assert.deepEqual(Object.fromEntries(shown), limits);
  assert.equal(shown.length, Object.keys(limits).length);
});

test('each limit has a reason, a test that names it, and a setting that exists or none', async () => {
  const variables = new Set<string>(Object.values(SETTINGS).map(({ variable }) => variable));
  for (const [limit = '', , , reason, testFile, setting] of await tableRows()) {
    assert.ok(reason!.length > 10, limit);
    const named = testFile!.replaceAll('`', '');
    const files: string[] = [];
    for (const folder of TESTS)
      for await (const found of glob(`${folder}/${named}`)) files.push(found);
    assert.equal(files.length, 1, `${limit}: ${named}`);
    assert.ok((await readFile(files[0]!, 'utf8')).includes(limit), `${named} names ${limit}`);
    const variable = /`(\w+)`/.exec(setting!)?.[1];
    assert.ok(variable === undefined || variables.has(variable), `${limit}: ${variable}`);
  }
});

/** The cells of each limit's row; of the first the bare name. */
async function tableRows(): Promise<readonly (readonly string[])[]> {
  const page = await readFile('docs/security/limits.md', 'utf8');
  return page
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    )
    .map(([limit, ...rest]) => [limit!.replaceAll('`', ''), ...rest]);
}
