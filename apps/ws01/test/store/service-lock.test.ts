import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { until } from '../../../../packages/asmx/test/kit/until.ts';
import { freshDatabase } from '../kit/database.ts';
import { spawnService } from '../kit/process.ts';
import { startService } from '../kit/service.ts';

describe('one data folder', () => {
  it('has one service: a second one is refused in a line, until the first has ended, be it by kill -9', async (t) => {
    const database = await freshDatabase('sqlite', t);
    const first = await spawnService(t, database);
    const refused = /^ws01: Another ws01 service uses \/.*; stop it, or set DATA_DIR of this one to another folder\.$/m;
    await assert.rejects(spawnService(t, database), refused);
    await assert.rejects(startService(t, database), /Another ws01 service uses/);
    await first.end('SIGKILL');
    const second = await spawnService(t, database);
    assert.equal(await second.end('SIGTERM'), 0);
    const third = await startService(t, database);
    await assert.rejects(startService(t, database), /Another ws01 service uses/);
    await third.app.stop();
    await (await startService(t, database)).app.stop();
  });

  it('is swept soon after a start of what a crash left', async (t) => {
    const database = await freshDatabase('sqlite', t);
    const folder = join(database.dataDir, 'files/kept/ab');
    await mkdir(folder, { recursive: true });
    const left = join(folder, `ab${'0'.repeat(62)}-left`);
    await writeFile(left, 'left');
    await utimes(left, 0, 0);
    await startService(t, database);
    await until(() => !existsSync(left));
  });
});
