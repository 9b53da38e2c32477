import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { changes, RELEASED } from '../../src/store/schema/changes.ts';

/** What must tell of the same release. */
interface Sources {
  /** By file: the version of a package, or the one that it asks for. */
  readonly versions: Readonly<Record<string, string>>;
  /** By file. */
  readonly changelogs: Readonly<Record<string, string>>;
  /** By the name of each `vX.Y.Z`: the version of the root package there. */
  readonly tags: Readonly<Record<string, string>>;
}

const HEADING = /^## (.*)$/gm;
const RELEASE = /^(\d+\.\d+\.\d+) \((\d{4}-\d{2}-\d{2})\)$/;

/** @returns what disagrees, a sentence each. */
function disagreements({ versions, changelogs, tags }: Sources): string[] {
  const [version] = Object.values(versions);
  const found = Object.entries(versions)
    .filter(([, other]) => other !== version)
    .map(([file, other]) => `${file} has ${other} instead of ${version}`);
  for (const [file, text] of Object.entries(changelogs)) {
    const headings = [...text.matchAll(HEADING)].map(([, heading]) => heading!);
    if (headings[0] === 'Unreleased') headings.shift();
    const releases = headings.map((heading) => RELEASE.exec(heading));
    const undated = headings.filter((_, index) => releases[index] === null);
    found.push(
      ...undated.map((heading) => `${file} has "${heading}" instead of a version and its date`),
    );
    if (releases[0]?.[1] !== version)
      found.push(`${file} begins with ${releases[0]?.[1]} instead of ${version}`);
    const dates = releases.flatMap((release) => release?.[2] ?? []);
    if (String(dates) !== String(dates.toSorted().reverse()))
      found.push(`${file} is not in the order of its dates`);
    const tagged = Object.keys(tags).filter(
      (tag) => !releases.some((release) => `v${release?.[1]}` === tag),
    );
    found.push(...tagged.map((tag) => `${file} does not have ${tag}`));
  }
  for (const [tag, at] of Object.entries(tags))
    if (tag !== `v${at}`) found.push(`${tag} is on a tree of ${at}`);
  return found;
}

const json = (path: string) => JSON.parse(readFileSync(path, 'utf8'));
const PACKAGES = globSync([
  'package.json',
  'packages/*/package.json',
  'apps/*/package.json',
]).sort();
const CHANGELOGS = ['CHANGELOG.md', 'packages/asmx/CHANGELOG.md'];

/** None where the tree is no clone, or one without tags. */
function tags(): Record<string, string> {
  const git = (...args: string[]) =>
    execFileSync('git', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  let names: string[];
  try {
    names = git('tag', '--list', 'v*.*.*').split('\n').filter(Boolean);
  } catch {
    return {};
  }
  return Object.fromEntries(
    names.map((name) => [name, JSON.parse(git('show', `${name}:package.json`)).version]),
  );
}

describe('a release', () => {
  it('has one version in packages, lock file, changelogs and tags', () => {
    const versions = Object.fromEntries(PACKAGES.map((path) => [path, json(path).version]));
    const { packages } = json('package-lock.json');
    for (const path of PACKAGES) {
      versions[`package-lock.json, ${path}`] =
        packages[path.replace(/\/?package\.json$/, '')].version;
    }
    for (const path of PACKAGES) {
      for (const [name, asked] of Object.entries<string>(json(path).dependencies ?? {}))
        if (name.startsWith('@ws01/')) versions[`${path}, ${name}`] = asked;
    }
    const changelogs = Object.fromEntries(
      CHANGELOGS.map((path) => [path, readFileSync(path, 'utf8')]),
    );
    assert.deepEqual(disagreements({ versions, changelogs, tags: tags() }), []);
  });

  it('has its statements recorded, on the schema that it has', () => {
    const { version } = json('package.json');
    const recorded = json(`apps/ws01/test/store/earlier-releases/${version}.json`);
    assert.equal(recorded.version, version);
    if (/^## Unreleased$/m.test(readFileSync('CHANGELOG.md', 'utf8'))) return;
    const remedy = `node --conditions=ws01-source apps/ws01/scripts/record-statements.ts ${version}`;
    const names = [...RELEASED, ...changes.map(({ name }) => name)];
    assert.deepEqual(recorded.migrations, names, `record again: ${remedy}`);
  });

  it('publishes each package with types for ES modules and for CommonJS, of each entry', () => {
    const workflow = readFileSync('.github/workflows/publish.yml', 'utf8');
    for (const path of PACKAGES) {
      const { name, exports = {}, private: isPrivate } = json(path);
      if (isPrivate) continue;
      assert.match(workflow, new RegExp(`for name in .*${name}[ ;]`));
      for (const [entry, given] of Object.entries<Record<string, unknown>>(exports)) {
        const source = String(given['ws01-source']);
        if (!source.includes('*')) assert.ok(existsSync(join(dirname(path), source)), entry);
        const built = source.replace(/^\.\/src\/(.*)\.ts$/, '$1');
        // The first that fits is taken: types must stand before the code.
        assert.deepEqual(
          Object.entries(given),
          [
            ['ws01-source', source],
            ['require', { types: `./dist/commonjs/${built}.d.ts`, default: `./dist/${built}.js` }],
            ['types', `./dist/${built}.d.ts`],
            ['default', `./dist/${built}.js`],
          ],
          `${path}: ${entry}`,
        );
      }
    }
  });

  it('is refused where one of them tells of another', () => {
    const right: Sources = {
      versions: { 'package.json': '1.3.0', 'asmx/package.json': '1.3.0' },
      changelogs: {
        'CHANGELOG.md':
          '# Changelog\n\n## Unreleased\n\n## 1.3.0 (2026-12-24)\n\n## 1.2.0 (2026-12-01)\n',
      },
      tags: { 'v1.2.0': '1.2.0', 'v1.3.0': '1.3.0' },
    };
    assert.deepEqual(disagreements(right), []);
    const changelog = (text: string) =>
      disagreements({ ...right, changelogs: { 'CHANGELOG.md': text } });
    assert.deepEqual(
      disagreements({ ...right, versions: { ...right.versions, 'asmx/package.json': '1.2.0' } }),
      ['asmx/package.json has 1.2.0 instead of 1.3.0'],
    );
    assert.deepEqual(changelog('## Unreleased\n\n## 1.2.0 (2026-12-01)\n'), [
      'CHANGELOG.md begins with 1.2.0 instead of 1.3.0',
      'CHANGELOG.md does not have v1.3.0',
    ]);
    assert.deepEqual(changelog('## 1.3.0 (2026-11-30)\n## 1.2.0 (2026-12-01)\n'), [
      'CHANGELOG.md is not in the order of its dates',
    ]);
    assert.deepEqual(changelog('## 1.3.0 (2026-12-24)\n## 1.2.0\n'), [
      'CHANGELOG.md has "1.2.0" instead of a version and its date',
      'CHANGELOG.md does not have v1.2.0',
    ]);
    assert.deepEqual(disagreements({ ...right, tags: { 'v1.3.0': '1.2.0' } }), [
      'v1.3.0 is on a tree of 1.2.0',
    ]);
  });
});
