import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { SETTINGS, type Setting } from '../../src/config/settings.ts';

test('docs/configuration.md holds the table of the settings, word for word', async () => {
  const page = await readFile('docs/configuration.md', 'utf8');
  const rows = Object.values(SETTINGS as Record<string, Setting>).map(
    ({ variable, fallback, without, documentation }) =>
      `| \`${variable}\` | ${fallback === undefined ? without : `\`${fallback}\``} | ${documentation} |`,
  );
  assert.deepEqual(
    page.split('\n').filter((line) => line.startsWith('| `')),
    rows,
  );
});
