import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { type BenchOptions, sizeOf } from './kit/bench.ts';
import { type Load, startLoad } from './kit/load/load.ts';
import { fixed, printTable, progress, withSpread } from './kit/report.ts';
import { type HttpRequest, wireText } from './kit/sides/http.ts';
import { startService } from './kit/sides/service.ts';
import type { Side } from './kit/sides/side.ts';
import { median, ratios } from './kit/statistics.ts';
import { WAYS } from './kit/upload-ways.ts';
import { nginxFiles } from './peers/web-servers.ts';

export const summary = 'a stored picture that browsers ask for, whole, in part and unchanged (304), beside nginx';

const CONNECTIONS = 32;
const SIZES = {
  quick: { rounds: 1, warmUpMs: 50, durationMs: 200 },
  short: { rounds: 5, warmUpMs: 100, durationMs: 500 },
  full: { rounds: 7, warmUpMs: 200, durationMs: 1_000 },
};

/** Side of the picture; its file has about 60 kB. */
const PIXELS = 256;
const PATH = '/media/';

type Asked = (side: Side) => Promise<HttpRequest>;

/** `npm run bench -- renditions` */
export async function run(_args: readonly string[], options: BenchOptions): Promise<unknown> {
  const load = startLoad();
  const folder = await mkdtemp(join(tmpdir(), 'ws01-bench-files-'));
  const sides: Side[] = [await startService()];
  try {
    const name = await upload(sides[0]!);
    await writeFile(join(folder, name), (await get(sides[0]!, name)).body);
    const nginx = await nginxFiles(PATH, folder);
    if (nginx === undefined) console.log('nginx: not installed.');
    else sides.push(nginx);
    return await compare(load, sides, name, options);
  } finally {
    await Promise.all([load.stop(), ...sides.map((side) => side.stop())]);
    await rm(folder, { recursive: true, force: true });
  }
}

async function compare(load: Load, sides: readonly Side[], name: string, options: BenchOptions): Promise<unknown> {
  const { rounds, ...times } = sizeOf(options, SIZES);
  const asked: Readonly<Record<string, Asked>> = {
    'whole (200)': async () => requestOf(name, {}),
    'its first 1,024 bytes (206)': async () => requestOf(name, { Range: 'bytes=0-1023' }),
    'unchanged (304)': async (side) => requestOf(name, { 'If-None-Match': (await get(side, name)).etag }),
  };
  const cpu = async (side: Side, ask: Asked): Promise<number> => {
    const requests = [wireText(await ask(side))];
    const { port, pid } = side;
    const found = await load.drive({ port, pid, requests, connections: CONNECTIONS, ...times });
    return found.serverCpuMicros / found.answers;
  };
  const figures: Record<string, number[][]> = {};
  for (const [what, ask] of Object.entries(asked)) {
    progress(what);
    const found = sides.map((): number[] => []);
    for (let round = 0; round <= rounds; round++) {
      for (const [index, side] of sides.entries()) {
        const micros = await cpu(side, ask);
        // The first is to warm up.
        if (round > 0) found[index]!.push(micros);
      }
    }
    figures[what] = found;
  }
  printTable(
    ['', 'CPU µs an answer', 'nginx', '× nginx'],
    Object.entries(figures).map(([what, [ours, nginx]]) => [
      what,
      median(ours!).toFixed(1),
      nginx === undefined ? '' : median(nginx).toFixed(1),
      nginx === undefined
        ? ''
        : withSpread(
            ratios(nginx, ours!, (each) => each),
            fixed(2),
          ),
    ]),
  );
  return figures;
}

/** @returns the name of the picture below {@link PATH}. */
async function upload({ port }: Side): Promise<string> {
  const raw = { width: PIXELS, height: PIXELS, channels: 3 as const };
  const file = await sharp(randomBytes(PIXELS * PIXELS * raw.channels), { raw })
    .jpeg()
    .toBuffer();
  const way = WAYS.find(({ name }) => name === 'multipart/form-data')!;
  const body = Buffer.concat([Buffer.from(way.before), file, Buffer.from(way.after)]);
  const answer = await send(port, { method: 'POST', path: way.path, headers: way.headers }, body);
  if (!answer.body.includes('true')) throw new Error(`The upload is answered ${answer.status}: ${answer.body}`);
  return `${createHash('sha256').update(file).digest('hex')}.jpg`;
}

interface Picture {
  readonly status: number;
  readonly etag: string;
  readonly body: Buffer;
}

async function get({ port }: Side, name: string): Promise<Picture> {
  const picture = await send(port, { method: 'GET', path: `${PATH}${name}`, headers: {} });
  if (picture.status !== 200) throw new Error(`The picture is answered ${picture.status}.`);
  return picture;
}

const requestOf = (name: string, headers: Readonly<Record<string, string>>): HttpRequest => ({
  method: 'GET',
  path: `${PATH}${name}`,
  headers,
  body: '',
});

function send(port: number, options: Omit<HttpRequest, 'body'>, body?: Buffer): Promise<Picture> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, ...options }, async (answer) => {
      const bytes = Buffer.concat(await answer.toArray());
      resolve({ status: answer.statusCode ?? 0, etag: answer.headers.etag ?? '', body: bytes });
    });
    sent.on('error', reject);
    sent.end(body);
  });
}
