// How modules are found quickly. Libraries of hundreds of modules are there as one file each, too: Node takes 0.2 s of
// processor time to find the 255 modules of Kysely, and 0.01 s for one file. They are there for speed alone: where one is
// missing, the library itself is loaded.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** What has a bundle. */
export const BUNDLED = ['kysely'];

/**
 * The file of a library's bundle in a working copy; one for each version, so that an old one is never loaded.
 * @param modules the folder of the library.
 */
export function cachedBundle(name, modules) {
  const manifest = join(modules, name, 'package.json');
  const version = existsSync(manifest)
    ? JSON.parse(readFileSync(manifest, 'utf8')).version
    : 'none';
  return join(modules, '.cache', 'bundles', `${name}-${version}.mjs`);
}

/** The file of a library's bundle in the published package, which is made with the package. */
export function builtBundle(name, dist) {
  return join(dist, 'bundles', `${name}.mjs`);
}

/**
 * A hook for `module.registerHooks` that takes the bundles that are there.
 * @param fileOf the file of a library's bundle.
 */
export function resolveToBundle(fileOf) {
  const bundled = BUNDLED.filter((name) => existsSync(fileOf(name)));
  const urls = new Map(bundled.map((name) => [name, pathToFileURL(fileOf(name)).href]));
  return (specifier, context, next) => {
    const url = urls.get(specifier);
    return url === undefined
      ? next(specifier, context)
      : { url, format: 'module', shortCircuit: true };
  };
}

// What Node runs of packages of many modules: the service, the engine and its companions, and Kysely where it has no bundle.
const MANY = /[/]node_modules[/](?:ws01|@ws01[/][a-z-]+|kysely)[/]dist[/]/;

/**
 * A hook for `module.registerHooks` that takes what a module names by a relative path as what it is, a file of the same
 * package. Node would look for the file, for links on its way, and for the package.json above it, for each of 500 to 800
 * modules.
 */
export function resolveNeighbour(specifier, context, next) {
  const { parentURL } = context;
  if (specifier[0] !== '.' || parentURL === undefined) return next(specifier, context);
  const isSource = specifier.endsWith('.ts') && parentURL.endsWith('.ts');
  if (!isSource && !(specifier.endsWith('.js') && MANY.test(parentURL)))
    return next(specifier, context);
  const { href } = new URL(specifier, parentURL);
  return { url: href, format: isSource ? 'module-typescript' : 'module', shortCircuit: true };
}
