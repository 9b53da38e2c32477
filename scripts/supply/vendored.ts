/** Packages whose files are in the project, because they are served as they are and bring along what nobody wants. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../spec/tree.ts';
import type { RuntimePackage } from './lock.ts';

interface Vendored {
  readonly name: string;
  /** Where the files are, from the root. */
  readonly folder: string;
  readonly files: readonly string[];
  /** An SPDX expression. */
  readonly license: string;
}

export const VENDORED: readonly Vendored[] = [
  {
    // The package itself depends on @scarf/scarf, which tells others of each installation.
    name: 'swagger-ui-dist',
    folder: 'apps/ws01/src/web/assets/swagger-ui',
    files: ['swagger-ui.css', 'swagger-ui-bundle.js', 'swagger-ui-bundle.js.LICENSE.txt', 'LICENSE', 'NOTICE'],
    license: 'Apache-2.0',
  },
];

interface VendoredPackage extends RuntimePackage {
  readonly license: string;
  /** Of the package as it was published, as npm writes it: `sha512-` and base64. */
  readonly integrity: string;
}

/** The packages with the versions that are here. */
export function vendoredPackages(): VendoredPackage[] {
  return VENDORED.map(({ folder }) => ({
    ...JSON.parse(readFileSync(join(ROOT, folder, 'vendored.json'), 'utf8')),
    folder,
  }));
}

/** A package as a component of CycloneDX. */
export function componentOf({ name, version, license, integrity }: VendoredPackage) {
  const [, base64 = ''] = integrity.split('-');
  return {
    'bom-ref': `${name}@${version}`,
    type: 'library',
    name,
    version,
    purl: `pkg:npm/${name}@${version}`,
    scope: 'required',
    hashes: [{ alg: 'SHA-512', content: Buffer.from(base64, 'base64').toString('hex') }],
    licenses: [{ license: { id: license } }],
  };
}
