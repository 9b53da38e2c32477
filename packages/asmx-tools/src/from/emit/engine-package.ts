import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { basename, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ProjectError } from './write-project.ts';

/** The folder of this package, whether its source or its build runs. */
const HOME = resolve(fileURLToPath(new URL('../../..', import.meta.url)));

/** The packages that a project needs, with the folder of each beside this one in a working copy. */
const PACKAGES = { '@ws01/asmx': '../asmx', '@ws01/asmx-tools': '.' } as const;

/** The version of this package, which is the engine's. */
export function engineVersion(): string {
  return JSON.parse(readFileSync(join(HOME, 'package.json'), 'utf8')).version;
}

/** Whether this is a working copy, not an installed package. */
function inCheckout(): boolean {
  return existsSync(join(HOME, 'src')) && !HOME.split(/[\\/]/).includes('node_modules');
}

/**
 * Where npm took an installed package from, if that was a file: a tarball, before the package is published.
 * @returns its path, or `undefined`.
 */
function tarballOf(name: string): string | undefined {
  const modules = resolve(HOME, '../..');
  try {
    const lock = JSON.parse(readFileSync(join(modules, '.package-lock.json'), 'utf8'));
    const from: unknown = lock.packages?.[`node_modules/${name}`]?.resolved;
    return typeof from === 'string' && from.startsWith('file:')
      ? resolve(modules, '..', from.slice('file:'.length))
      : undefined;
  } catch {
    return undefined;
  }
}

/**
 * The dependencies of a project. Installed packages are named by their version, or by the tarball that they were
 * installed from. Packages of a working copy are named by their paths, and built first if necessary.
 * @throws {ProjectError} when one cannot be built.
 */
export function projectDependencies(
  folder: string,
  tell: (line: string) => void,
): Readonly<Record<string, string>> {
  const at = (path: string) => `file:${relative(resolve(folder), path).replaceAll('\\', '/')}`;
  const ofPackage = (name: string, place: string): string => {
    if (!inCheckout()) {
      const tarball = tarballOf(name);
      return tarball === undefined ? `^${engineVersion()}` : at(tarball);
    }
    const home = realpathSync(join(HOME, place));
    if (!isBuilt(home)) build(home, tell);
    return at(home);
  };
  return Object.fromEntries(
    Object.entries(PACKAGES).map(([name, place]) => [name, ofPackage(name, place)]),
  );
}

/** @throws {ProjectError} */
function build(home: string, tell: (line: string) => void): void {
  tell(`Building ${basename(home)} …`);
  const script = join(home, '../../scripts/build.js');
  const { status, stderr, stdout } = spawnSync(process.execPath, [script, home], {
    encoding: 'utf8',
  });
  if (status === 0) return;
  const [reason = ''] = `${stdout}${stderr}`.trim().split('\n');
  throw new ProjectError(
    `${basename(home)} cannot be built: ${reason}. Run npm ci in its working copy.`,
  );
}

/** Whether the build is newer than every source. */
function isBuilt(home: string): boolean {
  // The folder is put in place by a rename once it is whole.
  const built = join(home, 'dist');
  return existsSync(built) && newest(join(home, 'src')) <= statSync(built).mtimeMs;
}

function newest(folder: string): number {
  return Math.max(
    0,
    ...readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => statSync(join(entry.parentPath, entry.name)).mtimeMs),
  );
}
