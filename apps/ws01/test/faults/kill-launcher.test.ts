import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from '../../../../packages/asmx/test/kit/until.ts';
import { freshDatabase } from '../kit/database.ts';
import { spawnService } from '../kit/process.ts';

/** For the process that is started alone: an older Node, which hands over to the pinned one. */
const OLDER = `delete process.env.NODE_OPTIONS;
process.execPath = '/usr/bin/node';
Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.0.0' } });`;

test('a service that an older Node has started ends with it, even by kill -9', async (t) => {
  const database = await freshDatabase('sqlite', t);
  const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(OLDER)}`;
  const service = await spawnService(t, database, { NODE_OPTIONS, LOG_LEVEL: 'info' });
  const pidOf = () => Number(/"pid":(\d+)/.exec(service.output())?.[1]);
  await until(() => pidOf() > 0, service.output);
  const pid = pidOf();
  assert.notEqual(pid, service.child.pid);
  t.after(() => {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has ended.
    }
  });
  // Both have the streams of its output: they close when both have ended.
  assert.equal(await service.end('SIGKILL'), null);
  assert.match(service.output(), /"msg":"stopped"/);
});
