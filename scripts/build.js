/** `npm run build`, in a package: makes dist/ of src/: JavaScript, types, and the files that the pages serve as they are. */
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  globSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import './install-dev.js';
import { makeBuiltBundles } from './bundles.js';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const home = resolve(process.argv[2] ?? '.');
const dist = join(home, 'dist');
// Beside it first: what uses the build that is there, such as tests that build at the same time, must not see half of one.
const making = `${dist}.${process.pid}`;

const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
const { status } = spawnSync(
  process.execPath,
  [compiler, '-p', join(home, 'tsconfig.build.json'), '--outDir', making],
  { stdio: 'inherit' },
);
if (status === 0) {
  cpSync(join(home, 'src'), making, { recursive: true, filter: isServed });
  copyCommonJsTypes(making);
  // The engine needs nothing of others.
  if (existsSync(join(home, 'bin', 'bundles.js'))) await makeBuiltBundles(making);
  replace(dist, making);
}
rmSync(making, { recursive: true, force: true });
process.exitCode = status ?? 1;

/**
 * Declarations once more, as those of CommonJS, for the condition `require` of package.json: TypeScript with
 * `module: node16` refuses to require an ES module, which Node since 22.12 does not.
 */
function copyCommonJsTypes(folder) {
  const { exports = {} } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8'));
  if (Object.values(exports).every((entry) => entry.require === undefined)) return;
  const copies = join(folder, 'commonjs');
  for (const file of globSync('**/*.d.ts', { cwd: folder }))
    cpSync(join(folder, file), join(copies, file));
  writeFileSync(join(copies, 'package.json'), '{"type":"commonjs"}\n');
}

function replace(old, made) {
  const aside = `${made}.old`;
  // Another build may have taken it away, or put its own there: of the same sources, and as good.
  move(old, aside);
  move(made, old);
  rmSync(aside, { recursive: true, force: true });
}

/** Moves a folder, unless it is not there or its new place is taken. */
function move(from, to) {
  try {
    renameSync(from, to);
  } catch (error) {
    if (!['ENOENT', 'ENOTEMPTY', 'EEXIST'].includes(error.code)) throw error;
  }
}

/** Folders, and what is neither source nor documentation. */
function isServed(path) {
  return !path.endsWith('.ts') && !path.endsWith('.md');
}
