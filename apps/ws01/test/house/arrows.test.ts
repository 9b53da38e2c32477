import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { cp, mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { stripVTControlCharacters } from 'node:util';
import { temporaryFolder } from '../../../../packages/asmx/test/kit/folder.ts';
import { BY_NIGHT } from '../../../../packages/asmx/test/kit/lane.ts';
import { runNode } from '../../../../packages/asmx/test/kit/programs.ts';

const PACKAGES = readdirSync('packages');

/** A copy of the source with some files more, as the arrow check sees it. */
async function houseWith(
  test: TestContext,
  files: Readonly<Record<string, string>>,
): Promise<string> {
  const house = await temporaryFolder(test, 'ws01-house-');
  for (const part of [
    'apps/ws01/src',
    ...PACKAGES.flatMap((name) => [`packages/${name}/src`, `packages/${name}/package.json`]),
    'package.json',
    'tsconfig.json',
    '.dependency-cruiser.cjs',
  ]) {
    await cp(part, join(house, part), { recursive: true });
  }
  await symlinkModules(house);
  for (const [path, source] of Object.entries(files)) await writeFile(join(house, path), source);
  return house;
}

/** The libraries as they are installed; the engine as it stands in the copy. */
async function symlinkModules(house: string): Promise<void> {
  await mkdir(join(house, 'node_modules'));
  for (const name of await readdir('node_modules')) {
    if (name !== '@ws01')
      await symlink(resolve('node_modules', name), join(house, 'node_modules', name));
  }
  await mkdir(join(house, 'node_modules/@ws01'));
  for (const name of PACKAGES)
    await symlink(join(house, 'packages', name), join(house, 'node_modules/@ws01', name));
}

const CRUISER = resolve('node_modules/dependency-cruiser/bin/dependency-cruiser.mjs');
const arrows = (house: string, ...args: readonly string[]) =>
  runNode(house, CRUISER, '--config', '.dependency-cruiser.cjs', ...args);

type Plant = readonly [rule: string, folder: string, source: string];

/** For each room of the engine, a module that it may not import. */
const ABOVE: readonly (readonly [room: string, path: string])[] = [
  ['contract', '../message/http.ts'],
  ['message', '../lexical/index.ts'],
  ['lexical', '../xml/index.ts'],
  ['xml', '../lexical/index.ts'],
  ['values', '../exchange/call.ts'],
  ['exchange', '../engine/endpoint-options.ts'],
  ['describe', '../bindings/index.ts'],
  ['bindings', '../describe/query.ts'],
  ['engine', '../node/listener.ts'],
  ['security', '../engine/endpoint-options.ts'],
  ['node', '../fast/index.ts'],
  ['fast', '../bindings/index.ts'],
];

/** Forbidden imports, each with the rule that must refuse it, and the folder in which it stands. */
const PLANTS: readonly Plant[] = [
  [
    'asmx-imports',
    'packages/asmx/src',
    "export { actingUser } from '../../../apps/ws01/src/domain/shared/ownership.ts';\n",
  ],
  ...ABOVE.map(
    ([room, path]): Plant => [
      `engine-${room}-imports`,
      `packages/asmx/src/${room}`,
      `export type * from '${path}';\n`,
    ],
  ),
  ['asmx-has-no-dependencies', 'packages/asmx/src', "export { Hono } from 'hono';\n"],
  [
    'asmx-tools-imports',
    'packages/asmx-tools/src/client',
    "export type * from '../from/index.ts';\n",
  ],
  [
    'fast-http-imports',
    'packages/fast-http/src',
    "export type * from '@ws01/asmx/internal/values/plan';\n",
  ],
  [
    'asmx-by-its-entries',
    'apps/ws01/src/app',
    "export { parseBoolean } from '../../../../packages/asmx/src/lexical/boolean.ts';\n",
  ],
  [
    'only-contract-and-app-know-asmx',
    'apps/ws01/src/web',
    "export { createEndpoint } from '@ws01/asmx';\n",
  ],
  [
    'domain-imports',
    'apps/ws01/src/domain',
    "export type { Config } from '../config/config.ts';\n",
  ],
  [
    'domain-knows-no-driver',
    'apps/ws01/src/domain',
    "export { DatabaseSync } from 'node:sqlite';\n",
  ],
  [
    'only-the-listener-knows-http',
    'packages/asmx/src',
    "export { createServer } from 'node:http';\n",
  ],
  [
    'only-joined-by-app-and-cli',
    'apps/ws01/src/web',
    "export { alone } from '../cluster/peers.ts';\n",
  ],
  ['cluster-imports', 'apps/ws01/src/cluster', "export type { Store } from '../store/store.ts';\n"],
  ['only-app-joins', 'apps/ws01/src/web', "export { startApp } from '../app/app.ts';\n"],
];

describe('the arrow check', () => {
  it('sees the modules of the house, and refuses nothing but each planted import, by its rule', async (t) => {
    const files = PLANTS.map(([rule, folder, source]) => [`${folder}/planted-${rule}.ts`, source]);
    const planted = files.map(([path]) => path!);
    // By day the house itself is what `npm run arrows` checks beside the tests.
    const checked = BY_NIGHT
      ? ['apps/ws01/src', ...PACKAGES.map((name) => `packages/${name}/src`)]
      : ['--max-depth', '1', ...planted];
    const house = await houseWith(t, Object.fromEntries(files));
    const { code, stdout, stderr } = await arrows(house, ...checked);
    const output = stdout + stderr;
    assert.notEqual(code, 0, output);
    assert.ok(Number(/(\d+) modules/.exec(output)?.[1]) > (BY_NIGHT ? 500 : PLANTS.length), output);
    const found = stripVTControlCharacters(output);
    const refused = [...found.matchAll(/error [^:]+: (\S+) → /g)].map(([, path]) => path);
    assert.deepEqual(new Set(refused), new Set(planted), found);
    for (const [rule, folder] of PLANTS) {
      assert.match(found, new RegExp(`error ${rule}: ${folder}/planted-${rule}\\.ts → `), rule);
    }
  });
});
