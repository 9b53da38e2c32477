import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { replaceDescriptor, targetOf } from '../../../../asmx/test/kit/descriptor.ts';
import { temporaryFolder } from '../../../../asmx/test/kit/folder.ts';
import type { RecordedExchange } from '../../../src/from/traffic/exchange.ts';
import { RecordingFile } from '../../../src/from/traffic/recording-file.ts';

test('a full disk is told once, and what comes when there is room again is recorded', async (t) => {
  const file = join(await temporaryFolder(t, 'asmx-full-'), 'r.jsonl');
  const told: string[] = [];
  const recording = await RecordingFile.create(file, 'http://old', ({ message }) =>
    told.push(message.split(':', 1)[0]!),
  );
  const add = (target: string) => recording.add({ target } as RecordedExchange);
  await add('/1');
  replaceDescriptor((fd) => targetOf(fd) === file, '/dev/full');
  await add('/2');
  await add('/3');
  replaceDescriptor((fd) => targetOf(fd) === '/dev/full', file);
  await add('/4');
  assert.deepEqual(told, ['ENOSPC']);
  await assert.rejects(recording.close(), { code: 'ENOSPC' });
  assert.equal(recording.count, 2);
  const lines = (await readFile(file, 'utf8')).trim().split('\n');
  assert.deepEqual(
    lines.map((line) => JSON.parse(line).target),
    [undefined, '/1', '/4'],
  );
});
