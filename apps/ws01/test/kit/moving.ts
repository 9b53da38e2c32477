import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import type { TestContext } from 'node:test';
import { DAY_MS, MINUTE_MS } from '@ws01/asmx/time';
import { temporaryFolder } from '../../../../packages/asmx/test/kit/folder.ts';
import { TEST_BINDINGS } from './bindings.ts';
import { type CommandResult, ws01 } from './command.ts';
import { freshDatabase } from './database.ts';
import { blackPng } from './images/containers.ts';
import { readLines } from './portable.ts';
import { startService } from './service.ts';

const SECRET = 'the-secret-of-the-old-site';
const NAMESPACE = 'http://tempuri.org/';

/** How large an old service is that moves. */
export interface Size {
  readonly articles: number;
  readonly images: number;
  /** Calls after the cut-over. */
  readonly writes: number;
}

/** Called with what took how long by the clock and of the processors, ms. */
export type OnStep = (step: string, ms: number, cpu: number) => void;

/**
 * The plan of docs/migration.md, each of its commands as it stands there, on an old service: compare, import, replay,
 * cut-over, writes, export, and an import elsewhere that comes out the same.
 */
export async function showMove(
  t: TestContext,
  size: Size,
  onStep: OnStep = () => {},
): Promise<void> {
  const folder = await temporaryFolder(t);
  const desk = new Desk(t, folder, await planOf('docs/migration.md'));
  await desk.open();
  await writeOldSite(join(folder, 'old-site'), size);
  const old = await startOldService(t, join(folder, 'old-site'));
  await writeFile(
    join(folder, 'ws01.env'),
    `SOAP_NAMESPACE=${NAMESPACE}\nPORT=0\nDATA_DIR=${join(folder, 'data')}\nRATE_LIMITS=off\nLEGACY_IMAGE_PATHS=/upload/{key}.jpg\n`,
  );
  await writeFile(join(folder, 'secret.txt'), `${SECRET}\n`);
  await writeFile(join(folder, 'secrets.json'), JSON.stringify({ token: SECRET, tokenId: SECRET }));
  await writeFile(
    join(folder, 'access.log'),
    '10.0.0.1 - - "GET /WS01.asmx/QueryAdvert?userId=u HTTP/1.1" 200 5\n'.repeat(3),
  );
  const timed = async (line: RegExp, code = 0, replaced: Readonly<Record<string, string>> = {}) => {
    const started = performance.now();
    const result = await desk.run(line, { 'http://old.example.com': old, ...replaced });
    assert.equal(result.code, code, `${line}: ${result.stderr}${result.stdout}`);
    onStep(String(line), performance.now() - started, result.cpu);
    return result;
  };

  assert.match((await timed(/^grep /)).stdout, /3 \/WS01\.asmx\/QueryAdvert/);
  await timed(/ compare /);
  await desk.record(old);
  await timed(/ import old-site --dry-run$/, 1);
  const { stdout } = await timed(/ import old-site$/, 1);
  assert.match(stdout, new RegExp(`articles +${size.articles} +0 +0 +1\\n`));
  await timed(/ token import /);

  const { url, service } = await desk.serve();
  await timed(/^ws01 replay /, 0, { 'http://127.0.0.1:8080': url });
  assert.equal((await fetch(`${url}/upload/image-0.jpg`)).status, 200);
  assert.equal(
    await count(url, 'user-1'),
    Math.ceil((size.articles - 1) / 10) + 1,
    'of the user whose article was recorded, too',
  );
  await writeAfterwards(url, size.writes);
  await timed(/ export way-back --since 12h$/);
  for (const line of [/ audit list /, / mail list /, / export week-1$/]) await timed(line);
  assert.deepEqual(desk.left, [], 'commands of the plan that were not run');
  const since = (await readLines(join(folder, 'way-back/articles.jsonl'))).length;
  assert.ok(since > 0 && since < size.articles, `${since} articles were written meanwhile`);

  const elsewhere = await freshDatabase('postgres', t);
  await (await elsewhere.open()).close();
  for (const [step, args] of [
    ['import into PostgreSQL', ['import', join(folder, 'week-1')]],
    ['export from PostgreSQL', ['export', join(folder, 'elsewhere')]],
  ] as const) {
    const started = performance.now();
    const result = await ws01(elsewhere, args);
    assert.equal(result.code, 0, result.stderr);
    onStep(step, performance.now() - started, Number.NaN);
  }
  const [here, there] = await Promise.all([
    digests(join(folder, 'week-1')),
    digests(join(folder, 'elsewhere')),
  ]);
  assert.deepEqual(there, here);
  service.kill('SIGTERM');
  await once(service, 'exit');
}

/** The commands of the plan: every line of its `sh` blocks. */
async function planOf(page: string): Promise<string[]> {
  const blocks = (await readFile(page, 'utf8')).matchAll(/^```sh\n([\s\S]*?)^```$/gm);
  return [...blocks].flatMap(([, block]) => block!.trim().split('\n'));
}

/** SHA-256 of each kind, and how many records; what tells of imports aside. */
async function digests(folder: string): Promise<Record<string, unknown>> {
  const { files } = JSON.parse(await readFile(join(folder, 'manifest.json'), 'utf8'));
  const { audit, 'image-files': images, ...others } = files;
  const stored = await readLines(join(folder, 'image-files.jsonl'));
  return {
    ...others,
    images: stored.map(({ storedAt, ...file }) => file),
    audited: audit.records > 0,
    kinds: Object.keys(images).length,
  };
}

/** Where the plan is carried out: a folder, and a `ws01` in the PATH. */
class Desk {
  readonly #test: TestContext;
  readonly #folder: string;
  readonly left: string[];

  constructor(test: TestContext, folder: string, plan: readonly string[]) {
    this.#test = test;
    this.#folder = folder;
    this.left = [...plan];
  }

  async open(): Promise<void> {
    await mkdir(join(this.#folder, 'bin'));
    const way = join(this.#folder, 'bin/ws01');
    await writeFile(
      way,
      `#!/bin/sh\nexec '${process.execPath}' '${resolve('bin/ws01.js')}' "$@"\n`,
    );
    await chmod(way, 0o755);
  }

  /** Runs the command of the plan that matches, after some replacements, to its end. */
  async run(
    line: RegExp,
    replaced: Readonly<Record<string, string>>,
  ): Promise<CommandResult & { /** Of the processors, ms. */ readonly cpu: number }> {
    const times = join(this.#folder, 'times.txt');
    const child = this.#spawn(
      `${this.#take(line, replaced)}\ncode=$?; times > ${times}; exit $code`,
    );
    const [stdout, stderr, [code]] = await Promise.all([
      text(child.stdout!),
      text(child.stderr!),
      once(child, 'close'),
    ]);
    return { code, stdout, stderr, cpu: cpuOf(await readFile(times, 'utf8')) };
  }

  /** Records some traffic, and ends the recording. */
  async record(old: string): Promise<void> {
    const here = { 'http://10.0.0.5': old, '10.0.0.0/8': '127.0.0.0/8', '0.0.0.0': '127.0.0.1' };
    const child = this.#spawn(`exec ${this.#take(/^ws01 record /, here)} --port 0`);
    const said = await firstLine(child, child.stderr!);
    const proxy = /http:\/\/127\.0\.0\.1:\d+/.exec(said.split(' at ')[1] ?? '')?.[0];
    assert.ok(proxy, said);
    const get = TEST_BINDINGS.find(({ name }) => name === 'get')!;
    const call = async (operation: string, params: Record<string, string>) => {
      const { status, body } = await get.call(proxy, operation, params);
      assert.equal(status, 200, body);
    };
    await call('InsertArticle', {
      token: SECRET,
      guid: 'recorded',
      caption: 'c',
      Status: '0',
      CreateUserId: 'user-1',
    });
    await call('countUserPosted', { tokenId: SECRET, userId: 'user-1', lastFewDays: '300' });
    await call('QueryAdvert', { userId: 'user-1' });
    const ended = once(child, 'exit');
    child.kill('SIGINT');
    await ended;
  }

  /** Starts the service. @returns where it is. */
  async serve(): Promise<{ readonly url: string; readonly service: ChildProcess }> {
    const service = this.#spawn(`exec ${this.#take(/ serve$/, {})}`);
    let said = '';
    const url = await new Promise<string>((found, failed) => {
      service.stdout!.on('data', (chunk: Buffer) => {
        said += chunk;
        const port = /https?:\/\/[^\s/]+:(\d+)/.exec(said)?.[1];
        if (port !== undefined) found(`http://127.0.0.1:${port}`);
      });
      service.on('exit', () => failed(new Error(`The service ended: ${said}`)));
    });
    return { url, service };
  }

  #take(line: RegExp, replaced: Readonly<Record<string, string>>): string {
    const at = this.left.findIndex((command) => line.test(command));
    assert.equal(at, 0, `${line} is not the next command of the plan: ${this.left[0]}`);
    const [command] = this.left.splice(at, 1);
    return Object.entries(replaced).reduce(
      (changed, [from, to]) => changed.replaceAll(from, to),
      command!,
    );
  }

  #spawn(command: string): ChildProcess {
    const PATH = `${join(this.#folder, 'bin')}:${process.env.PATH}`;
    const child = spawn('sh', ['-c', command], {
      cwd: this.#folder,
      env: { PATH },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#test.after(() => child.kill('SIGKILL'));
    return child;
  }
}

/** What the shell's `times` says of its children: user and system, ms. */
function cpuOf(times: string): number {
  const [, ofChildren = ''] = times.trim().split('\n');
  const parts = [...ofChildren.matchAll(/(\d+)m([\d.]+)s/g)];
  return parts.reduce(
    (ms, [, minutes, seconds]) => ms + Number(minutes) * MINUTE_MS + Number(seconds) * 1_000,
    0,
  );
}

function firstLine(child: ChildProcess, stream: NodeJS.ReadableStream): Promise<string> {
  return new Promise((found, failed) => {
    let said = '';
    stream.on('data', (chunk: Buffer) => {
      said += chunk;
      if (said.includes('\n')) found(said);
    });
    child.on('exit', () => failed(new Error(`It ended: ${said}`)));
  });
}

/** The old service: another one of ours, with the data of the old site. */
async function startOldService(t: TestContext, site: string): Promise<string> {
  const database = await freshDatabase('sqlite', t);
  assert.equal((await ws01(database, ['import', site, '--refused', `${site}.old.jsonl`])).code, 1);
  const { url } = await startService(t, database, {
    SOAP_NAMESPACE: NAMESPACE,
    BOOTSTRAP_TOKEN: SECRET,
  });
  return url;
}

async function count(url: string, userId: string): Promise<number> {
  const get = TEST_BINDINGS.find(({ name }) => name === 'get')!;
  const { body } = await get.call(url, 'countUserPosted', {
    tokenId: SECRET,
    userId,
    lastFewDays: '300',
    level: 'article',
  });
  return Number(/>(\d+)</.exec(body)?.[1]);
}

/** Calls that write, after the cut-over. */
async function writeAfterwards(url: string, writes: number): Promise<void> {
  const get = TEST_BINDINGS.find(({ name }) => name === 'get')!;
  const waiting = Array.from({ length: writes }, (_, n) => n).values();
  const writeOn = async () => {
    for (const n of waiting) {
      const params = {
        token: SECRET,
        guid: n % 4 === 3 ? `article-${n}` : `new-${n}`,
        caption: `Written ${n}`,
        Status: '0',
      };
      const { status, body } = await get.call(url, 'InsertArticle', params);
      assert.equal(status, 200, body);
    }
  };
  await Promise.all(Array.from({ length: 8 }, writeOn));
}

/** Articles as CSV and images as an old site has them; the last row is cut off. */
async function writeOldSite(folder: string, { articles, images }: Size): Promise<void> {
  await mkdir(join(folder, 'upload'), { recursive: true });
  const now = Date.now();
  const csv = createWriteStream(join(folder, 'articles.csv'));
  // At the end, the row before it would be refused with it: the short one could be the rest of that.
  csv.write('guid,owner,caption,content,category,createdAt,ip\nhalf,a row\n');
  for (let n = 0; n < articles; n++) {
    // As SQL Server writes dates, within the last two hundred days.
    const at = new Date(now - (n % 200) * DAY_MS - n).toISOString().replace('T', ' ').slice(0, 23);
    const row = `article-${n},user-${n % 10},"Flat ""${n}""","Bright, near\nthe park",cat-${n % 20},${at},203.0.113.${n % 250}\n`;
    if (!csv.write(row)) await once(csv, 'drain');
  }
  csv.end();
  await once(csv, 'close');
  const records: string[] = [];
  const files: string[] = [];
  const at = new Date(now - DAY_MS).toISOString();
  for (let n = 0; n < images; n++) {
    const bytes = blackPng(8 + (n % 200), 8 + Math.floor(n / 200));
    const hash = createHash('sha256').update(bytes).digest('hex');
    await writeFile(join(folder, `upload/${n}.png`), bytes);
    const size = { width: 8 + (n % 200), height: 8 + Math.floor(n / 200), bytes: bytes.length };
    files.push(
      JSON.stringify({ hash, file: `upload/${n}.png`, format: 'png', ...size, storedAt: at }),
    );
    records.push(
      JSON.stringify({ guid: `image-${n}`, hash, linkGuid: `article-${n}`, createdAt: at }),
    );
  }
  await writeFile(join(folder, 'image-files.jsonl'), `${files.join('\n')}\n`);
  await writeFile(join(folder, 'images.jsonl'), `${records.join('\n')}\n`);
}
