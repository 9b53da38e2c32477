import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { DEFAULT_POOL_THREADS, DiskTurns } from '../apps/ws01/src/adapters/files/disk-turns.ts';
import { DecoderPool } from '../apps/ws01/src/adapters/images/decoders.ts';
import { validateImage } from '../apps/ws01/src/domain/images/validation/validate.ts';
import type { BenchOptions } from './kit/bench.ts';
import { printTable, progress } from './kit/report.ts';
import { leaveServerCore } from './kit/sides/cores.ts';
import { cpuMicros, treeCpuMicros } from './kit/sides/process-stats.ts';
import { createServiceDatabase, startServiceOn } from './kit/sides/service.ts';
import { type Side, startNode } from './kit/sides/side.ts';
import { median } from './kit/statistics.ts';
import { WAYS, type Way } from './kit/upload-ways.ts';

export const summary = 'images of 1, 10 and 100 MB beside a bare pipe from socket to file: [MB ...] [a binding]';

const MB = 1_000_000;
const WANTED = ['SOAP 1.1, base64', 'SOAP 1.1, MTOM', 'multipart/form-data'];

/** Uploads of one size by one side. */
const ROUNDS = 5;

/** What one upload took. */
interface Upload {
  readonly seconds: number;
  /** CPU time of the server and its decoders; s. */
  readonly cpu: number;
}

/** One line of the table: medians. */
interface Figure {
  readonly way: string;
  readonly megabytes: number;
  readonly ours: Upload;
  readonly pipe: Upload;
  /** How much of a pipe's rate the service has. */
  readonly ratio: number;
  /** CPU time that it takes to see that the file is an image; s. */
  readonly judging: number;
}

/** `npm run bench -- upload [MB ...] [a binding]` */
export async function run(args: readonly string[], { quick }: Pick<BenchOptions, 'quick'>): Promise<readonly Figure[]> {
  leaveServerCore();
  const sizes = args.map(Number).filter((size) => size > 0);
  const only = args.find((arg) => Number.isNaN(Number(arg)));
  const ways = WAYS.filter(({ name }) => (only === undefined ? WANTED.includes(name) : name.includes(only)));
  const database = await createServiceDatabase('sqlite');
  const folder = await mkdtemp(join(tmpdir(), 'ws01-bench-pipe-'));
  const ours = await startServiceOn(database, { MAX_IMAGE_BYTES: String(200 * MB), MAX_IMAGE_PIXELS: '200000000' });
  const pipe = await startNode('a bare pipe', ['bench/kit/sides/pipe-server.ts', folder]);
  try {
    const figures: Figure[] = [];
    for (const size of sizes.length > 0 ? sizes : quick ? [0.1] : [1, 10, 100]) {
      const image = await noise(size * MB);
      const judging = await judgingCpu(image, folder);
      for (const way of ways) {
        progress(`${way.name}, ${size} MB`);
        figures.push({ ...(await compare(way, image, ours, pipe, quick ? 1 : ROUNDS)), judging });
      }
    }
    const heads = ['file', 'sent as', 'MB/s', 'a pipe, MB/s', 'ratio', 'CPU, ms a MB', 'of it decoding', 'a pipe'];
    printTable(heads, figures.map(lineOf));
    return figures;
  } finally {
    await Promise.all([ours.stop(), pipe.stop()]);
    await database.remove();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Sends an image in turn to both sides. */
async function compare(
  way: Way,
  image: Buffer,
  ours: Side,
  pipe: Side,
  rounds: number,
): Promise<Omit<Figure, 'judging'>> {
  const found: { ours: Upload; pipe: Upload }[] = [];
  for (let round = 0; round <= rounds; round++) {
    // Bytes that are known already would not be judged and stored again.
    const body = encode(way, unlike(image));
    const one = { ours: await upload(ours, way, body), pipe: await upload(pipe, way, body) };
    // The first is to warm up.
    if (round > 0) found.push(one);
  }
  const middle = (of: 'ours' | 'pipe'): Upload => ({
    seconds: median(found.map((one) => one[of].seconds)),
    cpu: median(found.map((one) => one[of].cpu)),
  });
  const ratio = median(found.map((one) => one.pipe.seconds / one.ours.seconds));
  return { way: way.name, megabytes: image.length / MB, ours: middle('ours'), pipe: middle('pipe'), ratio };
}

function lineOf({ way, megabytes, ours, pipe, ratio, judging }: Figure): string[] {
  const rate = (seconds: number) => (megabytes / seconds).toFixed(0);
  const perMegabyte = (seconds: number) => ((seconds * 1000) / megabytes).toFixed(1);
  return [
    `${megabytes.toFixed(1)} MB`,
    way,
    rate(ours.seconds),
    rate(pipe.seconds),
    ratio.toFixed(2),
    perMegabyte(ours.cpu),
    perMegabyte(judging),
    perMegabyte(pipe.cpu),
  ];
}

/** A photograph of nothing, about so large: noise does not compress. */
async function noise(bytes: number): Promise<Buffer> {
  const side = Math.floor(Math.sqrt(bytes / BYTES_PER_PIXEL));
  const raw = { width: side, height: side, channels: 3 as const };
  return sharp(randomBytes(side * side * 3), { raw })
    .jpeg({ quality: 95, chromaSubsampling: '4:4:4' })
    .toBuffer();
}

/** Of such noise at that quality. */
const BYTES_PER_PIXEL = 2.03;

const COMMENT_BYTES = 16;

/** The same image with another comment behind its first marker (ISO/IEC 10918-1, B.2.4.5). */
function unlike(image: Buffer): Buffer {
  const comment = Buffer.from([0xff, 0xfe, 0, COMMENT_BYTES + 2]);
  const text = Buffer.from(randomBytes(COMMENT_BYTES / 2).toString('hex'));
  return Buffer.concat([image.subarray(0, 2), comment, text, image.subarray(2)]);
}

/** CPU time that it takes to see that a file is an image; s. */
async function judgingCpu(image: Buffer, folder: string): Promise<number> {
  const path = join(folder, 'judged');
  await writeFile(path, image);
  const [full, icon] = [join(folder, 'full'), join(folder, 'icon')];
  const files = { turns: DiskTurns.ofPool(DEFAULT_POOL_THREADS) };
  const decoders = new DecoderPool({ processes: 1, waiting: 0, memory: 1024 ** 3, cpu: 60_000 });
  const judge = () =>
    validateImage({ path, owner: '' }, { full, icon }, { files, decoders, maxImagePixels: 200_000_000 });
  // Once before, so that the decoder is there.
  await judge();
  const before = cpuWithDecoders();
  await judge();
  const spent = (cpuWithDecoders() - before) / 1e6;
  decoders.close();
  for (const file of [path, full, icon]) await rm(file);
  return spent;
}

/** CPU time of this process, with its threads that have ended, and of those that it has started; µs. */
function cpuWithDecoders(): number {
  const { user, system } = process.cpuUsage();
  return user + system + treeCpuMicros(process.pid) - cpuMicros(process.pid);
}

function encode(way: Way, file: Buffer): Buffer {
  return Buffer.concat([Buffer.from(way.before), Buffer.from(way.piece(file)), Buffer.from(way.after)]);
}

async function upload({ port, pid }: Side, way: Way, body: Buffer): Promise<Upload> {
  const cpu = treeCpuMicros(pid);
  const started = performance.now();
  const answer = await new Promise<string>((resolve, reject) => {
    const headers = { ...way.headers, 'Content-Length': body.length };
    const sending = request({ port, host: '127.0.0.1', method: 'POST', path: way.path, headers }, (response) => {
      let text = '';
      response.on('data', (chunk: Buffer) => {
        text += chunk;
      });
      response.on('end', () => resolve(text));
    });
    sending.on('error', reject);
    sending.end(body);
  });
  const seconds = (performance.now() - started) / 1000;
  if (!answer.includes('true')) throw new Error(`${way.name}: ${answer}`);
  return { seconds, cpu: (treeCpuMicros(pid) - cpu) / 1e6 };
}
