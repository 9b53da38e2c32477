// needs: npm npx git
/**
 * `npm ci && npm start` in a fresh copy of the repository, under each Node that the pages name and however npm is told to
 * install; then a picture is uploaded. It needs the registry of npm, and 300 MB for each in the temporary folder.
 */
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { freePort } from '../../../../packages/asmx/test/kit/listen.ts';
import { until } from '../../../../packages/asmx/test/kit/until.ts';
import { blackPng } from '../kit/images/containers.ts';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));

/** Node, an npm of its time, and the options of `npm ci`. Debian 12 has the first two. */
const INSTALLATIONS = [
  ['18.20.4', '9.2.0', ''],
  ['20', '10', ''],
  ['22', '10', ''],
  ['24', '11', ''],
  ['18.20.4', '9.2.0', '--omit=optional'],
  ['24', '11', '--omit=optional'],
  ['24', '11', '--ignore-scripts'],
] as const;

for (const [node, npm, options] of INSTALLATIONS) {
  test(`under Node ${node}, npm ci ${options} brings a service that stores a picture`, async (t) => {
    const tools = [`node@${node}`, `npm@${npm}`];
    const { copy, sh } = await freshCopy(t, tools);
    await sh(`npm ci --no-audit --no-fund ${options}`);
    const port = await freePort();
    const service = spawn('npx', commandWith(tools, 'npm start --silent'), {
      cwd: copy,
      env: { ...environment(), PORT: String(port) },
      stdio: ['ignore', 'pipe', 'inherit'],
      detached: true,
    });
    t.after(async () => {
      process.kill(-service.pid!, 'SIGTERM');
      if (service.exitCode === null) await once(service, 'exit');
    });
    await once(service.stdout, 'data');
    const at = `http://127.0.0.1:${port}`;
    await until(async () => (await fetch(`${at}/readyz`).catch(() => undefined))?.status === 200);
    const token = (await readFile(join(copy, 'data/first-token'), 'utf8')).trim();
    const FileImg = blackPng(40, 30).toString('base64');
    const body = new URLSearchParams({
      verifyCode: token,
      FileGuid: crypto.randomUUID(),
      FileImg,
      category: '图片',
    });
    const answer = await fetch(`${at}/WS01.asmx/InsertArticleImageFile`, { method: 'POST', body });
    assert.match(`${answer.status} ${await answer.text()}`, /^200 .*>true</s);
    assert.match(await sh('npm run -s ws01 -- doctor'), /^ok +libraries /m);
  });
}

/** A copy of the last commit, with a way to run commands in it under an older Node and npm. */
async function freshCopy(t: TestContext, tools: readonly string[]) {
  const folder = await mkdtemp(join(tmpdir(), 'ws01-install-'));
  // npm 9 ends before the service that it has started.
  t.after(() => rm(folder, { recursive: true, force: true, maxRetries: 100, retryDelay: 100 }));
  const copy = join(folder, 'ws01');
  await run('git', ['clone', '--quiet', '--depth', '1', `file://${ROOT}`, copy]);
  const sh = async (command: string) => {
    const options = { cwd: copy, env: environment(), maxBuffer: 64 * 1024 * 1024 };
    return (await run('npx', commandWith(tools, command), options)).stdout;
  };
  return { copy, sh };
}

const commandWith = (tools: readonly string[], command: string) => [
  '--yes',
  ...tools.flatMap((tool) => ['-p', tool]),
  '-c',
  command,
];

/** A newcomer's: without the Node of the repository that runs this, and without what its npm told its scripts. */
function environment(): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(([name]) => !/^npm_|^NODE_/i.test(name));
  const PATH = (process.env.PATH ?? '').split(':').filter((part) => !part.includes('node_modules'));
  return { ...Object.fromEntries(own), PATH: PATH.join(':') };
}
