import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { test } from 'node:test';

test('docs/architecture.md says where things happen, and they happen there', async () => {
  const page = await readFile('docs/architecture.md', 'utf8');
  const rows = [...page.matchAll(/^\| [^|]+\? \| `([^`]+\.ts)` \| `(\w+)` \|$/gm)];
  assert.ok(rows.length >= 20);
  for (const [, file, name] of rows) {
    const source = await readFile(file!, 'utf8');
    assert.match(
      source,
      new RegExp(`^(export )?(async )?(class|function|const) ${name}\\b`, 'm'),
      `${file} has ${name}`,
    );
  }
});

test('docs/architecture.md has a row for each room of both packages', async () => {
  const page = await readFile('docs/architecture.md', 'utf8');
  for (const src of ['packages/asmx/src', 'apps/ws01/src']) {
    const section =
      page.split(`, \`${src}\`\n`)[1]?.split('\n## ')[0] ?? assert.fail(`no section for ${src}`);
    for (const room of await readdir(src, { withFileTypes: true })) {
      if (room.isDirectory())
        assert.ok(section.includes(`| \`${room.name}/\` |`), `${src}/${room.name}`);
    }
  }
});

test('docs/architecture.md names each area of the domain, and no other', async () => {
  const page = await readFile('docs/architecture.md', 'utf8');
  const row =
    page.split('\n').find((line) => line.startsWith('| `domain/` |')) ??
    assert.fail('no row for domain/');
  const named = [...row.matchAll(/`(\w+)\/`/g)]
    .map(([, name]) => name)
    .filter((name) => name !== 'domain');
  const areas = await readdir('apps/ws01/src/domain', { withFileTypes: true });
  const folders = areas.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  assert.deepEqual(named.sort(), folders.sort());
});
