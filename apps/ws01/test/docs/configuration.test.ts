import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import type { Setting } from '../../src/config/setting.ts';
import { AREAS, READERS, SETTINGS } from '../../src/config/settings.ts';

test('docs/configuration.md holds the settings, the fifteen first, word for word', async () => {
  const page = await readFile('docs/configuration.md', 'utf8');
  const rowOf = ({ variable, fallback, without, documentation }: Setting) =>
    `| \`${variable}\` | ${fallback === undefined ? without : `\`${fallback}\``} | ${documentation} |`;
  const all = Object.values(SETTINGS as Record<string, Setting>);
  const first = new Set(READERS.flatMap(({ variables }) => variables));
  const rest = AREAS.map(({ title, settings }) => ({
    title,
    settings: Object.values(settings as Record<string, Setting>).filter(
      ({ variable }) => !first.has(variable),
    ),
  }));
  const expected = [
    ...READERS.flatMap(({ title, variables }) => [
      `## ${title}`,
      ...variables.map((name) => rowOf(all.find(({ variable }) => variable === name)!)),
    ]),
    '## All others',
    ...rest.flatMap(({ title, settings }) =>
      settings.length === 0 ? [] : [`### ${title}`, ...settings.map(rowOf)],
    ),
    '## Notes',
  ];
  const found = page.split('\n').filter((line) => /^(?:##|\| `)/.test(line));
  assert.deepEqual(found, expected);
});
