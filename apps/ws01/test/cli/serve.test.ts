import assert from 'node:assert/strict';
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, readdir, readFile, stat } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { listen } from '../../../../packages/asmx/test/kit/listen.ts';
import { ws01 } from '../kit/command.ts';
import { emptyDatabase, freshDatabase, type TestDatabase } from '../kit/database.ts';

const run = promisify(execFile);

/** A started `ws01 serve`, with what it has printed. */
interface Started {
  readonly child: ChildProcess;
  readonly stdout: string[];
  readonly stderr: string[];
  /** Waits until a line of either stream matches. */
  until(wanted: RegExp): Promise<RegExpExecArray>;
  /** Waits for its end and tells the exit code. */
  exit(): Promise<number | null>;
}

/** Starts the service by a command, on a free port; it is killed after the test if it still runs. */
function start(
  t: TestContext,
  { dataDir }: Pick<TestDatabase, 'dataDir'>,
  command: readonly string[] = [process.execPath, 'bin/ws01.js', 'serve'],
  env: Record<string, string> = {},
): Started {
  const [file = '', ...args] = command;
  const child = spawn(file, args, {
    env: { PATH: process.env.PATH ?? '', HOME: dataDir, DATA_DIR: dataDir, PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  // When all that it wrote has been read, too.
  const exited = once(child, 'close').then(([code]) => code as number | null);
  t.after(() => child.kill('SIGKILL'));
  const stdout: string[] = [];
  const stderr: string[] = [];
  const waiting = new Set<(line: string) => void>();
  for (const [stream, lines] of [
    [child.stdout, stdout],
    [child.stderr, stderr],
  ] as const) {
    createInterface(stream).on('line', (line) => {
      lines.push(line);
      for (const look of waiting) look(line);
    });
  }
  const until = (wanted: RegExp) =>
    new Promise<RegExpExecArray>((resolve, reject) => {
      const look = (line: string) => {
        const found = wanted.exec(line);
        if (found !== null) {
          waiting.delete(look);
          resolve(found);
        }
      };
      waiting.add(look);
      for (const line of [...stdout, ...stderr]) look(line);
      exited.then(() =>
        reject(
          new Error(`It ended before it printed ${wanted}:\n${[...stdout, ...stderr].join('\n')}`),
        ),
      );
    });
  return { child, stdout, stderr, until, exit: () => exited };
}

function fresh(t: TestContext): Promise<TestDatabase> {
  return freshDatabase('sqlite', t);
}

describe('ws01 serve', () => {
  test('the very first start keeps a token in a file and prints a line that works when pasted; the second start does not', async (t) => {
    const database = await emptyDatabase('sqlite', t);
    const first = start(t, database);
    const [, curl = ''] = await first.until(/^ {2}(curl .*)$/);
    const { stdout } = await run('bash', ['-c', `${curl} --silent`]);
    assert.match(stdout, /<string xmlns="urn:ws01">first-article<\/string>$/);
    const [, wsdl = ''] = await first.until(/WSDL +(http:\S+)$/);
    assert.equal((await fetch(wsdl)).status, 200);
    const [, file = ''] = await first.until(/^ {2}(\/.*\/first-token)$/);
    const token = await readFile(file, 'utf8');
    assert.match(token, /^ws1_\w{38}$/);
    assert.equal((await stat(file)).mode & 0o777, 0o600);

    first.child.kill('SIGTERM');
    assert.equal(await first.exit(), 0);
    assert.ok(
      ![...first.stdout, ...first.stderr].join().includes(token),
      'the journal would show the token',
    );

    const second = start(t, database, [process.execPath, 'bin/ws01.js', 'serve', '--json']);
    const { port, url, service, firstToken } = JSON.parse((await second.until(/^\{"url.*/))[0]);
    assert.deepEqual(
      [url, service, firstToken],
      [`http://localhost:${port}`, `${url}/WS01.asmx`, null],
    );
    assert.equal(second.stdout.length, 1);
    // The last use of the token was written down when the first service stopped.
    const listed = await ws01(database, ['token', 'list', '--json']);
    assert.ok(JSON.parse(listed.stdout)[0].lastUsedAt);

    // A link for an admin leads to the service that runs, whatever port the command has.
    const added = await ws01(database, ['admin', 'add', 'ada'], '', { PORT: '1' });
    assert.ok(added.stdout.startsWith(`${url}/console/set-up/`), added.stdout);
    assert.equal((await fetch(added.stdout.trim())).status, 200);
    second.child.kill('SIGTERM');
    assert.equal(await second.exit(), 0);
    const later = await ws01(database, ['admin', 'reset', 'ada'], '', { PORT: '1' });
    assert.ok(later.stdout.startsWith('http://localhost:1/console/set-up/'), later.stdout);
  });

  test("what it and the doctor print can be pasted, whatever the folder is called: Ann's 数据", async (t) => {
    const database = await emptyDatabase('sqlite', t);
    const dataDir = join(database.dataDir, "Ann's 数据");
    const socket = { SOCKET_PATH: join(dataDir, 'a b.sock'), PORT: '' };
    await mkdir(dataDir, { mode: 0o700 });
    const service = start(t, { dataDir }, undefined, socket);
    const [, curl = ''] = await service.until(/^ {2}(curl .*)$/);
    const { stdout } = await run('bash', ['-c', `${curl} --silent`]);
    assert.match(stdout, /<string xmlns="urn:ws01">first-article<\/string>$/);
    service.child.kill('SIGTERM');
    await service.exit();

    await chmod(dataDir, 0o755);
    const ofFolder = async () => {
      const doctor = await ws01({ ...database, dataDir }, ['doctor', '--json']);
      const { checks } = JSON.parse(doctor.stdout) as {
        checks: { check: string; what: string; remedy?: string }[];
      };
      return checks.find(({ check, what }) => check === 'files' && what.includes(dataDir))!;
    };
    await run('bash', ['-c', (await ofFolder()).remedy!]);
    assert.equal((await ofFolder()).what, `${dataDir} can be written`);
  });

  test('at a terminal the token is shown, and kept nowhere', async (t) => {
    const database = await emptyDatabase('sqlite', t);
    const command = `'${process.execPath}' bin/ws01.js serve`;
    const first = start(t, database, ['script', '-qec', command, '/dev/null']);
    await first.until(/^ {2}(ws1_\w{38})\r?$/);
    await assert.rejects(stat(join(database.dataDir, 'first-token')), { code: 'ENOENT' });
  });

  test('a first start that fails does not take the token along; the files are not for everybody', async (t) => {
    const database = await emptyDatabase('sqlite', t);
    await chmod(database.dataDir, 0o755);
    const port = await listen(t, createServer());
    const failed = start(t, database, undefined, { PORT: String(port) });
    assert.equal(await failed.exit(), 1);
    assert.match(failed.stderr.join(), /the address is in use/);
    const next = start(t, database);
    await next.until(/^ {2}(\/.*\/first-token)$/);
    const files = (await readdir(database.dataDir)).filter((name) =>
      name.startsWith('ws01.sqlite'),
    );
    assert.ok(files.length >= 2, files.join());
    for (const name of files)
      assert.equal((await stat(join(database.dataDir, name))).mode & 0o007, 0, name);
    // Its folder is removed next, and must not be written meanwhile.
    next.child.kill('SIGKILL');
    await next.exit();
  });

  test('logs one JSON line a call, and no credential, wherever it stands', async (t) => {
    const database = await fresh(t);
    const service = start(t, database, undefined, { BOOTSTRAP_TOKEN: 'hush-hush-hush' });
    const [, port] = await service.until(/listening on http:\/\/127\.0\.0\.1:(\d+)$/);
    const base = `http://127.0.0.1:${port}/WS01.asmx`;
    const form = new URLSearchParams({ token: 'hush-hush-hush', guid: 'a', caption: 'b' });
    await fetch(`${base}/InsertArticle?${form}`);
    await fetch(`${base}/InsertArticle`, { method: 'POST', body: form });
    await fetch(`${base}/InsertArticle?token=hush-hush-wrong&guid=a`);
    await fetch(`${base}/NoSuchOperation?token=hush-hush-hush`);
    service.child.kill('SIGTERM');
    assert.equal(await service.exit(), 0);

    const lines = service.stderr.map((line) => JSON.parse(line));
    assert.ok(lines.every(({ time, level, msg }) => time && level && msg));
    const calls = lines.filter(({ operation }) => operation === 'InsertArticle');
    assert.deepEqual(
      calls.map(({ method, status }) => [method, status]),
      [
        ['GET', 200],
        ['POST', 200],
        ['GET', 403],
      ],
    );
    assert.ok(!/hush/.test([...service.stderr, ...service.stdout].join('\n')));
  });
});

describe('a request to stop', () => {
  /** A call whose body stays open: in flight for as long as the test likes. */
  async function callInFlight(t: TestContext, service: Started, token: string) {
    const [, port] = await service.until(/listening on http:\/\/127\.0\.0\.1:(\d+)$/);
    const body = `token=${token}&guid=late&caption=Late`;
    const socket = connect(Number(port), '127.0.0.1');
    t.after(() => socket.destroy());
    let answer = '';
    socket.setEncoding('utf8').on('data', (chunk) => {
      answer += chunk;
    });
    socket.on('error', () => {});
    const head = `POST /WS01.asmx/InsertArticle HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\n`;
    socket.write(`${head}Content-Length: ${body.length}\r\nExpect: 100-continue\r\n\r\n`);
    // The service asks for the body: it has the call.
    await once(socket, 'data');
    return {
      finish: async () => {
        socket.write(body);
        await once(socket, 'close');
        return answer;
      },
    };
  }

  const TOKEN = 'a-token-for-this-test';

  test('lets a call in flight finish, takes no new one, and ends with 0', async (t) => {
    const service = start(t, await fresh(t), undefined, { BOOTSTRAP_TOKEN: TOKEN });
    const call = await callInFlight(t, service, TOKEN);
    service.child.kill('SIGTERM');
    await service.until(/"msg":"stopping"/);
    assert.equal(service.child.exitCode, null);
    assert.match(await call.finish(), /HTTP\/1\.1 200 .*>late<\/string>$/s);
    assert.equal(await service.exit(), 0);
  });

  test('made twice, ends it at once; an echo of the first does not', async (t) => {
    const service = start(t, await fresh(t), undefined, { BOOTSTRAP_TOKEN: TOKEN });
    await callInFlight(t, service, TOKEN);
    service.child.kill('SIGINT');
    service.child.kill('SIGINT');
    await service.until(/"msg":"stopping"/);
    await sleep(1_100);
    assert.equal(service.child.exitCode, null);
    service.child.kill('SIGINT');
    assert.equal(await service.exit(), 130);
  });

  test('reaches the service through npm start, which says what to type for another token', async (t) => {
    const service = start(t, await fresh(t), ['npm', 'start'], {
      BOOTSTRAP_TOKEN: TOKEN,
      npm_config_update_notifier: 'false',
    });
    await service.until(/listening on /);
    await service.until(/^To create another token: npm run -s ws01 -- token create$/);
    service.child.kill('SIGTERM');
    assert.equal(await service.exit(), 0);
    assert.ok(service.stderr.some((line) => line.includes('"msg":"stopped"')));
  });
});
