import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join, normalize } from 'node:path/posix';
import { describe, it } from 'node:test';
import { testsOf } from '../../../../scripts/spec/test-names.ts';

const FOLDER = 'docs/security';

/** Tests as a page names them: a link to the file, and the name of a test or suite. */
async function testsNamedIn(page: string): Promise<{ file: string; name: string }[]> {
  const text = await readFile(join(FOLDER, page), 'utf8');
  return [...text.matchAll(/\[[^\]\s]+\.test\.ts\]\(([^)\s]+)\)(?: › ([^|\n]+))?/g)].map(
    ([, link, name]) => ({
      file: normalize(join(FOLDER, link!)),
      name: name?.trim() ?? '',
    }),
  );
}

describe('the pages on security', () => {
  for (const page of ['threat-model.md', 'asvs.md']) {
    it(`${page} names tests that are there, each by file and name`, async () => {
      const named = await testsNamedIn(page);
      assert.ok(named.length > 20, String(named.length));
      const missing: string[] = [];
      for (const { file, name } of named) {
        const names = testsOf(await readFile(file, 'utf8')).map(({ path }) => path.at(-1));
        if (!names.includes(name)) missing.push(`${file} has no test "${name}"`);
      }
      assert.deepEqual(missing, []);
    });
  }

  it('threat-model.md names a test for every property', async () => {
    const page = await readFile(join(FOLDER, 'threat-model.md'), 'utf8');
    const promised = /^## What is promised\n(.*?)^## /ms.exec(page)![1]!;
    const properties = promised.split(/^- /m).slice(1);
    assert.ok(properties.length > 25, String(properties.length));
    for (const property of properties)
      assert.match(property, /\n {2}- \[.+\.test\.ts\]\(.+\) › /, property);
  });

  it('asvs.md says of every requirement whether it is met, and names a test where it is', async () => {
    const page = await readFile(join(FOLDER, 'asvs.md'), 'utf8');
    const rows = page.split('\n').filter((line) => /^\| V\d+\.\d+ /.test(line));
    assert.ok(rows.length > 30, String(rows.length));
    for (const row of rows) {
      const [, , verdict, shown] = row
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim());
      assert.match(verdict!, /^(met|in part|not met|operator)$/, row);
      if (verdict === 'met') assert.match(shown!, /\.test\.ts\]/, row);
      assert.ok(shown!.length > 10, row);
    }
  });
});
