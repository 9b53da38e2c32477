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
 * The dependencies of a project: installed packages by their version; those of a working copy, which are built first if they
 * are not, by their paths.
 * @throws {ProjectError} when one cannot be built.
 */
export function projectDependencies(
  folder: string,
  tell: (line: string) => void,
): Readonly<Record<string, string>> {
  const ofPackage = (place: string): string => {
    if (!inCheckout()) return `^${engineVersion()}`;
    const home = realpathSync(join(HOME, place));
    if (!isBuilt(home)) build(home, tell);
    return `file:${relative(resolve(folder), home).replaceAll('\\', '/')}`;
  };
  return Object.fromEntries(
    Object.entries(PACKAGES).map(([name, place]) => [name, ofPackage(place)]),
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
