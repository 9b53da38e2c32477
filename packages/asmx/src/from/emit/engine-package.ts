import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ProjectError } from './write-project.ts';

/** The folder of this package, whether its source or its build runs. */
const HOME = resolve(fileURLToPath(new URL('../../..', import.meta.url)));

export function engineVersion(): string {
  return JSON.parse(readFileSync(join(HOME, 'package.json'), 'utf8')).version;
}

/** Whether this is a working copy, not an installed package. */
function inCheckout(): boolean {
  return existsSync(join(HOME, 'src')) && !HOME.split(/[\\/]/).includes('node_modules');
}

/**
 * What a project's package.json says of the engine: an installed one by its version; one of a working copy, which is built
 * first if it is not, by its path.
 * @throws {ProjectError} when it cannot be built.
 */
export function engineDependency(folder: string, tell: (line: string) => void): string {
  if (!inCheckout()) return `^${engineVersion()}`;
  if (!isBuilt()) {
    tell('Building the engine …');
    const { status, stderr, stdout } = spawnSync(
      process.execPath,
      [join(HOME, '../../scripts/build.js'), HOME],
      {
        encoding: 'utf8',
      },
    );
    if (status !== 0) {
      const [reason = ''] = `${stdout}${stderr}`.trim().split('\n');
      throw new ProjectError(
        `The engine cannot be built: ${reason}. Run npm ci in its working copy.`,
      );
    }
  }
  const target = resolve(folder);
  return `file:${relative(target, realpathSync(HOME)).replaceAll('\\', '/')}`;
}

/** Whether the build is newer than every source. */
function isBuilt(): boolean {
  const built = join(HOME, 'dist', 'index.js');
  return existsSync(built) && newest(join(HOME, 'src')) <= statSync(built).mtimeMs;
}

function newest(folder: string): number {
  return Math.max(
    0,
    ...readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => statSync(join(entry.parentPath, entry.name)).mtimeMs),
  );
}
