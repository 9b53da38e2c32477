import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const OWN = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/**
 * What this program is: `0.3.0+24d6388a` of a release (`npm run release` writes it into
 * `release.json`), the version of the package with the commit in a working copy, and the version
 * alone in a package.
 */
export const VERSION = readVersion();

function readVersion(): string {
  const release = join(OWN, 'release.json');
  if (existsSync(release)) return json(release).version;
  const { version } = json(join(OWN, 'package.json'));
  const commit = commitOf(join(OWN, '..', '..', '.git'));
  return commit === undefined ? version : `${version}+${commit.slice(0, 8)}`;
}

function json(file: string): { readonly version: string } {
  return JSON.parse(readFileSync(file, 'utf8'));
}

/**
 * The commit that a working copy is at.
 * @returns `undefined` where it cannot be told, such as with packed references.
 */
function commitOf(git: string): string | undefined {
  try {
    // A further working copy has a file that names the folder.
    const own = statSync(git).isFile()
      ? readFileSync(git, 'utf8').slice('gitdir: '.length).trim()
      : git;
    const head = readFileSync(join(own, 'HEAD'), 'utf8').trim();
    if (!head.startsWith('ref: ')) return head;
    const common = join(own, 'commondir');
    const shared = existsSync(common) ? join(own, readFileSync(common, 'utf8').trim()) : own;
    return readFileSync(join(shared, head.slice('ref: '.length)), 'utf8').trim();
  } catch {
    return undefined;
  }
}
