import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { access, copyFile, mkdir, readFile, readlink, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { temporaryFolder } from '../../../../packages/asmx/test/kit/folder.ts';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));

/** A package of the registry, as its package.json and package-lock.json have it. */
interface Package {
  readonly name: string;
  readonly os?: string | readonly string[];
  readonly cpu?: string | readonly string[];
  readonly libc?: readonly string[];
  readonly bin?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

const HERE = { os: [process.platform], cpu: process.arch };
const NATIVE = `@img/native-${process.platform}`;

/** What an installation wants: its own Node, and a library with a part for each machine, which has a part itself. */
const PACKAGES: readonly Package[] = [
  { name: 'node-here', ...HERE, bin: { node: 'bin/node' } },
  { name: 'node-elsewhere', os: ['sunos'], cpu: process.arch },
  {
    name: NATIVE,
    ...HERE,
    optionalDependencies: { 'native-libs': '1.0.0', 'native-old': '1.0.0' },
  },
  { name: '@img/native-elsewhere', os: process.platform, cpu: ['s390'] },
  { name: 'native-libs', os: ['!win32'], cpu: [process.arch, 's390'] },
  { name: 'native-old', os: process.platform, libc: ['another'] },
  { name: 'convenience' },
];
const ENTRIES: Readonly<Record<string, readonly string[]>> = {
  '': ['node-here', 'node-elsewhere'],
  'node_modules/library': [NATIVE, '@img/native-elsewhere', 'convenience'],
};

/** An installation in which npm has left out every optional package, and a registry that has them. */
async function installation(t: TestContext) {
  const folder = await temporaryFolder(t, 'ws01 安装-');
  const archives = new Map<string, Buffer>();
  for (const one of PACKAGES) archives.set(one.name, await archiveOf(folder, one));
  const asked: string[] = [];
  const registry = createServer((request, response) => {
    const path = decodeURIComponent(request.url!.slice(1));
    const name = path.replace(/\.tgz$/, '');
    const archive = archives.get(name);
    asked.push(path);
    if (archive === undefined) response.writeHead(404).end('{}');
    else if (path.endsWith('.tgz')) response.end(archive);
    else response.end(JSON.stringify(documentOf(name, archive, `http://${request.headers.host}/`)));
  }).listen(0, '127.0.0.1');
  t.after(() => registry.close());
  await new Promise((resolve) => registry.once('listening', resolve));

  const packages = Object.fromEntries([
    ...PACKAGES.map((one) => [
      `node_modules/${one.name}`,
      { version: '1.0.0', optional: true, integrity: hashOf(archives.get(one.name)!), ...one },
    ]),
    ...Object.entries(ENTRIES).map(([place, names]) => [
      place,
      {
        version: '1.0.0',
        optionalDependencies: Object.fromEntries(names.map((name) => [name, '1.0.0'])),
      },
    ]),
  ]);
  const at = (...path: string[]) => join(folder, 'ws01', ...path);
  const put = async (path: string, text: string) => {
    await mkdir(dirname(at(path)), { recursive: true });
    await writeFile(at(path), text);
  };
  await put('package.json', '{"type":"module"}');
  await put('apps/ws01/package.json', '{}');
  await put('node_modules/library/package.json', '{}');
  await put('package-lock.json', JSON.stringify({ packages }));
  await mkdir(at('scripts'));
  await copyFile(join(ROOT, 'scripts/after-install.js'), at('scripts/after-install.js'));
  await symlink(join(ROOT, 'node_modules/tar'), at('node_modules/tar'));
  const env = {
    PATH: process.env.PATH,
    npm_config_registry: `http://127.0.0.1:${(registry.address() as AddressInfo).port}/`,
    npm_config_cache: join(folder, 'cache'),
    npm_config_fetch_retries: '0',
    npm_config_update_notifier: 'false',
    npm_config_user_agent: 'npm/9.2.0 node/v18.20.4 linux x64',
  };
  const install = (more: Record<string, string> = {}) =>
    run(process.execPath, [at('scripts/after-install.js')], { env: { ...env, ...more } });
  return { at, put, archives, asked, install };
}

async function archiveOf(folder: string, one: Package): Promise<Buffer> {
  const source = join(folder, 'sources', one.name, 'package');
  for (const part of ['bin', 'include']) await mkdir(join(source, part), { recursive: true });
  await writeFile(join(source, 'package.json'), JSON.stringify({ version: '1.0.0', ...one }));
  await writeFile(join(source, 'bin/node'), '#!/bin/sh\n', { mode: 0o755 });
  await writeFile(join(source, 'include/node.h'), '');
  await run('tar', ['-czf', join(source, '../it.tgz'), '-C', dirname(source), 'package']);
  return readFile(join(source, '../it.tgz'));
}

const hashOf = (archive: Buffer) =>
  `sha512-${createHash('sha512').update(archive).digest('base64')}`;

function documentOf(name: string, archive: Buffer, registry: string) {
  const dist = {
    tarball: `${registry}${encodeURIComponent(name)}.tgz`,
    integrity: hashOf(archive),
  };
  return {
    name,
    'dist-tags': { latest: '1.0.0' },
    versions: { '1.0.0': { name, version: '1.0.0', dist } },
  };
}

const isThere = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  );

describe('after npm ci', () => {
  it('what npm left out for this machine is there, and nothing for another', async (t) => {
    const { at, asked, install } = await installation(t);
    const { stdout } = await install();
    for (const { name } of PACKAGES) {
      const wanted = ['node-here', NATIVE, 'native-libs'].includes(name);
      assert.equal(await isThere(at('node_modules', name, 'package.json')), wanted, name);
      assert.equal(stdout.includes(`npm left out ${name}@1.0.0; fetched it.\n`), wanted, name);
    }
    assert.equal(await readlink(at('node_modules/.bin/node')), '../node-here/bin/node');
    assert.equal(
      await isThere(at('node_modules/node-here/include')),
      false,
      'headers are not needed',
    );

    asked.length = 0;
    assert.equal((await install()).stdout, '');
    assert.deepEqual(asked, [], 'an installation that has all asks for nothing');
  });

  for (const [what, plan] of [
    [
      'another archive than the lock names',
      (archives: Map<string, Buffer>) => archives.set(NATIVE, archives.get('native-libs')!),
    ],
    [
      'a package that the registry does not have',
      (archives: Map<string, Buffer>) => archives.delete(NATIVE),
    ],
  ] as const) {
    it(`${what} fails in one line with the remedy, and is not installed`, async (t) => {
      const { at, archives, install } = await installation(t);
      plan(archives);
      await assert.rejects(install(), {
        code: 1,
        stderr: new RegExp(
          `^npm left out .*${NATIVE}@1\\.0\\.0.*: .*: npm ci --include=optional\\n$`,
        ),
      });
      assert.equal(await isThere(at('node_modules', NATIVE)), false);
    });
  }

  it('another installer is told to leave it to npm', async (t) => {
    const { install } = await installation(t);
    for (const agent of ['pnpm/10.1.0 npm/? node/v22.1.0', 'yarn/1.22.22 npm/? node/v22.1.0']) {
      await assert.rejects(install({ npm_config_user_agent: agent }), {
        code: 1,
        stderr: `WS01 is installed by npm, whose package-lock.json it has, not by ${agent.split('/')[0]}: npm ci\n`,
      });
    }
  });
});
