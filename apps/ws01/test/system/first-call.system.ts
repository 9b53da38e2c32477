// needs: npm git curl
/**
 * What a person does first: a fresh copy of the repository, `npm ci && npm start`, and a call, with nothing in the cache of
 * npm. It needs the registry of npm; its times are printed, and of an idle machine they say something.
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

/** What `npm ci` may take of the disk; bytes. */
const INSTALLED_BYTES = 320 * 1000 * 1000;

test('a fresh copy answers its first call, and takes 320 MB of disk', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'ws01-first-'));
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
  const ended = once(service, 'close');
  t.after(async () => {
    process.kill(-service.pid!, 'SIGTERM');
    await ended;
    await rm(folder, { recursive: true });
  });
  await once(service.stdout, 'data');
  const retries = ['--retry', '600', '--retry-connrefused', '--retry-delay', '1'];
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
});
