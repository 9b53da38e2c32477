/** `npm run build`, in a package: makes dist/ of src/: JavaScript, types, and the files that the pages serve as they are. */
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import './install-dev.js';
import { makeBuiltBundles } from './bundles.js';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const home = resolve(process.argv[2] ?? '.');
const dist = join(home, 'dist');

rmSync(dist, { recursive: true, force: true });
const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
const { status } = spawnSync(process.execPath, [compiler, '-p', join(home, 'tsconfig.build.json')], {
  stdio: 'inherit',
});
if (status === 0) {
  cpSync(join(home, 'src'), dist, { recursive: true, filter: isServed });
  // The engine needs nothing of others.
  if (existsSync(join(home, 'bin', 'bundles.js'))) await makeBuiltBundles(dist);
}
process.exitCode = status ?? 1;

/** Folders, and what is neither source nor documentation. */
function isServed(path) {
  return !path.endsWith('.ts') && !path.endsWith('.md');
}
