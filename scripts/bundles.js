/** Makes bundles of libraries: apps/ws01/bin/bundles.js. */
import { existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { BUNDLED, builtBundle, cachedBundle } from '../apps/ws01/bin/bundles.js';

const modules = join(dirname(dirname(fileURLToPath(import.meta.url))), 'node_modules');

/** Makes the bundles of the working copy that are not there yet. */
export async function makeCachedBundles() {
  for (const name of BUNDLED) {
    const file = cachedBundle(name, modules);
    if (!existsSync(file)) await makeBundle(name, file);
  }
}

/** Makes the bundles of a package that is built. */
export async function makeBuiltBundles(dist) {
  for (const name of BUNDLED) await makeBundle(name, builtBundle(name, dist));
}

async function makeBundle(name, file) {
  const { build } = await import('esbuild');
  mkdirSync(dirname(file), { recursive: true });
  const making = `${file}.${process.pid}`;
  await build({
    entryPoints: [fileURLToPath(import.meta.resolve(name))],
    outfile: making,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node26',
    // Only space: names stay, for stack traces.
    minifyWhitespace: true,
    legalComments: 'none',
    banner: { js: `/*!\n${readFileSync(join(modules, name, 'LICENSE'), 'utf8')}*/` },
    logLevel: 'error',
  });
  // Whole or not at all, whoever else makes it at the same time.
  renameSync(making, file);
}
