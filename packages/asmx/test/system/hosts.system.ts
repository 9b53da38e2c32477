// needs: npm
/**
 * The programs of the site's page about hosts, in the hosts that are too heavy for `npm test`:
 * each does what its row in the table says. The packages come from npm, ours from a tarball.
 */

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { words } from '../../src/contract/words.ts';
import { hostsOfTable, programOf, rowOf } from '../kit/hosts/page.ts';
import { hostFolder, startHost, writeHost } from '../kit/hosts/start.ts';
import { tryHost } from '../kit/hosts/try.ts';
import { freePort } from '../kit/listen.ts';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));
const PACKAGES = words(
  'bun@1.4.5 deno@2.9.6 @nestjs/common@12.5.1 @nestjs/core@12.5.1',
  '@nestjs/platform-express@12.5.1 reflect-metadata@0.2.2 rxjs@7.8.2 next@16.4.6 react@19.3.1',
  'react-dom@19.3.1 typescript@5.9.3 @types/react@19.2.2 @types/node@24.10.0',
);

let folder = '';
const npm = (...args: string[]) =>
  execFileSync('npm', args, {
    cwd: folder,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });

before(() => {
  folder = mkdtempSync(join(tmpdir(), 'asmx-hosts-'));
  writeFileSync(join(folder, 'package.json'), '{"private":true,"type":"module"}');
  npm('pack', '--silent', '--pack-destination', folder, '-w', '@ws01/asmx', '--prefix', ROOT);
  const flags = ['--no-audit', '--no-fund', '--omit=peer', '--ignore-scripts=false'];
  npm('install', ...flags, ...PACKAGES, './ws01-asmx-0.2.0.tgz');
});
after(() => rmSync(folder, { recursive: true, force: true }));

const bin = (name: string) => join(folder, 'node_modules', '.bin', name);

suite('a host does what its row in the table says', () => {
  const modules = () => join(folder, 'node_modules');

  for (const [host, commandOf] of [
    ['Bun', () => [bin('bun'), 'server.ts']],
    ['Deno', () => [bin('deno'), 'run', '--allow-all', '--no-check', 'server.ts']],
    ['Nest', () => [process.execPath, 'server.ts']],
  ] as const) {
    test(host, async (context) => {
      const port = await freePort();
      const files = {
        'server.ts': programOf(host).replace('8080', String(port)),
        'app.module.js': `import { Module } from '@nestjs/common';
export class AppModule {}
Module({})(AppModule);
`,
      };
      const [command, ...args] = commandOf();
      const served = hostFolder(context, files, modules());
      const origin = await startHost(context, served, [command!, ...args], port);
      assert.deepEqual(await tryHost(`${origin}/Orders.asmx`), rowOf(host));
    });
  }

  test('node:http on Bun says http in its WSDL', async (context) => {
    const port = await freePort();
    const files = { 'server.ts': programOf('node:http').replace('8080', String(port)) };
    const served = hostFolder(context, files, modules());
    const origin = await startHost(context, served, [bin('bun'), 'server.ts'], port);
    const wsdl = await (await fetch(`${origin}/Orders.asmx?WSDL`)).text();
    assert.ok(wsdl.includes(`address location="${origin}/Orders.asmx"`));
  });

  test('Next.js', async (context) => {
    const port = await freePort();
    const files = {
      'app/Orders.asmx/[[...operation]]/route.ts': programOf('Next.js'),
      'app/layout.tsx':
        'export default ({ children }: any) => <html lang="en"><body>{children}</body></html>;\n',
    };
    // Its bundler follows no link out of the folder.
    writeHost(folder, files);
    const env = { ...process.env, NEXT_TELEMETRY_DISABLED: '1' };
    execFileSync(bin('next'), ['build'], { cwd: folder, stdio: 'inherit', env });
    const command = [bin('next'), 'start', '--port', String(port)] as const;
    const origin = await startHost(context, folder, command, port);
    assert.deepEqual(await tryHost(`${origin}/Orders.asmx`), rowOf('Next.js'));
  });

  test('each host of the table is tried', () => {
    const here = ['Bun', 'Deno', 'Nest', 'Next.js'];
    const inTests = ['node:http', 'Express', 'Fastify', 'Hono', 'AWS Lambda', 'No server'];
    assert.deepEqual(hostsOfTable().toSorted(), [...here, ...inTests].toSorted());
  });
});
