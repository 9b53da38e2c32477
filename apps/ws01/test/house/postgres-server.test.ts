import assert from 'node:assert/strict';
import { once } from 'node:events';
import { access, cp, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { temporaryFolder } from '../../../../packages/asmx/test/kit/folder.ts';
import { findPrograms, installedPrograms, ownerOfServers } from '../kit/postgres-server.ts';

test('PostgreSQL runs from a folder that its user may not enter, and leaves no copy behind', async (t) => {
  const closed = await temporaryFolder(t, 'ws01 只读-');
  const native = join(closed, 'checkout 测试', 'native');
  await mkdir(join(closed, 'checkout 测试'));
  // What mkdtemp makes is closed to all others; the tests of root run as another one.
  await cp(installedPrograms(), native, { recursive: true, verbatimSymlinks: true });
  const programs = await findPrograms(await ownerOfServers(), native);
  const child = programs.run('postgres', ['--version'], '/');
  assert.match(await text(child.stdout!), /^postgres \(PostgreSQL\) \d/);
  if (child.exitCode === null) await once(child, 'exit');
  const [program = ''] = child.spawnargs;
  programs.remove();
  const isThere = await access(program).then(
    () => true,
    () => false,
  );
  assert.equal(isThere, program.startsWith(native));
});
