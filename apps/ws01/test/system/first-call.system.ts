// needs: npm git curl
/**
 * What a person does first: a fresh copy of the repository, `npm ci && npm start`, and a call, with nothing in the cache of
 * npm. It needs the registry of npm and a machine that does nothing else; its times are printed.
 */
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { freePort } from '../../../../packages/asmx/test/kit/listen.ts';
import { diskBytes } from '../../../../scripts/supply/size.ts';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));

/** From `npm ci` to the answer of the first call; ms. */
const FIRST_ANSWER_MS = 20_000;

/** What `npm ci` may take of the disk; bytes. */
const INSTALLED_BYTES = 320 * 1000 * 1000;

test('from a fresh copy to the first answered call it takes 20 s, and 320 MB of disk', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'ws01-first-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const copy = join(folder, 'ws01');
  await run('git', ['clone', '--quiet', '--depth', '1', `file://${ROOT}`, copy]);
  // A newcomer has a Node of their own, not the one of the repository that runs this test.
  const { NODE_OPTIONS: _, ...environment } = process.env;
  const PATH = (process.env.PATH ?? '')
    .split(':')
    .filter((part) => !part.includes('node_modules'))
    .join(':');
  const port = await freePort();
  const env = { ...environment, PATH, PORT: String(port), npm_config_cache: join(folder, 'cache') };

  const begun = performance.now();
  await run('npm', ['ci', '--no-audit', '--no-fund'], {
    cwd: copy,
    env,
    maxBuffer: 64 * 1024 * 1024,
  });
  const installed = performance.now();
  const service = spawn('npm', ['start', '--silent'], {
    cwd: copy,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  });
  t.after(() => {
    if (service.exitCode === null) process.kill(-service.pid!, 'SIGTERM');
  });
  await once(service.stdout, 'data');
  const retries = ['--retry', '20', '--retry-connrefused', '--retry-delay', '1'];
  await run('curl', ['--silent', ...retries, `http://127.0.0.1:${port}/readyz`]);
  // Without a terminal the first token is written to a file.
  const token = (await readFile(join(copy, 'data/first-token'), 'utf8')).trim();
  const fields = { token, guid: 'first', caption: 'Hello', content: 'World', CreateUserId: 'u1' };
  const body = new URLSearchParams(fields);
  const answer = await fetch(`http://127.0.0.1:${port}/WS01.asmx/InsertArticle`, {
    method: 'POST',
    body,
  });
  const answered = performance.now();
  const bytes = diskBytes([
    join(copy, 'node_modules'),
    join(copy, 'apps/ws01/node_modules'),
    join(copy, 'packages/asmx/node_modules'),
  ]);
  t.diagnostic(
    `npm ci ${((installed - begun) / 1000).toFixed(1)} s, start and call ${((answered - installed) / 1000).toFixed(1)} s, ${Math.round(bytes / 1e6)} MB`,
  );
  assert.equal(answer.status, 200, 'the call is answered');
  assert.ok(bytes <= INSTALLED_BYTES, `${Math.round(bytes / 1e6)} MB`);
  assert.ok(answered - begun <= FIRST_ANSWER_MS, `${((answered - begun) / 1000).toFixed(1)} s`);
});
