/**
 * `npm run test:system -- import`: what `npm test` shows small, in full. An old service of a million articles and ten
 * thousand images moves by the plan of docs/migration.md, and the time of each step is printed; imports are killed at 20
 * points on both engines. What docs/portable-format.md says of encryption is run with age.
 */
// needs: age age-keygen=age
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { it } from 'node:test';
import { temporaryFolder } from '../../../../packages/asmx/test/kit/folder.ts';
import { environmentOf, ws01 } from '../kit/command.ts';
import { forEachEngine, freshDatabase } from '../kit/database.ts';
import { showResumption } from '../kit/interrupted-import.ts';
import { showMove } from '../kit/moving.ts';
import { readFolder, writeFolder } from '../kit/portable.ts';

const MILLION = 1_000_000;

it('a million articles and ten thousand images move', async (t) => {
  await showMove(t, { articles: MILLION, images: 10_000, writes: 1_000 }, (step, ms, cpu) => {
    const seconds = (time: number, of: string) =>
      Number.isNaN(time)
        ? ''
        : `, ${(time / 1000).toFixed(1)} s ${of}${/import/.test(step) ? ` (${Math.round(MILLION / (time / 1000))} articles a second)` : ''}`;
    console.log(`${step}${seconds(ms, 'by the clock')}${seconds(cpu, 'of CPU')}`);
  });
});

it('an export goes through age into another database', async (t) => {
  const folder = await temporaryFolder(t);
  const [from, to] = [await freshDatabase('sqlite', t), await freshDatabase('sqlite', t)];
  const old = await writeFolder(join(folder, 'old'), {
    'articles.jsonl': [{ guid: 'a', caption: 'Secret flat', createdAt: '2024-02-29T13:05:06Z' }],
  });
  assert.equal((await ws01(from, ['import', old])).code, 0);
  const page = readFileSync('docs/portable-format.md', 'utf8');
  const lines = /^```sh\n(age-keygen[\s\S]*?)^```$/m.exec(page)?.[1]?.trim().split('\n') ?? [];
  assert.equal(lines.length, 3);
  for (const line of lines) {
    const way = `ws01() { '${process.execPath}' '${resolve('bin/ws01.js')}' "$@"; }; set -e; ${line}`;
    const env = environmentOf(/import/.test(line) ? to : from);
    const { status, stderr } = spawnSync('bash', ['-o', 'pipefail', '-c', way], {
      cwd: folder,
      env,
      encoding: 'utf8',
    });
    assert.equal(status, 0, `${line}: ${stderr}`);
  }
  const encrypted = readFileSync(join(folder, 'moved.tar.age'));
  assert.ok(
    encrypted.subarray(0, 3).equals(Buffer.from('age')) && !encrypted.includes('Secret flat'),
  );
  assert.equal(statSync(join(folder, 'key.txt')).mode & 0o077, 0);
  assert.equal((await ws01(to, ['export', join(folder, 'out')])).code, 0);
  assert.equal((await readFolder(join(folder, 'out'))).articles![0]!.caption, 'Secret flat');
});

forEachEngine((_engine, fresh) => {
  it('an import that is killed at 20 points comes to what one comes to that nothing interrupts', async (t) => {
    await showResumption(t, () => fresh(t), 20, 4_000);
  });
});
