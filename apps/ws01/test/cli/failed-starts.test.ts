import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, open, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { describe, type TestContext, test } from 'node:test';
import { heard } from '../../../../packages/asmx/test/kit/heard.ts';
import { listen } from '../../../../packages/asmx/test/kit/listen.ts';
import { emptyDatabase } from '../kit/database.ts';

type Io = 'pipe' | 'ignore' | number;

/** Starts the service with these settings. */
function serve(
  settings: Record<string, string>,
  stdout: Io = 'ignore',
  args: readonly string[] = ['serve'],
) {
  const child = spawn(process.execPath, ['bin/ws01.js', ...args], {
    env: { PATH: process.env.PATH ?? '', PORT: '0', LOG_LEVEL: 'info', ...settings },
    stdio: ['ignore', stdout, 'pipe'],
  });
  const stderr = child.stderr as Readable;
  let text = '';
  stderr.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  const told = () => text;
  const ended = once(child, 'close').then(([code]) => code as number | null);
  return { child, stderr, told, ended };
}

async function dataDir(t: TestContext): Promise<string> {
  return (await emptyDatabase('sqlite', t)).dataDir;
}

/** Starts a service that cannot start. */
async function failed(settings: Record<string, string>): Promise<readonly [number | null, string]> {
  const { told, ended } = serve({ LOG_LEVEL: 'silent', ...settings });
  return [await ended, told()];
}

describe('a start that fails says in one line which setting, and what would be right', () => {
  test('the address', async (t) => {
    const DATA_DIR = await dataDir(t);
    const port = await listen(t, createServer());
    for (const [settings, words] of [
      [
        { HOST: 'nosuch.invalid' },
        /HOST=nosuch\.invalid: there is no host of that name; set HOST to /,
      ],
      [
        { HOST: '192.0.2.77' },
        /HOST=192\.0\.2\.77: this machine has no such address; set HOST to /,
      ],
      [{ HOST: 'fe80::1' }, /HOST=fe80::1: .*(fe80::1%eth0|set HOST to )/],
      [
        { PORT: `${port}` },
        new RegExp(
          `HOST=127.0.0.1 PORT=${port}: the address is in use; .* set PORT to another one`,
        ),
      ],
      [
        { METRICS_PORT: `${port}` },
        new RegExp(`METRICS_HOST=127.0.0.1 METRICS_PORT=${port}: .* set METRICS_PORT to `),
      ],
      [
        { CONSOLE_PORT: `${port}` },
        new RegExp(`CONSOLE_HOST=127.0.0.1 CONSOLE_PORT=${port}: .* set CONSOLE_PORT to `),
      ],
    ] as const) {
      const [code, told] = await failed({ DATA_DIR, ...settings });
      assert.match(told, new RegExp(`^ws01: ${words.source}[^\\n]*\\.\\n$`));
      assert.equal(code, 1, told);
    }
  });

  test('the path of a socket', async (t) => {
    const DATA_DIR = await dataDir(t);
    const file = join(DATA_DIR, 'a file');
    await writeFile(file, 'kept');
    const long = `/${'x'.repeat(107)}`;
    for (const [SOCKET_PATH, words, status] of [
      [file, 'this is a file and no socket; move it away, or set SOCKET_PATH to another path.', 1],
      [
        join(DATA_DIR, 'none', 'it'),
        'there is no such folder; make it for the user of the service, as ',
        1,
      ],
      [long, undefined, 78],
    ] as const) {
      const [code, told] = await failed({ DATA_DIR, SOCKET_PATH });
      const expected =
        words === undefined
          ? 'SOCKET_PATH must be a path of at most 107 bytes'
          : `SOCKET_PATH=${SOCKET_PATH}: ${words}`;
      assert.ok(told.startsWith(`ws01: ${expected}`) && told.split('\n').length === 2, told);
      assert.equal(code, status);
    }
  });

  test('the database file', async (t) => {
    const folder = await dataDir(t);
    for (const name of ['ws01.sqlite', 'ws01.lock']) {
      const DATA_DIR = join(folder, `with ${name}`);
      await mkdir(join(DATA_DIR, name), { recursive: true });
      const [code, told] = await failed({ DATA_DIR });
      assert.equal(
        told,
        `ws01: ${join(DATA_DIR, name)} is no file; move it away, or set DATA_DIR to another folder.\n`,
      );
      assert.equal(code, 1);
    }
    const deep = join(folder, ...Array.from({ length: 5 }, () => 'd'.repeat(100)));
    await mkdir(deep, { recursive: true });
    const [, told] = await failed({ DATA_DIR: deep });
    assert.match(
      told,
      /^ws01: The path .* is longer than the \d+ bytes that SQLite takes; set DATA_DIR to a shorter one\.\n$/,
    );
  });
});

test('a time zone of the machine that counts as UTC is told in the log, one that does not is not', async (t) => {
  for (const [TZ, expected] of [
    ['Not/AZone', true],
    ['UTC-5:45', true],
    ['Asia/Kathmandu', false],
    ['CST-8', false],
    ['UTC', false],
  ] as const) {
    const { child, stderr, told, ended } = serve({ DATA_DIR: await dataDir(t), TZ });
    t.after(() => child.kill('SIGKILL'));
    while (!/"msg":"listening"|\.\n$/.test(told())) await heard(child, 'data', stderr);
    assert.equal(told().includes(`TZ=${TZ} is no time zone`), expected, told());
    child.kill('SIGTERM');
    await ended;
  }
});

describe('when standard output is gone', () => {
  test('the service serves on', async (t) => {
    const { child, stderr, told, ended } = serve({ DATA_DIR: await dataDir(t) }, 'pipe');
    t.after(() => child.kill('SIGKILL'));
    child.stdout!.destroy();
    const listening = () => /"port":(\d+).*"msg":"listening"/.exec(told());
    while (listening() === null) await heard(child, 'data', stderr);
    assert.equal(await (await fetch(`http://127.0.0.1:${listening()![1]}/healthz`)).text(), 'ok\n');
    child.kill('SIGTERM');
    assert.equal(await ended, 0, told());
  });

  test('a full disk ends a command with a word, and not a service', async (t) => {
    const full = await open('/dev/full', 'w');
    t.after(() => full.close());
    const DATA_DIR = await dataDir(t);
    const { child, stderr, told, ended } = serve({ DATA_DIR }, full.fd);
    t.after(() => child.kill('SIGKILL'));
    while (!told().includes('"msg":"listening"')) await heard(child, 'data', stderr);
    const listing = serve({ DATA_DIR }, full.fd, ['token', 'list']);
    assert.equal(await listing.ended, 1);
    assert.match(listing.told(), /^ws01: standard output: .*the disk is full\.\n$/);
    child.kill('SIGTERM');
    assert.equal(await ended, 0, told());
  });
});
