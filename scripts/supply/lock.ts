/** What the packages bring along when they are installed, as package-lock.json has it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../spec/tree.ts';

/** A package that is installed with ours, not only to work on them. */
export interface RuntimePackage {
  readonly name: string;
  readonly version: string;
  /** Its folder, from the root. */
  readonly folder: string;
  /** As its publisher has declared it: an SPDX expression, or none. */
  readonly license: string | undefined;
}

/** What stands in our own files, copied from packages that are not installed. */
export const COPIED: readonly (RuntimePackage & { readonly file: string })[] = [
  {
    ...{ name: 'lucide-static', version: '1.62.0', license: 'ISC AND MIT' },
    folder: 'apps/ws01/src/console/assets',
    file: 'icons.svg',
  },
];

interface LockEntry {
  readonly name?: string;
  readonly version: string;
  readonly license?: string;
  readonly dev?: boolean;
  readonly link?: boolean;
}

export interface Lock {
  readonly packages: Readonly<Record<string, LockEntry>>;
}

export const committedLock = (): Lock =>
  JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'));

/** Every package of a lock that is not for development alone, ours and those of other platforms too, by name, which npm leaves out where the folder has it. */
export function runtimePackages({ packages }: Lock): RuntimePackage[] {
  return Object.entries(packages)
    .filter(([folder, { dev, link }]) => folder !== '' && !dev && !link)
    .map(([folder, { name, version, license }]) => ({
      name: name ?? folder.replace(/^.*node_modules\/|^(packages|apps)\//, ''),
      version,
      folder,
      license,
    }))
    .sort((a, b) => Number(a.name > b.name) - Number(a.name < b.name));
}
