import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';

const SOURCES = 'packages/*/src/**/*.ts';

/** What Node 22, the oldest that the package says it runs on, does not have; with the version that brought it. */
const NEWER: Readonly<Record<string, RegExp>> = {
  'Temporal (26)': /\bTemporal\b/,
  'Uint8Array to and from base64 and hex (25)': /\.(?:setFrom|from|to)(?:Base64|Hex)\(/,
  'Map.getOrInsert (26)': /\.getOrInsert(?:Computed)?\(/,
  'Iterator.concat (26)': /\bIterator\.(?:concat|zip)/,
  'Math.sumPrecise (25)': /\bMath\.(?:sumPrecise|f16round)\b/,
  'Error.isError (24)': /\bError\.isError\b/,
  'RegExp.escape (24)': /\bRegExp\.escape\b/,
  'Promise.try (24)': /\bPromise\.try\b/,
  'Float16Array (24)': /\bFloat16Array\b/,
  'URLPattern (24)': /\bURLPattern\b/,
  'using (24)': /^\s*(?:await )?using \w+ =/m,
  'import defer (26)': /\bimport defer\b/,
  'import attributes other than json, WebAssembly modules (24)': /\bimport source\b/,
  'pattern modifiers (23)': /\(\?[ims]*-?[ims]+:/,
  'zstd (22.15)': /\bZstd|zstd(?:De)?[Cc]ompress/,
  'node:sqlite (22.13)': /'node:sqlite'/,
  'fs.globSync, stable (24)': /\bglob(?:Sync)?\(/,
};

test('no package uses anything that Node 22 does not have', async () => {
  const files = globSync(SOURCES);
  assert.ok(files.length > 100, String(files.length));
  const found: string[] = [];
  for (const file of files) {
    const text = await readFile(file, 'utf8');
    for (const [what, pattern] of Object.entries(NEWER)) {
      if (pattern.test(text)) found.push(`${file}: ${what}`);
    }
  }
  assert.deepEqual(found, []);
});

test('it is compiled against the language of Node 22, so that later additions do not compile', async () => {
  for (const file of globSync('packages/*/package.json'))
    assert.equal(JSON.parse(await readFile(file, 'utf8')).engines.node, '>=22', file);
  const { compilerOptions } = JSON.parse(
    await readFile('packages/asmx/tsconfig.build.json', 'utf8'),
  );
  assert.deepEqual(compilerOptions.lib, ['es2024']);
  assert.equal(compilerOptions.target, 'es2024');
});
