import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { fileURLToPath } from 'node:url';

const BIN = fileURLToPath(new URL('../../bin/asmx.js', import.meta.url));

it('asmx runs from where it was until 0.2.0, or says where it is', (t) => {
  const run = (file: string) =>
    spawnSync(process.execPath, [file, '--version'], { encoding: 'utf8' });
  const here = run(BIN);
  assert.deepEqual([here.status, here.stdout.trim()], [0, '0.2.0'], here.stderr);
  const folder = mkdtempSync(join(tmpdir(), 'asmx-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const alone = join(folder, 'asmx.mjs');
  copyFileSync(BIN, alone);
  const { status, stderr } = run(alone);
  assert.equal(status, 1);
  assert.match(stderr, /^asmx: it is in @ws01\/asmx-tools now; run npm install -D .*\.\n$/);
});
