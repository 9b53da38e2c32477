import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';

test('ws01 demo serves a filled site, lets its reader into the console, and leaves nothing behind', async (t) => {
  const temporary = await mkdtemp(join(tmpdir(), 'ws01-demo-test-'));
  t.after(() => rm(temporary, { recursive: true, force: true }));
  const child = spawn(process.execPath, ['bin/ws01.js', 'demo', '--port', '0', '--json'], {
    env: { PATH: process.env.PATH ?? '', TMPDIR: temporary },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  t.after(() => child.kill('SIGKILL'));
  const ended = once(child, 'close');
  const [line] = await Promise.race([
    once(createInterface({ input: child.stdout }), 'line'),
    ended.then(([code]) => assert.fail(`It ended with ${code}.`)),
  ]);
  const told = JSON.parse(line);
  const page = await fetch(told.console);
  assert.equal(page.status, 200);
  assert.match(await page.text(), /Welcome, demo/);
  const adverts = await fetch(`${told.service}/QueryAdvert?userId=mallory&query=`);
  assert.match(await adverts.text(), /WIN A PHONE/);
  assert.ok((await readdir(temporary)).some((name) => name.startsWith('ws01-demo-')));
  child.kill('SIGINT');
  await ended;
  assert.deepEqual(
    (await readdir(temporary)).filter((name) => name.startsWith('ws01-demo-')),
    [],
  );
});
