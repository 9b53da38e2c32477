import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { words } from '../../../../packages/asmx/src/contract/words.ts';
import { exchange } from '../../../../packages/asmx/test/kit/http.ts';
import { until } from '../../../../packages/asmx/test/kit/until.ts';
import { TEST_BINDINGS } from '../kit/bindings.ts';
import { ws01 } from '../kit/command.ts';
import { spawnWs01 } from '../kit/command-process.ts';
import { emptyDatabase, freshDatabase } from '../kit/database.ts';
import { blackPng } from '../kit/images/containers.ts';
import { upload } from '../kit/images/upload.ts';
import { TOKEN } from '../kit/names.ts';
import { type ServiceProcess, spawnService } from '../kit/process.ts';

/** Libraries that no ordinary call needs: 15 to 110 ms and 2 to 20 MB each. */
const LATER = words('sharp nodemailer html-to-text qrcode smpp pg libphonenumber-js hono @aws-sdk');

/** Tells of every module that a process loads, a line with the process and the module's address. */
const LOADED = `
  import { appendFileSync } from 'node:fs';
  import { registerHooks } from 'node:module';
  registerHooks({
    load(url, context, next) {
      appendFileSync(process.env.LOADED_FILE, process.pid + ' ' + url + '\\n');
      return next(url, context);
    },
  });`;

/** A process in which one library is missing. */
const without = (library: string) => `
  import { registerHooks } from 'node:module';
  registerHooks({
    resolve(name, context, next) {
      if (name !== '${library}') return next(name, context);
      throw Object.assign(new Error('planted: there is no ${library}'), { code: 'ERR_MODULE_NOT_FOUND' });
    },
  });`;

/** Starts the service as its operator does, with a script that runs before anything of it. */
async function startWith(
  t: TestContext,
  script: string,
  settings: Record<string, string> = {},
): Promise<{ service: ServiceProcess; loaded: () => Promise<Set<string>> }> {
  const database = await emptyDatabase('sqlite', t);
  const [hook, file] = [join(database.dataDir, 'hook.mjs'), join(database.dataDir, 'loaded')];
  await writeFile(hook, script);
  await writeFile(file, '');
  const env = { NODE_OPTIONS: `--import ${pathToFileURL(hook)}`, LOADED_FILE: file, ...settings };
  const service = await spawnService(t, database, env);
  const loaded = async () => {
    const lines = (await readFile(file, 'utf8')).split('\n').map((line) => line.split(' '));
    const own = lines.filter(([pid]) => pid === String(service.child.pid));
    return new Set(
      own.map(
        ([, url = '']) =>
          /.*\/node_modules\/(?:\.cache\/bundles\/)?(@aws-sdk|[a-z][^/]*?)(?:-[\d.]+\.mjs$|\/)/.exec(
            url,
          )?.[1] ?? url,
      ),
    );
  };
  return { service, loaded };
}

test('what ordinary calls do not need is loaded when it is first used, and then works', async (t) => {
  const { service, loaded } = await startWith(t, LOADED);
  for (const binding of TEST_BINDINGS) {
    const { result } = await binding.call(service.url, 'countUserPosted', {
      tokenId: TOKEN,
      userId: 'ada',
    });
    assert.ok(result !== undefined, binding.name);
  }
  assert.equal((await exchange(`${service.url}/healthz`)).body, 'ok\n');
  // A part that a busy machine has not answer in time counts as degraded.
  await until(async () => (await exchange(`${service.url}/readyz`)).body === 'ready\n');
  const before = await loaded();
  assert.ok(before.has('kysely'), 'the hook sees what is loaded');
  assert.deepEqual(
    LATER.filter((library) => before.has(library)),
    [],
  );
  // An `import` of it reads all its exports, and loads all of `fetch` with `WebSocket`.
  assert.ok(
    !before.has('node:http') && !before.has('node:https'),
    'node:http is taken by getBuiltinModule',
  );

  await upload(service.url, blackPng(3, 2), { category: '图片' });
  const phone = { tokenId: TOKEN, userId: 'ada', cellphone: '+12125550100' };
  assert.match(
    (await TEST_BINDINGS[0]!.call(service.url, 'CreateVerifyCode', phone)).result ?? '',
    /^\d{6}$/,
  );
  assert.equal((await exchange(`${service.url}/`)).status, 302);
  const after = await loaded();
  assert.deepEqual(
    ['libphonenumber-js', 'hono'].filter((library) => !after.has(library)),
    [],
  );
  assert.equal(after.has('sharp'), false, 'images are decoded in other processes');
});

test('a library that cannot be loaded is told at start', async (t) => {
  const { service } = await startWith(t, without('sharp'));
  await until(async () => (await exchange(`${service.url}/readyz`)).status === 503);
  await until(() =>
    /install ws01 again with Node 20\.9 or newer: npm ci --include=optional.*planted.*not ready/s.test(
      service.output(),
    ),
  );
});

test('ws01 doctor says that the library for images is missing', async (t) => {
  const database = await freshDatabase('sqlite', t);
  const hook = join(database.dataDir, 'hook.mjs');
  await writeFile(hook, without('sharp'));
  const hooked = { NODE_OPTIONS: `--import ${pathToFileURL(hook)}` };
  const { code, stdout } = await spawnWs01(database, ['doctor'], '', hooked);
  assert.equal(code, 1);
  assert.match(stdout, /^FAIL {2}libraries .*\n +→ install ws01 again with Node 20\.9 or newer/m);
  assert.match((await ws01(database, ['doctor'])).stdout, /^ok {4}libraries /m);
});

test('a library that a setting asks for and that is missing ends the start with one line', async (t) => {
  await assert.rejects(
    startWith(t, without('nodemailer'), { SMTP_URL: 'smtp://mail.example' }),
    /ended before it listened:\nws01: planted: there is no nodemailer; install ws01 again with Node 20\.9 or newer: npm ci [^\n]*\n$/,
  );
});

test('a command loads neither what serve needs nor the log', async (t) => {
  const database = await freshDatabase('sqlite', t);
  const [hook, file] = [join(database.dataDir, 'hook.mjs'), join(database.dataDir, 'loaded')];
  await writeFile(hook, LOADED);
  const env = { NODE_OPTIONS: `--import ${pathToFileURL(hook)}`, LOADED_FILE: file };
  const { code, stderr } = await spawnWs01(database, ['token', 'list'], '', env);
  assert.equal(code, 0, stderr);
  const loaded = await readFile(file, 'utf8');
  assert.match(loaded, /\/cli\/token\//);
  assert.doesNotMatch(loaded, /\/cli\/serve\/|\/node_modules\/pino\//);
});
