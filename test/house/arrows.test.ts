import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cp, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, it, type TestContext } from 'node:test';

/** A copy of the source with one file more, as the arrow check sees it. */
async function houseWith(test: TestContext, path: string, source: string): Promise<string> {
  const house = await mkdtemp(join(tmpdir(), 'ws01-house-'));
  test.after(() => rm(house, { recursive: true, force: true }));
  for (const part of ['src', 'package.json', 'tsconfig.json', '.dependency-cruiser.cjs']) {
    await cp(part, join(house, part), { recursive: true });
  }
  await symlink(resolve('node_modules'), join(house, 'node_modules'));
  await writeFile(join(house, path), source);
  return house;
}

function arrows(cwd: string): Promise<{ failed: boolean; output: string }> {
  const args = [
    resolve('node_modules/dependency-cruiser/bin/dependency-cruiser.mjs'),
    '--config',
    '.dependency-cruiser.cjs',
    'src',
  ];
  return new Promise((done) => {
    execFile(process.execPath, args, { cwd }, (error, stdout, stderr) =>
      done({ failed: error !== null, output: stdout + stderr }),
    );
  });
}

/** Forbidden imports, each with the rule that must refuse it. */
const PLANTS: readonly [rule: string, path: string, source: string][] = [
  ['asmx-imports', 'src/asmx/planted.ts', "export { actingUser } from '../domain/ownership.ts';\n"],
  ['domain-imports', 'src/domain/planted.ts', "export type { Config } from '../config.ts';\n"],
  ['domain-knows-no-driver', 'src/domain/planted.ts', "export { DatabaseSync } from 'node:sqlite';\n"],
  ['one-file-knows-http', 'src/asmx/planted.ts', "export { createServer } from 'node:http';\n"],
  ['only-joined-by-app-and-cli', 'src/web/planted.ts', "export { alone } from '../cluster/peers.ts';\n"],
  ['cluster-imports', 'src/cluster/planted.ts', "export type { Store } from '../store/store.ts';\n"],
  ['only-app-joins', 'src/web/planted.ts', "export { startApp } from '../app.ts';\n"],
];

describe('the arrow check', () => {
  it('sees the modules of the house', async (t) => {
    const { failed, output } = await arrows(await houseWith(t, 'src/domain/planted.ts', 'export const nothing = 0;\n'));
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
