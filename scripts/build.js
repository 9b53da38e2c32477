/** `npm run build`: makes dist/ of src/: JavaScript, types, and the files that the pages serve as they are. */
import { spawnSync } from 'node:child_process';
import { cpSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const dist = join(root, 'dist');

rmSync(dist, { recursive: true, force: true });
const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
const { status } = spawnSync(process.execPath, [compiler, '-p', join(root, 'tsconfig.build.json')], {
  stdio: 'inherit',
});
if (status === 0) cpSync(join(root, 'src'), dist, { recursive: true, filter: isServed });
process.exitCode = status ?? 1;

/** Folders, and what is neither source nor documentation. */
function isServed(path) {
  return !path.endsWith('.ts') && !path.endsWith('.md');
}
