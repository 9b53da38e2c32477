import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { testsOf } from '../../../../scripts/spec/test-names.ts';

test('each claim that operators were told names a test that is there', async () => {
  const page = await readFile('bench/results/operator-claims-2026-11-28.md', 'utf8');
  const rows = [...page.matchAll(/^\| (\d+) \| [^|]+ \| `([^`]+)` › ([^|]+) \|$/gm)];
  assert.deepEqual(
    rows.map(([, number]) => Number(number)),
    Array.from({ length: 76 }, (_, at) => at + 1),
  );
  const missing: string[] = [];
  for (const [, , file, name] of rows) {
    const path = `apps/ws01/test/${file}${file!.endsWith('.system') ? '' : '.test'}.ts`;
    const names = testsOf(await readFile(path, 'utf8')).map((one) => one.path.at(-1)!);
    if (!names.some((one) => one.startsWith(name!))) missing.push(`${file} › ${name}`);
  }
  assert.deepEqual(missing, []);
});
