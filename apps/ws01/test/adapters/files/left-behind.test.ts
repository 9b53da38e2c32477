import assert from 'node:assert/strict';
import { mkdir, readdir, utimes } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { DAY_MS, MINUTE_MS } from '@ws01/asmx/time';
import { temporaryFolder } from '../../../../../packages/asmx/test/kit/folder.ts';
import { ownPrefix, removeLeftBehind } from '../../../src/adapters/files/left-behind.ts';

/** No system has a process with this number. */
const NO_PROCESS = 2 ** 30;

it('what killed processes left goes; what others may work on stays for a day', async (t) => {
  const folder = await temporaryFolder(t);
  const made = async (name: string, age = 0) => {
    const at = (Date.now() - age) / 1_000;
    await mkdir(join(folder, name));
    await utimes(join(folder, name), at, at);
    return name;
  };
  const own = ownPrefix('a.partial-');
  const left = own.replace(`@${process.pid}`, `@${NO_PROCESS}`);
  const parent = own.replace(`@${process.pid}`, `@${process.ppid}`);
  await made(`${left}x`);
  await made(`a.partial-another@${NO_PROCESS}-x`, DAY_MS + MINUTE_MS);
  // As version 0.2.0 named them.
  await made('a.partial-Xy12ab', DAY_MS + MINUTE_MS);
  const staying = [
    await made(`${parent}old`, 2 * DAY_MS),
    await made(`a.partial-another@${NO_PROCESS}-y`, DAY_MS - MINUTE_MS),
    // A machine whose name begins as ours does.
    await made(`a.partial-${hostname()}-${NO_PROCESS}@7-x`),
    await made(`b.partial-${NO_PROCESS}`, 2 * DAY_MS),
  ];
  await removeLeftBehind(folder, 'a.partial-');
  assert.deepEqual((await readdir(folder)).toSorted(), staying.toSorted());
});
