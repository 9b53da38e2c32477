import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { ws01 } from '../kit/command.ts';
import { spawnWs01 } from '../kit/command-process.ts';
import { forEachEngine, freshDatabase } from '../kit/database.ts';

const run = promisify(execFile);
const NOWHERE = { dataDir: '/nowhere', databaseUrl: undefined };

test('completion and manual page have every command and option', async (t) => {
  const followed = JSON.parse(
    (await ws01(NOWHERE, ['completion', 'bash', '--json'])).stdout,
  ) as Record<string, string[]>;
  assert.ok(followed.ws01!.includes('backup') && followed['ws01 token']!.includes('rotate'));
  assert.ok(followed['ws01 token rotate']!.includes('--overlap'));
  assert.deepEqual(followed['ws01 completion']!.slice(0, 3), ['bash', 'zsh', 'fish']);
  const page = (await ws01(NOWHERE, ['man'])).stdout;
  for (const shell of ['bash', 'zsh', 'fish']) {
    const script = (await ws01(NOWHERE, ['completion', shell])).stdout;
    for (const [path, next] of Object.entries(followed)) {
      assert.ok(script.includes(`"${path}"`), `${shell}: ${path}`);
      for (const word of next)
        assert.ok(script.includes(shell === 'fish' ? word.replace(/^--/, '-l ') : word), word);
    }
  }
  for (const [path, next] of Object.entries(followed)) {
    const leaf = next.every((word) => word.startsWith('--'));
    if (leaf) assert.ok(page.includes(`.SS ${path.replaceAll('-', '\\-')}`), path);
  }
  assert.equal((await ws01(NOWHERE, ['completion', 'csh'])).code, 2);

  const script = (await ws01(NOWHERE, ['completion', 'bash'])).stdout;
  const complete = async (...words: string[]) => {
    const typed = `${script}\nCOMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length - 1}; _ws01 2>/dev/null; echo "\${COMPREPLY[*]}"`;
    return (await run('bash', ['-c', typed])).stdout.trim();
  };
  assert.equal(await complete('ws01', 'tok'), 'token');
  assert.equal(await complete('ws01', '--utc', 'token', 'ro'), 'rotate');
  assert.equal(await complete('ws01', 'token', 'rotate', '--ov'), '--overlap');
  t.diagnostic(`${Object.keys(followed).length} commands`);
});

forEachEngine((_engine, fresh) => {
  test('times are in the zone of the machine, or in UTC; JSON has UTC; errors are JSON with --json', async (t) => {
    const database = await fresh(t);
    const store = await database.open();
    await ws01(database, ['token', 'create']);
    await store.write((tx) =>
      tx
        .updateTable('tokens')
        .set({ created_at: Date.parse('2026-11-21T20:30:00Z') })
        .execute(),
    );
    for (const [TZ, args, shown] of [
      ['Asia/Shanghai', [], '2026-11-22 04:30 +08:00'],
      ['Asia/Shanghai', ['--utc'], '2026-11-21 20:30Z'],
      ['America/St_Johns', [], '2026-11-21 17:00 -03:30'],
    ] as const) {
      const { stdout } = await spawnWs01(database, [...args, 'token', 'list'], '', { TZ });
      assert.ok(stdout.includes(` ${shown} `), stdout);
    }
    const [token] = JSON.parse((await ws01(database, ['token', 'list', '--json'])).stdout);
    assert.equal(token.createdAt, '2026-11-21T20:30:00.000Z');

    const errorOf = async (args: readonly string[], settings: Record<string, string> = {}) => {
      const { code, stdout, stderr } = await ws01(database, args, '', settings);
      assert.equal(stdout, '');
      const { error } = JSON.parse(stderr.trim().split('\n').at(-1)!);
      assert.equal(error.exitCode, code);
      return [code, error.message];
    };
    assert.deepEqual(await errorOf(['token', 'revoke', 'x', '--json']), [
      1,
      'There is no token with the id x.',
    ]);
    assert.deepEqual(await errorOf(['token', 'lst', '--json']), [
      2,
      "unknown command 'lst' (Did you mean list?) See ws01 token --help.",
    ]);
    const [code, message] = await errorOf(['token', 'list', '--json'], { PORT: 'x' });
    assert.deepEqual([code, /^PORT must be an integer/.test(message)], [78, true]);
  });
});

test('while PostgreSQL is away there is a line for each try', async (t) => {
  const { dataDir } = await freshDatabase('sqlite', t);
  const child = spawn(process.execPath, ['bin/ws01.js', 'serve'], {
    env: {
      PATH: process.env.PATH ?? '',
      DATA_DIR: dataDir,
      DATABASE_URL: 'postgres://127.0.0.1:1/none',
      PORT: '0',
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  t.after(() => child.kill('SIGKILL'));
  const [told, [code]] = await Promise.all([text(child.stderr), once(child, 'close')]);
  assert.equal(code, 1);
  assert.ok(told.split('\n').filter((line) => line.includes('Trying again')).length >= 2, told);
});
