/** Which licences may be used, and what a package declares. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../spec/tree.ts';
import type { RuntimePackage } from './lock.ts';

/** SPDX ids that ask for no more than to be named. */
const PERMISSIVE = new Set([
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'ISC',
  'MIT',
  'MIT-0',
  'Unlicense',
]);

/**
 * Packages that may have another licence, and why. libvips is a shared library beside sharp, used unchanged, which the
 * operator can replace: that is what the LGPL asks for. So is libheif, a file of WebAssembly in a package of its own.
 */
const EXCEPTIONS: readonly { readonly packages: RegExp; readonly licence: string }[] = [
  { packages: /^libheif-js$/, licence: 'LGPL-3.0' },
  { packages: /^@img\/sharp-(libvips|wasm32|win32)\b/, licence: 'LGPL-3.0-or-later' },
];

/** What became of a package. */
export interface Licensed {
  readonly name: string;
  readonly version: string;
  /** `none` where none is declared. */
  readonly licence: string;
  readonly verdict: 'permissive' | 'exception' | 'refused';
}

/** @param packages of a lock; what is installed of them tells its licence itself, the rest as the lock has it. */
export function licencesOf(packages: readonly RuntimePackage[]): Licensed[] {
  return packages.map((one) => {
    const licence = installedLicence(one.folder) ?? one.license ?? 'none';
    const excepted = EXCEPTIONS.filter(({ packages: names }) => names.test(one.name)).map(
      (found) => found.licence,
    );
    return { name: one.name, version: one.version, licence, verdict: verdictOf(licence, excepted) };
  });
}

function verdictOf(licence: string, excepted: readonly string[]): Licensed['verdict'] {
  if (isMet(licence, PERMISSIVE)) return 'permissive';
  return isMet(licence, new Set([...PERMISSIVE, ...excepted])) ? 'exception' : 'refused';
}

/** From a package's own manifest. @returns undefined where it is not installed or says nothing. */
function installedLicence(folder: string): string | undefined {
  try {
    const { license } = JSON.parse(readFileSync(join(ROOT, folder, 'package.json'), 'utf8'));
    return typeof license === 'string' ? license : license?.type;
  } catch {
    return undefined;
  }
}

/** Whether an SPDX expression can be met with these licences: of `OR` one, of `AND` all. What is no expression is not. */
export function isMet(expression: string, allowed: ReadonlySet<string>): boolean {
  const tokens = expression.match(/[()]|[^\s()]+/g) ?? [];
  let at = 0;
  const either = (): boolean => {
    let met = all();
    while (tokens[at] === 'OR') {
      at++;
      met = all() || met;
    }
    return met;
  };
  const all = (): boolean => {
    let met = one();
    while (tokens[at] === 'AND') {
      at++;
      met = one() && met;
    }
    return met;
  };
  const one = (): boolean => {
    const token = tokens[at++];
    if (token !== '(') return token !== undefined && allowed.has(token);
    const met = either();
    return tokens[at++] === ')' && met;
  };
  return either() && at === tokens.length;
}
