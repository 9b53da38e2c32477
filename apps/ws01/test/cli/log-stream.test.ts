import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { closeSync, constants, openSync, readSync, writeSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { it, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { temporaryFolder } from '../../../../packages/asmx/test/kit/folder.ts';
import { exchange, postTo } from '../../../../packages/asmx/test/kit/http.ts';
import { until } from '../../../../packages/asmx/test/kit/until.ts';
import { LogStream } from '../../src/cli/log-stream.ts';
import { freshDatabase } from '../kit/database.ts';
import { processEnv } from '../kit/fixed.ts';
import { TOKEN } from '../kit/service.ts';

const run = promisify(execFile);

it('lines come in order and whole, however many are written at once', async (t) => {
  const file = join(await temporaryFolder(t, 'ws01-log-'), 'log');
  const fd = openSync(file, 'w');
  t.after(() => closeSync(fd));
  for (const maxWrite of [100, 16 * 1024]) {
    const log = new LogStream(fd, { sync: false, maxWrite });
    for (let i = 0; i < 3_000; i++) log.write(`${maxWrite} ${i} 漢字 ${'x'.repeat(i % 300)}\n`);
    const wanted = Array.from(
      { length: 3_000 },
      (_, i) => `${maxWrite} ${i} 漢字 ${'x'.repeat(i % 300)}`,
    );
    const written = async () =>
      (await readFile(file, 'utf8')).split('\n').filter((line) => line.startsWith(`${maxWrite} `));
    await until(async () => (await written()).length >= wanted.length);
    assert.deepEqual(await written(), wanted);
  }
});

it('what a full pipe does not take is counted, errors last, and told when it takes lines again', async (t) => {
  const path = join(await temporaryFolder(t, 'ws01-log-'), 'pipe');
  await run('mkfifo', [path]);
  const fd = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
  t.after(() => closeSync(fd));
  const log = new LogStream(fd, { sync: false, maxWrite: 16 * 1024 });
  const line = `${'y'.repeat(999)}\n`;
  const count = 6_000;
  for (let i = 0; i < count; i++) log.write(line);
  const errors = Array.from({ length: 100 }, (_, i) => `error ${i}`);
  for (const error of errors) log.write(`${error}\n`, true);
  log.write(line);
  await sleep(50);
  const lines: string[] = [];
  const reader = spawn('cat', [path], { stdio: ['ignore', 'pipe', 'inherit'] });
  t.after(() => reader.kill('SIGKILL'));
  const received = createInterface(reader.stdout);
  let lost = 0;
  for await (const read of received) {
    lines.push(read);
    if (read.startsWith('{')) {
      ({ lost } = JSON.parse(read));
      assert.match(read, /"level":"warn".*"msg":"log lines were lost"/);
    }
    if (lost > 0 && lines.length - 1 + lost === count + errors.length + 1) break;
  }
  assert.ok(lost > 1_000, String(lost));
  assert.deepEqual(
    lines.filter((one) => one !== line.trimEnd() && !one.startsWith('{"level"')),
    errors,
  );
});

/** A pipe, open for reading and writing, that takes nothing more; full of `z`. */
async function fullPipe(t: TestContext): Promise<number> {
  const path = join(await temporaryFolder(t, 'ws01-log-'), 'pipe');
  await run('mkfifo', [path]);
  const fd = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
  t.after(() => closeSync(fd));
  fill(fd);
  return fd;
}

/** Writes until the pipe takes nothing more. */
function fill(pipe: number): void {
  const pageful = Buffer.alloc(4_096, 'z');
  const write = () => {
    while (true) writeSync(pipe, pageful);
  };
  assert.throws(write, { code: 'EAGAIN' });
}

it('a line that a full pipe does not take within the call comes before the next one', async (t) => {
  const fd = await fullPipe(t);
  const log = new LogStream(fd, { sync: true, maxWrite: 16 * 1024 });
  log.write('first\n');
  log.write('second\n');
  const room = Buffer.alloc(1024 * 1024);
  assert.match(room.toString('latin1', 0, readSync(fd, room)), /^z+$/);
  log.write('third\n');
  assert.equal(room.toString('latin1', 0, readSync(fd, room)), 'first\nsecond\nthird\n');
});

it('what is written at once is bounded in bytes, so that a pipe takes it whole or not at all', async (t) => {
  const fd = await fullPipe(t);
  const log = new LogStream(fd, { sync: true, maxWrite: 4_096 });
  // 1,505 bytes, of 504 characters.
  const lines = Array.from({ length: 40 }, (_, i) => `${String(100 + i)} ${'漢'.repeat(500)}\n`);
  const room = Buffer.alloc(1024 * 1024);
  let taken = '';
  for (const [i, line] of lines.entries()) {
    log.write(line);
    if (i % 8 !== 7) continue;
    // Room for two writes of 4,096 bytes, and not for more.
    readSync(fd, room, 0, 2 * 4_096, null);
    log.write('');
    const ahead = room.subarray(0, readSync(fd, room));
    taken += ahead.toString('utf8').replace(/^z+/, '');
    assert.ok(taken === '' || taken.endsWith('\n'), `a line was cut: …${taken.slice(-20)}`);
    fill(fd);
  }
  assert.ok(lines.join('').startsWith(taken) && taken.length > 9_000, String(taken.length));
});

it('a log on a full disk does not harm the service: it answers, and stops when told', async (t) => {
  const { dataDir } = await freshDatabase('sqlite', t);
  const full = openSync('/dev/full', 'w');
  t.after(() => closeSync(full));
  const child = spawn(process.execPath, ['bin/ws01.js', 'serve', '--json'], {
    env: {
      ...{ PATH: process.env.PATH ?? '', PORT: '0', DATA_DIR: dataDir, BOOTSTRAP_TOKEN: TOKEN },
      ...processEnv(),
    },
    stdio: ['ignore', 'pipe', full],
  });
  t.after(() => child.kill('SIGKILL'));
  const exited = new Promise((resolve) => child.once('exit', resolve));
  const first = await Promise.race([
    createInterface(child.stdout!)[Symbol.asyncIterator]().next(),
    exited,
  ]);
  const { port } = JSON.parse((first as IteratorResult<string>).value);
  for (let i = 0; i < 50; i++) {
    const body = new URLSearchParams({ token: TOKEN, guid: `g${i}`, caption: 'c' }).toString();
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
    const url = `http://127.0.0.1:${port}/WS01.asmx/InsertArticle`;
    assert.equal((await postTo(url, body, headers)).status, 200);
    if (i % 10 === 0) await sleep(20);
  }
  await until(async () => {
    const answer = await exchange(`http://127.0.0.1:${port}/readyz?verbose`, { method: 'GET' });
    const { state, reason } = JSON.parse(answer.body).parts.log;
    return (
      answer.status === 200 && state === 'degraded' && /cannot be written: ENOSPC/.test(reason)
    );
  });
  child.kill('SIGTERM');
  assert.equal(await exited, 0);
});
