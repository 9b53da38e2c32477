/** `npm run release`: what an operator installs, with its bill of materials and the hashes of both. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';
import { ROOT } from './spec/tree.ts';

const HELP = `Makes ws01-VERSION.tar.gz of the last commit, its software bill of materials and SHA256SUMS.

  npm run release                 # into release/
  npm run release -- FOLDER

VERSION is that of the changelog's last release or, where something is unreleased, of the next, with the commit:
0.3.0+24d6388a.`;

/** What runs a service, and what its operator reads. Tests, benches and the site stay out. */
const PARTS = [
  ...['bin', 'deploy', 'docs', 'packages', 'apps', 'scripts'],
  ...[
    'package.json',
    'package-lock.json',
    '.npmrc',
    'CHANGELOG.md',
    'LICENSE',
    'README.md',
    'SECURITY.md',
  ],
  ...[':(exclude)*/test/*', ':(exclude)docs/images/*'],
];

/** Bound of what a program prints; bytes. */
const MOST_BYTES = 256 * 1024 * 1024;

try {
  const { values, positionals } = parseArgs({
    options: { help: { type: 'boolean' } },
    allowPositionals: true,
  });
  if (values.help) console.log(HELP);
  else
    for (const file of release(resolve(positionals[0] ?? join(ROOT, 'release')))) console.log(file);
} catch (error) {
  console.error(`release: ${(error as Error).message.split('\n')[0]}`);
  process.exitCode = 1;
}

/** @returns the paths of what it made. @throws Error where something is not committed. */
function release(folder: string): readonly string[] {
  if (git('status', '--porcelain').length > 0)
    throw new Error('commit what is changed first: the name of a release is its commit');
  const commit = git('rev-parse', '--short=8', 'HEAD').toString().trim();
  const version = `${nextVersion()}+${commit}`;
  const stamp = `${JSON.stringify({ version, commit: git('rev-parse', 'HEAD').toString().trim() })}\n`;
  const name = `ws01-${version}`;
  const tar = git(
    'archive',
    '--format=tar',
    `--prefix=${name}/`,
    `--add-virtual-file=${name}/apps/ws01/release.json:${stamp}`,
    'HEAD',
    ...PARTS,
  );
  const made = new Map<string, Uint8Array>([
    [`${name}.tar.gz`, gzipSync(tar, { level: 9 })],
    [`${name}.sbom.cdx.json`, run(process.execPath, join(ROOT, 'scripts/sbom.ts'))],
  ]);
  const sums = [...made].map(
    ([file, bytes]) => `${createHash('sha256').update(bytes).digest('hex')}  ${file}\n`,
  );
  made.set('SHA256SUMS', Buffer.from(sums.join('')));
  mkdirSync(folder, { recursive: true });
  for (const [file, bytes] of made) writeFileSync(join(folder, file), bytes);
  return [...made.keys()].map((file) => join(folder, file));
}

/** Semantic Versioning: what is unreleased adds something to the last release. */
function nextVersion(): string {
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const [major, minor] = version.split('.').map(Number);
  const changelog = readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8');
  return /^## Unreleased$/m.test(changelog) ? `${major}.${minor + 1}.0` : version;
}

function git(...args: string[]): Buffer {
  return run('git', ...args);
}

function run(program: string, ...args: string[]): Buffer {
  return execFileSync(program, args, { cwd: ROOT, maxBuffer: MOST_BYTES });
}
