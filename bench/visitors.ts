import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import sharp from 'sharp';
import { type BenchOptions, sizeOf } from './kit/bench.ts';
import { type Load, startLoad } from './kit/load/load.ts';
import { fixed, printTable, progress, withSpread } from './kit/report.ts';
import { type HttpRequest, wireText } from './kit/sides/http.ts';
import { createServiceDatabase, type ServiceDatabase, startServiceOn } from './kit/sides/service.ts';
import { type Side, startNode } from './kit/sides/side.ts';
import { ratios, spread } from './kit/statistics.ts';
import { WAYS } from './kit/upload-ways.ts';
import { CALLS } from './kit/workloads/calls.ts';
import { requestOf } from './kit/workloads/requests.ts';
import { nginxFiles } from './peers/web-servers.ts';

export const summary =
  'what visitors ask for: pictures whole, in part, unchanged (304), large ones, short links; beside nginx: [FOLDER of another copy]';

const CONNECTIONS = 32;
const SIZES = {
  quick: { rounds: 1, warmUpMs: 50, durationMs: 200 },
  short: { rounds: 5, warmUpMs: 100, durationMs: 300 },
  full: { rounds: 7, warmUpMs: 200, durationMs: 500 },
};

/** Sides of the pictures; their files have about 60, 300 and 1,500 kB. All are kept in memory. */
const PIXELS = { small: 256, large: 580, largest: 1_300 };
const PATH = '/media/';
const TARGET = 'https://example.com/flats/two-rooms?from=sms';
/** A browser's headers, as far as a short link's visit is counted by them. */
const BROWSER = {
  'User-Agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
  'Accept-Language': 'de-AT,de;q=0.8',
};

type Asked = (side: Side) => Promise<HttpRequest>;

/** Names of the pictures below {@link PATH}, and the path of the short link, on each service. */
interface Stored {
  readonly small: string;
  readonly large: string;
  readonly largest: string;
  readonly links: ReadonlyMap<Side, string>;
}

/** `npm run bench -- visitors [FOLDER]` */
export async function run([other]: readonly string[], options: BenchOptions): Promise<unknown> {
  const load = startLoad();
  const folder = await mkdtemp(join(tmpdir(), 'ws01-bench-files-'));
  const databases: ServiceDatabase[] = [];
  const sides: Side[] = [];
  try {
    for (const cwd of [join(import.meta.dirname, '..'), ...(other === undefined ? [] : [resolve(other)])]) {
      const database = await createServiceDatabase('sqlite');
      databases.push(database);
      sides.push({ ...(await startServiceOn(database, {}, { cwd })), name: cwd });
    }
    const stored = await fill(sides, folder);
    sides.push(await startNode('bare node:http', ['bench/kit/sides/file-server.ts', folder, PATH, TARGET]));
    const nginx = await nginxFiles(PATH, folder, TARGET);
    if (nginx === undefined) console.log('nginx: not installed.');
    else sides.push(nginx);
    return await compare(load, sides, stored, options);
  } finally {
    await Promise.all([load.stop(), ...sides.map((side) => side.stop())]);
    for (const database of databases) await database.remove();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Stores the pictures and a short link on the services, and the pictures as they are served in a folder for the others. */
async function fill(services: readonly Side[], folder: string): Promise<Stored> {
  const names: Record<string, string> = {};
  for (const [size, pixels] of Object.entries(PIXELS)) {
    const file = await noise(pixels);
    for (const service of services) await upload(service, file);
    names[size] = `${createHash('sha256').update(file).digest('hex')}.jpg`;
    await writeFile(join(folder, names[size]), (await get(services[0]!, names[size])).body);
  }
  const links = new Map<Side, string>();
  for (const service of services) links.set(service, await shorten(service));
  return { ...(names as Record<keyof typeof PIXELS, string>), links };
}

interface Question {
  readonly what: string;
  readonly ask: Asked;
  /** Whether only the service can answer it. */
  readonly isCall?: boolean;
}

function questionsOf({ small, large, largest, links }: Stored): readonly Question[] {
  const call = requestOf('SOAP 1.1', 'countUserPosted', CALLS.countUserPosted.params);
  const link = (side: Side) => ({ ...requestFor('', BROWSER), path: links.get(side) ?? '/s/BBBBBBB' });
  return [
    { what: 'a picture of 60 kB, whole (200)', ask: async () => requestFor(small, {}) },
    { what: 'its first 1,024 bytes (206)', ask: async () => requestFor(small, { Range: 'bytes=0-1023' }) },
    {
      what: 'unchanged (304)',
      ask: async (side) => requestFor(small, { 'If-None-Match': (await get(side, small)).etag }),
    },
    { what: 'a picture of 300 kB', ask: async () => requestFor(large, {}) },
    { what: 'a picture of 1.5 MB', ask: async () => requestFor(largest, {}) },
    { what: 'a short link (302)', ask: async (side) => link(side) },
    { what: 'countUserPosted, SOAP 1.1', ask: async () => call, isCall: true },
  ];
}

interface Figure {
  readonly what: string;
  readonly name: string;
  /** CPU time of an answer by round; µs. */
  readonly cpu: readonly number[];
}

async function compare(load: Load, sides: readonly Side[], stored: Stored, options: BenchOptions): Promise<Figure[]> {
  const figures: Figure[] = [];
  const rows: string[][] = [];
  for (const { what, ask, isCall = false } of questionsOf(stored)) {
    progress(what);
    const asked = sides.filter((side) => !isCall || stored.links.has(side));
    const cpu = await alternate(load, asked, ask, options);
    for (const [index, { name }] of asked.entries()) {
      figures.push({ what, name, cpu: cpu[index]! });
      const ratio = ratios(cpu[index]!, cpu[0]!, (each) => each);
      rows.push([what, name, withSpread(spread(cpu[index]!), fixed(1)), withSpread(ratio, fixed(2))]);
    }
  }
  printTable(['', 'by', 'CPU µs an answer', '× this service'], rows);
  return figures;
}

/** Asks all sides in turn. @returns for each side the CPU time of an answer by round; µs. */
async function alternate(load: Load, sides: readonly Side[], ask: Asked, options: BenchOptions): Promise<number[][]> {
  const { rounds, ...times } = sizeOf(options, SIZES);
  const found = sides.map((): number[] => []);
  for (let round = 0; round <= rounds; round++) {
    for (let turn = 0; turn < sides.length; turn++) {
      const index = (round + turn) % sides.length;
      const { port, pid } = sides[index]!;
      const requests = [wireText(await ask(sides[index]!))];
      const { serverCpuMicros, answers } = await load.drive({
        port,
        pid,
        requests,
        connections: CONNECTIONS,
        ...times,
      });
      // The first is to warm up.
      if (round > 0) found[index]!.push(serverCpuMicros / answers);
    }
  }
  return found;
}

/** Random pixels as a JPEG, whose size hardly depends on what they are. */
function noise(side: number): Promise<Buffer> {
  const raw = { width: side, height: side, channels: 3 as const };
  return sharp(randomBytes(side * side * raw.channels), { raw })
    .jpeg()
    .toBuffer();
}

async function upload({ port }: Side, file: Buffer): Promise<void> {
  const way = WAYS.find(({ name }) => name === 'multipart/form-data')!;
  const body = Buffer.concat([Buffer.from(way.before), file, Buffer.from(way.after)]);
  // Each is a record of its own, since one whose file is replaced is gone.
  const guid = createHash('sha256').update(file).digest('hex').slice(0, 32);
  const own = Buffer.from(body.toString('latin1').replace('\r\nbench\r\n', `\r\n${guid}\r\n`), 'latin1');
  const answer = await send(port, { method: 'POST', path: way.path, headers: way.headers }, own);
  if (!answer.body.includes('true')) throw new Error(`The upload is answered ${answer.status}: ${answer.body}`);
}

/** @returns the path of a new short link. */
async function shorten({ port }: Side): Promise<string> {
  const path = `/WS01.asmx/UrltoShortUrl?${new URLSearchParams({ _orgUrl: TARGET })}`;
  const { status, body } = await send(port, { method: 'GET', path, headers: {} });
  const [, found] = />https?:\/\/[^/]+([^<]+)</.exec(body.toString()) ?? [];
  if (found === undefined) throw new Error(`The link is answered ${status}: ${body}`);
  return found;
}

interface Answer {
  readonly status: number;
  readonly etag: string;
  readonly body: Buffer;
}

async function get({ port }: Side, name: string): Promise<Answer> {
  const picture = await send(port, { method: 'GET', path: `${PATH}${name}`, headers: {} });
  if (picture.status !== 200) throw new Error(`The picture is answered ${picture.status}.`);
  return picture;
}

const requestFor = (name: string, headers: Readonly<Record<string, string>>): HttpRequest => ({
  method: 'GET',
  path: `${PATH}${name}`,
  headers,
  body: '',
});

function send(port: number, options: Omit<HttpRequest, 'body'>, body?: Buffer): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, ...options }, async (answer) => {
      const bytes = Buffer.concat(await answer.toArray());
      resolve({ status: answer.statusCode ?? 0, etag: answer.headers.etag ?? '', body: bytes });
    });
    sent.on('error', reject);
    sent.end(body);
  });
}
