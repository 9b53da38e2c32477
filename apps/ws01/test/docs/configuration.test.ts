import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import type { Setting } from '../../src/config/setting.ts';
import { AREAS } from '../../src/config/settings.ts';

test('docs/configuration.md holds the settings by area, word for word', async () => {
  const page = await readFile('docs/configuration.md', 'utf8');
  const expected = AREAS.flatMap(({ title, settings }) => [
    `## ${title}`,
    ...Object.values(settings as Record<string, Setting>).map(
      ({ variable, fallback, without, documentation }) =>
        `| \`${variable}\` | ${fallback === undefined ? without : `\`${fallback}\``} | ${documentation} |`,
    ),
  ]);
  const found = page.split('\n').filter((line) => line.startsWith('## ') || line.startsWith('| `'));
  assert.deepEqual(found, expected);
});
