/** `npm run -s sbom`: what the packages consist of, in CycloneDX. */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ROOT } from './spec/tree.ts';
import { COPIED, committedLock, runtimePackages } from './supply/lock.ts';

const HELP = `Prints a software bill of materials as CycloneDX JSON: the packages, and all that they bring along.

  npm run -s sbom > sbom.cdx.json`;

interface Bom {
  readonly metadata: { readonly component: { name: string } };
  readonly components: readonly { readonly 'bom-ref': string }[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
}

/**
 * The document that npm makes, without what is for development alone. npm's own `--omit dev` cannot be used: it also
 * leaves out what both our packages and a tool need, such as `pg` (npm 11).
 * @throws Error in one line when npm fails.
 */
function bom(): Bom {
  const { stdout, stderr, status, error } = spawnSync(
    'npm',
    [
      'sbom',
      '--sbom-format',
      'cyclonedx',
      '--package-lock-only',
      '--include=dev',
      '--loglevel',
      'error',
    ],
    {
      cwd: ROOT,
      encoding: 'utf8',
      maxBuffer: 64 * 1024 * 1024,
      shell: process.platform === 'win32',
    },
  );
  if (status !== 0)
    throw new Error(`npm sbom failed: ${error?.message ?? stderr.trim().split('\n')[0]}`);
  const full = JSON.parse(stdout) as Bom;
  const { name, version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  // npm calls it by its folder.
  full.metadata.component.name = name;
  const kept = new Set(runtimePackages(committedLock()).map((one) => `${one.name}@${one.version}`));
  const refs = new Set([...kept, `${name}@${version}`]);
  return {
    ...full,
    components: [
      ...full.components.filter((one) => kept.has(one['bom-ref'])),
      ...COPIED.map(copiedComponent),
    ],
    dependencies: full.dependencies
      .filter(({ ref }) => refs.has(ref))
      .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((one) => kept.has(one)) })),
  };
}

/** The entry of what our files have a copy of; the hash is that of the copy. */
function copiedComponent({ name, version, license, folder, file }: (typeof COPIED)[number]) {
  const content = createHash('sha512')
    .update(readFileSync(join(ROOT, folder, file)))
    .digest('hex');
  return {
    ...{ type: 'library', 'bom-ref': `${name}@${version}`, name, version },
    licenses: [{ expression: license }],
    hashes: [{ alg: 'SHA-512', content }],
  };
}

try {
  const { values } = parseArgs({ options: { help: { type: 'boolean' } } });
  console.log(values.help ? HELP : JSON.stringify(bom(), undefined, 2));
} catch (error) {
  console.error(`sbom: ${(error as Error).message.split('\n')[0]}`);
  process.exitCode = 2;
}
