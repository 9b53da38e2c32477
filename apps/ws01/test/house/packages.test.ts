// night: the packages are built, packed and installed
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';

const run = promisify(execFile);

/** What is published, installed from the tarballs beside the libraries of the working copy. */
describe('the published packages', () => {
  let folder: string;
  let modules: string;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'ws01-packages-'));
    modules = join(folder, 'node_modules');
    await mkdir(join(modules, '@ws01'), { recursive: true });
    const args = ['pack', '--workspaces', '--pack-destination', folder];
    await run('npm', args, { env: { ...process.env, npm_config_loglevel: 'error' } });
    for (const name of await readdir('node_modules')) {
      if (!['@ws01', 'ws01', '.bin', '.cache'].includes(name)) {
        await symlink(resolve('node_modules', name), join(modules, name));
      }
    }
    for (const tarball of (await readdir(folder)).filter((file) => file.endsWith('.tgz'))) {
      const [, own] = /^ws01-(\D+)-/.exec(tarball) ?? [];
      const target = join(modules, own === undefined ? 'ws01' : `@ws01/${own}`);
      await mkdir(target);
      await run('tar', ['-xzf', join(folder, tarball), '-C', target, '--strip-components=1']);
    }
  });
  after(() => rm(folder, { recursive: true, force: true }));

  it('the engine has every entry that it names, and needs nothing', async () => {
    const { exports, dependencies, engines } = JSON.parse(
      await readFile(join(modules, '@ws01/asmx/package.json'), 'utf8'),
    );
    assert.deepEqual([dependencies, engines.node], [undefined, '>=22']);
    for (const [entry, { types, require, default: code }] of Object.entries<{
      types: string;
      require?: { types: string; default: string };
      default: string;
    }>(exports)) {
      // The entry for the packages beside it is all that there is.
      for (const file of [types, code, require?.types ?? types, require?.default ?? code])
        await stat(join(modules, '@ws01/asmx', file.replace('*', 'node/linger')));
      assert.ok(code.startsWith('./dist/'), entry);
    }
    const script =
      "import { createEndpoint } from '@ws01/asmx'; console.log(typeof createEndpoint)";
    const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', script], {
      cwd: folder,
    });
    assert.equal(stdout, 'function\n');
  });

  it('the engine and its tools take less than 2 MB, and their clients little', async () => {
    for (const name of ['asmx', 'asmx-tools']) {
      const home = join(modules, '@ws01', name);
      const files = globSync('**/*', { cwd: home, withFileTypes: true }).filter((f) => f.isFile());
      let bytes = 0;
      for (const file of files) bytes += (await stat(join(file.parentPath, file.name))).size;
      assert.ok(bytes < 2_000_000, `${name}: ${bytes} bytes`);
    }
    for (const [entry, name, most] of [
      ['@ws01/asmx', 'createEndpoint', 135_000],
      ['@ws01/asmx-tools/client', 'createClient', 3_000],
    ] as const) {
      const made = await build({
        stdin: { contents: `export { ${name} } from '${entry}';`, resolveDir: folder },
        bundle: true,
        minify: true,
        write: false,
        format: 'esm',
        platform: 'node',
      });
      const bytes = gzipSync(made.outputFiles[0]!.contents).length;
      assert.ok(bytes < most, `${entry}: ${bytes} bytes`);
    }
  });

  it('a CommonJS project finds types and code', async () => {
    const project = join(folder, 'commonjs');
    await mkdir(project);
    const program = `import { createEndpoint, operation, service, string } from '@ws01/asmx';
import { fetchHandler } from '@ws01/asmx/fetch';
import { createClient } from '@ws01/asmx-tools/client';
const S = service('S', { namespace: 'urn:s', operations: { A: operation({ result: string }) } });
const serve = fetchHandler(createEndpoint(S, { path: '/S.asmx', handlers: { A: () => 'a' } }));
export const client = createClient(S, { url: 'http://localhost/S.asmx' });
serve(new Request('http://localhost/S.asmx/A'))?.then(async (said) => console.log(await said.text()));
`;
    await writeFile(join(project, 'package.json'), '{"type":"commonjs"}');
    await writeFile(join(project, 'program.ts'), program);
    for (const [module, target] of [
      ['node16', 'es2022'],
      ['nodenext', 'es2024'],
    ]) {
      const config = { module, target, strict: true, types: ['node'], skipLibCheck: false };
      const tsconfig = JSON.stringify({ compilerOptions: config, include: ['*.ts'] });
      await writeFile(join(project, 'tsconfig.json'), tsconfig);
      const compiler = resolve('node_modules/typescript/bin/tsc');
      await run(process.execPath, [compiler, '-p', project]).catch(({ stdout }) =>
        assert.fail(stdout),
      );
      const { stdout } = await run(process.execPath, [join(project, 'program.js')]);
      assert.match(stdout, />a</);
    }
  });

  it('the commands of the engine run its tests and its benches', async () => {
    const { scripts } = JSON.parse(await readFile('packages/asmx/package.json', 'utf8'));
    const [, pattern = ''] = /test:run -- (\S+)$/.exec(scripts.test) ?? [];
    const files = globSync('packages/*/test/**/*.test.ts');
    assert.ok(files.length > 50, String(files.length));
    assert.deepEqual(
      files.filter((file) => !file.includes(pattern)),
      [],
    );
    const [, names = ''] = /for name in ([\w -]+);/.exec(scripts.bench) ?? [];
    for (const name of names.split(' ')) await stat(`bench/${name}.ts`);
  });

  it('the service brings the lock of what it needs, as the lock of the working copy has it', async () => {
    const { packages } = JSON.parse(
      await readFile(join(modules, 'ws01/npm-shrinkwrap.json'), 'utf8'),
    );
    const manifest = JSON.parse(await readFile(join(modules, 'ws01/package.json'), 'utf8'));
    const { packages: locked } = JSON.parse(await readFile('package-lock.json', 'utf8'));
    for (const [name, version] of Object.entries(manifest.dependencies)) {
      assert.equal(packages[`node_modules/${name}`]?.version, version, name);
    }
    // npm installs nothing that a shrinkwrap does not name; ours have no hash before it is published.
    type Locked = { version: string; integrity?: string; link?: true };
    const { '': own, ...rest } = packages as Record<string, Locked>;
    const others = Object.fromEntries(
      Object.entries(rest).filter(([folder]) => !folder.startsWith('node_modules/@ws01/')),
    );
    assert.equal(own?.version, manifest.version);
    assert.ok(Object.keys(others).length > Object.keys(manifest.dependencies).length);
    for (const [folder, { version, integrity, link }] of Object.entries(others)) {
      assert.deepEqual(
        [version, integrity],
        [locked[folder]?.version, locked[folder]?.integrity],
        folder,
      );
      assert.ok(integrity?.startsWith('sha512-') && link === undefined, folder);
    }
    // Those of other platforms, too, which the lock of a folder of modules would not have.
    assert.ok(
      others['node_modules/@img/sharp-linux-arm64'] && others['node_modules/@img/sharp-linux-x64'],
    );
    for (const tool of ['typescript', 'playwright-core', 'fast-check'])
      assert.equal(others[`node_modules/${tool}`], undefined);
  });

  it('no page of theirs has a link to what is not in the package', async () => {
    for (const name of ['@ws01/asmx', '@ws01/asmx-tools', '@ws01/fast-http', 'ws01']) {
      const home = join(modules, name);
      for (const page of await pagesOf(home)) {
        const text = (await readFile(page, 'utf8')).replace(/^```.*?^```/gms, '');
        for (const [, link] of text.matchAll(/\]\((?![a-z]+:|#)([^)\s#]+)/g)) {
          await assert.doesNotReject(stat(join(dirname(page), link!)), `${page}: ${link}`);
        }
      }
    }
  });

  it('the service runs from its build', async (t) => {
    const bin = join(modules, 'ws01/bin/ws01.js');
    const { version } = JSON.parse(await readFile('apps/ws01/package.json', 'utf8'));
    assert.equal((await run(process.execPath, [bin, '--version'])).stdout, `${version}\n`);
    const env = {
      PATH: process.env.PATH ?? '',
      PORT: '0',
      DATA_DIR: join(folder, 'data'),
      LOG_LEVEL: 'warn',
    };
    const child = spawn(process.execPath, [bin, 'serve', '--json'], {
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const ended = once(child, 'exit');
    // It writes what the engine made of its sources, into the folder that is removed.
    t.after(async () => {
      child.kill('SIGKILL');
      await ended;
    });
    let line = '';
    for await (const chunk of child.stdout) {
      line += chunk;
      if (line.includes('\n')) break;
    }
    const { port } = JSON.parse(line) as { port: number };
    const answer = await fetch(`http://127.0.0.1:${port}/WS01.asmx?WSDL`);
    assert.match(await answer.text(), /<wsdl:definitions/);
  });
});

async function pagesOf(home: string): Promise<string[]> {
  const files = await readdir(home, { recursive: true });
  return files.filter((file) => file.endsWith('.md')).map((file) => join(home, file));
}
