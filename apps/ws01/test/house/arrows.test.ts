import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, it, type TestContext } from 'node:test';

/** A copy of the source with one file more, as the arrow check sees it. */
async function houseWith(test: TestContext, path: string, source: string): Promise<string> {
  const house = await mkdtemp(join(tmpdir(), 'ws01-house-'));
  test.after(() => rm(house, { recursive: true, force: true }));
  for (const part of [
    'apps/ws01/src',
    'packages/asmx/src',
    'packages/asmx/package.json',
    'package.json',
    'tsconfig.json',
    '.dependency-cruiser.cjs',
  ]) {
    await cp(part, join(house, part), { recursive: true });
  }
  await symlinkModules(house);
  await writeFile(join(house, path), source);
  return house;
}

/** The libraries as they are installed; the engine as it stands in the copy. */
async function symlinkModules(house: string): Promise<void> {
  await mkdir(join(house, 'node_modules'));
  for (const name of await readdir('node_modules')) {
    if (name !== '@ws01') await symlink(resolve('node_modules', name), join(house, 'node_modules', name));
  }
  await mkdir(join(house, 'node_modules/@ws01'));
  await symlink(join(house, 'packages/asmx'), join(house, 'node_modules/@ws01/asmx'));
}

function arrows(cwd: string): Promise<{ failed: boolean; output: string }> {
  const args = [
    resolve('node_modules/dependency-cruiser/bin/dependency-cruiser.mjs'),
    '--config',
    '.dependency-cruiser.cjs',
    'packages/asmx/src',
    'apps/ws01/src',
  ];
  return new Promise((done) => {
    execFile(process.execPath, args, { cwd }, (error, stdout, stderr) =>
      done({ failed: error !== null, output: stdout + stderr }),
    );
  });
}

/** Forbidden imports, each with the rule that must refuse it. */
const PLANTS: readonly [rule: string, path: string, source: string][] = [
  [
    'asmx-imports',
    'packages/asmx/src/planted.ts',
    "export { actingUser } from '../../../apps/ws01/src/domain/shared/ownership.ts';\n",
  ],
  ['asmx-has-no-dependencies', 'packages/asmx/src/planted.ts', "export { Hono } from 'hono';\n"],
  [
    'asmx-by-its-entries',
    'apps/ws01/src/app/planted.ts',
    "export { parseBoolean } from '../../../../packages/asmx/src/lexical/boolean.ts';\n",
  ],
  ['only-contract-and-app-know-asmx', 'apps/ws01/src/web/planted.ts', "export { createEndpoint } from '@ws01/asmx';\n"],
  ['domain-imports', 'apps/ws01/src/domain/planted.ts', "export type { Config } from '../config/config.ts';\n"],
  ['domain-knows-no-driver', 'apps/ws01/src/domain/planted.ts', "export { DatabaseSync } from 'node:sqlite';\n"],
  ['only-the-listener-knows-http', 'packages/asmx/src/planted.ts', "export { createServer } from 'node:http';\n"],
  ['only-joined-by-app-and-cli', 'apps/ws01/src/web/planted.ts', "export { alone } from '../cluster/peers.ts';\n"],
  ['cluster-imports', 'apps/ws01/src/cluster/planted.ts', "export type { Store } from '../store/store.ts';\n"],
  ['only-app-joins', 'apps/ws01/src/web/planted.ts', "export { startApp } from '../app/app.ts';\n"],
];

describe('the arrow check', () => {
  it('sees the modules of the house', async (t) => {
    const { failed, output } = await arrows(
      await houseWith(t, 'apps/ws01/src/domain/planted.ts', 'export const nothing = 0;\n'),
    );
    assert.equal(failed, false, output);
    assert.ok(Number(/(\d+) modules/.exec(output)?.[1]) > 50, output);
  });

  for (const [rule, path, source] of PLANTS) {
    it(`refuses a planted import against ${rule}`, async (t) => {
      const { failed, output } = await arrows(await houseWith(t, path, source));
      assert.equal(failed, true, output);
      assert.match(output, new RegExp(rule));
    });
  }
});
