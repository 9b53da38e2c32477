import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { link, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { temporaryFolder } from '../../../../packages/asmx/test/kit/folder.ts';
import { runNode } from '../../../../packages/asmx/test/kit/programs.ts';
import { isMet, licencesOf } from '../../../../scripts/supply/licences.ts';
import { COPIED, committedLock, runtimePackages } from '../../../../scripts/supply/lock.ts';
import { diskBytes } from '../../../../scripts/supply/size.ts';

const manifest = async (path: string) => JSON.parse(await readFile(path, 'utf8'));

describe('npm run sbom', () => {
  it('prints both packages with all that they need, and nothing that is for development alone', async () => {
    const { stdout } = await runNode('.', 'scripts/sbom.ts');
    const { bomFormat, metadata, components, dependencies } = JSON.parse(stdout);
    assert.equal(bomFormat, 'CycloneDX');
    assert.equal(metadata.component.name, 'ws01-workspaces');
    const refs = new Set<string>(components.map((one: { 'bom-ref': string }) => one['bom-ref']));
    const service = await manifest('apps/ws01/package.json');
    for (const [name, version] of Object.entries(service.dependencies))
      assert.ok(refs.has(`${name}@${version}`), name);
    assert.ok(refs.has(`ws01@${service.version}`));
    for (const [name, version] of Object.entries(
      (await manifest('package.json')).devDependencies,
    )) {
      assert.ok(!refs.has(`${name}@${version}`), name);
    }
    for (const { name, version } of [...runtimePackages(committedLock()), ...COPIED])
      assert.ok(refs.has(`${name}@${version}`), name);
    for (const { ref, dependsOn } of dependencies) {
      for (const one of dependsOn) assert.ok(refs.has(one), `${ref} depends on ${one}`);
    }
    for (const { name, licenses, hashes } of components) {
      assert.ok(licenses?.length > 0, name);
      assert.ok(
        hashes?.length > 0 || ['ws01', 'asmx', 'asmx-tools', 'fast-http'].includes(name),
        name,
      );
    }
  });
});

/** What `npm ci` may take for who tries the service out; bytes. */
const INSTALLED_BYTES = 320 * 1000 * 1000;

describe('npm ci', () => {
  const folders = runtimePackages(committedLock())
    .map(({ folder }) => folder)
    .filter((folder) => folder.includes('node_modules/'));

  it('installs at most 320 MB, Node included', () => {
    const bytes = diskBytes(folders);
    assert.ok(bytes <= INSTALLED_BYTES, `${Math.round(bytes / 1e6)} MB`);
    // Were the packages not found, nothing would be measured.
    const nodes = folders.filter((folder) => /^node_modules\/node-(bin-)?\w+-\w+$/.test(folder));
    assert.ok(diskBytes(nodes) > 50e6, 'Node is installed');
  });

  it('is measured as du does: each file once, nothing for what is not there', async (t) => {
    const folder = await temporaryFolder(t, 'ws01-size-');
    const empty = diskBytes([folder]);
    await mkdir(join(folder, 'in'));
    await writeFile(join(folder, 'in', 'one'), randomBytes(100_000));
    await link(join(folder, 'in', 'one'), join(folder, 'two'));
    const one = diskBytes([folder]) - empty;
    assert.ok(one >= 100_000 && one < 150_000, String(one));
    assert.equal(
      diskBytes([folder, join(folder, 'in'), join(folder, 'none')]),
      diskBytes([folder]),
    );
  });
});

describe('npm run licences', () => {
  it('prints a line for each package that is installed with ours, all of them permitted', async () => {
    const { stdout } = await runNode('.', 'scripts/licences.ts');
    const lines = stdout.trimEnd().split('\n');
    assert.equal(lines.length, runtimePackages(committedLock()).length + COPIED.length);
    assert.match(stdout, /^lucide-static +1\.62\.0 +ISC AND MIT +permissive$/m);
    assert.match(stdout, /^pg +\d+\.\d+\.\d+ +MIT +permissive$/m);
    assert.match(stdout, /^@img\/sharp-libvips-linux-x64 .* LGPL-3\.0-or-later +exception$/m);
    assert.doesNotMatch(stdout, /^typescript /m);
  });

  it('refuses what is not permissive, what is not declared, and an exception under another name', () => {
    const verdict = (name: string, license: string | undefined) =>
      licencesOf([{ name, version: '1.0.0', folder: 'nowhere', license }])[0]!.verdict;
    assert.equal(verdict('a', 'MIT'), 'permissive');
    assert.equal(verdict('a', 'GPL-3.0-only'), 'refused');
    assert.equal(verdict('a', undefined), 'refused');
    assert.equal(verdict('a', 'LGPL-3.0-or-later'), 'refused');
    assert.equal(verdict('@img/sharp-libvips-linux-x64', 'LGPL-3.0-or-later'), 'exception');
    assert.equal(verdict('@img/sharp-libvips-linux-x64', 'GPL-3.0-only'), 'refused');
  });

  it('reads SPDX expressions: of OR one, of AND all', () => {
    const met = (expression: string) => isMet(expression, new Set(['MIT', 'ISC']));
    for (const expression of [
      'MIT',
      'MIT AND ISC',
      'GPL-3.0-only OR MIT',
      '(MIT OR X) AND (ISC)',
      'X AND Y OR MIT',
    ]) {
      assert.ok(met(expression), expression);
    }
    for (const expression of [
      '',
      'X',
      'MIT AND X',
      '(MIT',
      'MIT)',
      'MIT ISC',
      'MIT OR',
      'X OR Y',
      'MIT AND (X OR Y)',
    ]) {
      assert.ok(!met(expression), expression);
    }
  });
});
