import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { it } from 'node:test';

const KIT = 'apps/ws01/test/kit/';
/** What processes of tests load before their own program says how packages are found. */
const LOADED_FIRST = [
  `${KIT}fixed.ts`,
  ...globSync('apps/ws01/test/**/*.ts').filter((path) =>
    readFileSync(path, 'utf8').includes('For `node --import`'),
  ),
];

const IMPORT = /^(?:import|export)(?! type)\s[^;]*?from '([^']+)';|^import '([^']+)';/gm;

/** Each import by the name of a package of what a file loads, as `file: package`. */
function packagesOf(path: string, seen: Set<string>): readonly string[] {
  if (seen.has(path)) return [];
  seen.add(path);
  const names = [...readFileSync(path, 'utf8').matchAll(IMPORT)].map(
    ([, from, bare]) => from ?? bare!,
  );
  return names.flatMap((name) => {
    if (name.startsWith('node:')) return [];
    return name.startsWith('.')
      ? packagesOf(resolve(path, '..', name), seen)
      : [`${path}: ${name}`];
  });
}

it('what a process of a test loads first finds no package: in a fresh clone none is built', () => {
  assert.ok(
    LOADED_FIRST.includes(`${KIT}patient.ts`) && LOADED_FIRST.includes(`${KIT}limits-over.ts`),
  );
  assert.deepEqual(
    LOADED_FIRST.flatMap((path) => packagesOf(resolve(path), new Set())),
    [],
  );
});
