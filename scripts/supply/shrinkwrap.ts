import type { Lock } from './lock.ts';

type Dependencies = Readonly<Record<string, string>>;

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly dependencies?: Dependencies;
}

interface Installed {
  readonly version?: string;
  readonly license?: string;
  readonly engines?: Dependencies;
  /** A package of the working copy, whose folder `resolved` names. */
  readonly link?: boolean;
  readonly resolved?: string;
  readonly dev?: boolean;
  readonly dependencies?: Dependencies;
  readonly optionalDependencies?: Dependencies;
}

/**
 * The lock of one published package: what the lock of the working copy has of its dependencies and theirs, in their
 * places. A package of the working copy is taken by its version alone: it has no hash before it is published.
 * @returns npm-shrinkwrap.json, version 3 of the format.
 */
export function shrinkwrapOf(manifest: Manifest, { packages }: Lock): object {
  const installed = packages as unknown as Readonly<Record<string, Installed>>;
  const kept: Record<string, Installed> = {};
  const visit = (dependencies: Dependencies, from: string) => {
    for (const name of Object.keys(dependencies)) {
      const folder = placeOf(name, from, installed);
      if (folder === undefined || folder in kept) continue;
      kept[folder] = published(installed[folder]!, installed);
      visit({ ...kept[folder].dependencies, ...kept[folder].optionalDependencies }, folder);
    }
  };
  visit(manifest.dependencies ?? {}, '');
  const { name, version } = manifest;
  const folders = Object.keys(kept).sort();
  return {
    name,
    version,
    lockfileVersion: 3,
    requires: true,
    packages: {
      '': manifest,
      ...Object.fromEntries(folders.map((folder) => [folder, kept[folder]])),
    },
  };
}

function published(found: Installed, installed: Readonly<Record<string, Installed>>): Installed {
  if (!found.link) {
    const { dev: _, ...entry } = found;
    return entry;
  }
  const { version, license, engines, dependencies } = installed[found.resolved ?? ''] ?? {};
  return Object.fromEntries(
    Object.entries({ version, license, engines, dependencies }).filter(
      ([, value]) => value !== undefined,
    ),
  );
}

/** Where Node finds a package from a folder: in it, or above it. `undefined` for an optional one that is not in the lock. */
function placeOf(
  name: string,
  from: string,
  installed: Readonly<Record<string, unknown>>,
): string | undefined {
  for (let above = from; ; above = above.replace(/(^|\/)node_modules\/(@[^/]+\/)?[^/]+$/, '')) {
    const folder = `${above === '' ? '' : `${above}/`}node_modules/${name}`;
    if (folder in installed) return folder;
    if (above === '') return undefined;
  }
}
