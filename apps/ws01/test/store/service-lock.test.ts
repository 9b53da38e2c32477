import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { freshDatabase } from '../kit/database.ts';
import { spawnService } from '../kit/process.ts';
import { startService } from '../kit/service.ts';

describe('one data folder', () => {
  it('has one service: a second one is refused in a line, until the first has ended, be it by kill -9', async (t) => {
    const database = await freshDatabase('sqlite', t);
    const first = await spawnService(t, database);
    const refused =
      /^ws01: Another ws01 service uses \/.*; stop it, or set DATA_DIR of this one to another folder\.$/m;
    await assert.rejects(spawnService(t, database), refused);
    await assert.rejects(startService(t, database), /Another ws01 service uses/);
    await first.end('SIGKILL');
    const second = await startService(t, database);
    await assert.rejects(startService(t, database), /Another ws01 service uses/);
    await second.app.stop();
    await (await startService(t, database)).app.stop();
  });
});
