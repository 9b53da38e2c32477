import assert from 'node:assert/strict';
import { open, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { temporaryFolder } from '../../../../../packages/asmx/test/kit/folder.ts';
import { orWithWholePng } from '../../../src/adapters/images/whole-png.ts';
import { damagedPictures } from '../../kit/images/damaged.ts';

/** Has each read of an open file take long enough for everything else to come first. */
async function slowReads(t: TestContext): Promise<void> {
  const file = await open(import.meta.filename);
  const prototype = Object.getPrototypeOf(file);
  await file.close();
  const { read } = prototype;
  t.mock.method(prototype, 'read', async function (this: unknown, ...args: unknown[]) {
    await sleep(15);
    return read.apply(this, args);
  });
}

test('a PNG with a wrong end is written again alike, however slow the disk is', async (t) => {
  const folder = await temporaryFolder(t);
  const [source, again] = [join(folder, 'source.png'), join(folder, 'again.png')];
  const writtenAgain = async (bytes: Buffer): Promise<Buffer | undefined> => {
    await writeFile(source, bytes);
    const work = async (path: string) => {
      if (path === source) throw new Error('The decoder cannot read it.');
      return readFile(path);
    };
    return orWithWholePng(source, again, work).catch(() => undefined);
  };
  const pictures = (await damagedPictures()).filter(({ format }) => format === 'png');
  const atOnce: (Buffer | undefined)[] = [];
  for (const { bytes } of pictures) atOnce.push(await writtenAgain(bytes));
  assert.ok(atOnce.filter((written) => written !== undefined).length > 15);
  await slowReads(t);
  for (const [index, { bytes, damage }] of pictures.entries())
    assert.deepEqual(await writtenAgain(bytes), atOnce[index], damage);
});
