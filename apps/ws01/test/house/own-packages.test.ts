import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { it } from 'node:test';

const textOf = (path: string) => readFileSync(path, 'utf8');

/** The programs of threads, and what processes of tests load before their own program. */
const THREADS = globSync('apps/ws01/src/**/*.ts').flatMap((path) =>
  [...textOf(path).matchAll(/new URL\(`(\.\/[\w-]+)\$\{extname/g)].map(([, name]) =>
    resolve(path, '..', `${name}.ts`),
  ),
);
const LOADED_FIRST = globSync('apps/ws01/test/**/*.ts')
  .filter((path) => textOf(path).includes('For `node --import`'))
  .concat('apps/ws01/test/kit/fixed.ts');

const IMPORT =
  /^(?:import|export)(?! type)\s[^;]*?from '([^']+)';|^import '([^']+)';|import\('([^']+)'\)/gm;

/** The imports of our own packages in what a file loads, as `file: package`. */
function ownPackagesOf(path: string, seen: Set<string>): readonly string[] {
  if (seen.has(path)) return [];
  seen.add(path);
  const names = [...textOf(path).matchAll(IMPORT)].map(([, ...found]) => found.find(Boolean)!);
  return names.flatMap((name) => {
    if (name.startsWith('.')) return ownPackagesOf(resolve(path, '..', name), seen);
    return name.startsWith('@ws01/') ? [`${relative('.', path)}: ${name}`] : [];
  });
}

it('threads, and what is loaded first, ask for no package of ours: a fresh clone has built none', () => {
  assert.ok(THREADS.length >= 4 && LOADED_FIRST.length >= 7);
  const found = [...THREADS, ...LOADED_FIRST].flatMap((path) =>
    ownPackagesOf(resolve(path), new Set()),
  );
  assert.deepEqual(found, []);
});
