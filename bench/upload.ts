import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import sharp from 'sharp';
import type { BenchOptions } from './kit/bench.ts';
import { fixed, printTable, progress, withSpread } from './kit/report.ts';
import { leaveServerCore } from './kit/sides/cores.ts';
import { cpuMicros, treeCpuMicros } from './kit/sides/process-stats.ts';
import { createServiceDatabase, type ServiceDatabase, startServiceOn } from './kit/sides/service.ts';
import { type Side, startNode } from './kit/sides/side.ts';
import { median, ratios, spread } from './kit/statistics.ts';
import { WAYS, type Way } from './kit/upload-ways.ts';

export const summary =
  'images of 1, 10 and 100 MB beside a bare pipe from socket to file: [MB ...] [a binding] [FOLDER of another copy]';

const MB = 1_000_000;
const WANTED = ['SOAP 1.1, base64', 'SOAP 1.1, MTOM', 'multipart/form-data'];

/** Uploads of one size by one side. */
const ROUNDS = 7;

/** What one upload took. */
interface Upload {
  readonly seconds: number;
  /** CPU time of the server itself; s. */
  readonly cpu: number;
  /** CPU time of its decoders; s. */
  readonly decoding: number;
}

/** Uploads of one size and binding, by side and round. */
interface Figure {
  readonly way: string;
  readonly megabytes: number;
  readonly uploads: readonly (readonly Upload[])[];
}

/** `npm run bench -- upload [MB ...] [a binding] [FOLDER]` */
export async function run(args: readonly string[], { quick }: Pick<BenchOptions, 'quick'>): Promise<readonly Figure[]> {
  leaveServerCore();
  const sizes = args.map(Number).filter((size) => size > 0);
  const other = args.find((arg) => arg.includes('/') && !WAYS.some(({ name }) => name === arg));
  const only = args.find((arg) => Number.isNaN(Number(arg)) && arg !== other);
  const ways = WAYS.filter(({ name }) => (only === undefined ? WANTED.includes(name) : name.includes(only)));
  const folder = await mkdtemp(join(tmpdir(), 'ws01-bench-pipe-'));
  const databases: ServiceDatabase[] = [];
  const sides: Side[] = [];
  try {
    for (const cwd of [join(import.meta.dirname, '..'), ...(other === undefined ? [] : [resolve(other)])]) {
      const database = await createServiceDatabase('sqlite');
      databases.push(database);
      sides.push(await startServiceOn(database, LIMITS, { cwd }));
    }
    sides.push(await startNode('a bare pipe', ['bench/kit/sides/pipe-server.ts', folder]));
    const figures: Figure[] = [];
    for (const size of sizes.length > 0 ? sizes : quick ? [0.1] : [1, 10, 100]) {
      const image = await noise(size * MB);
      for (const way of ways) {
        progress(`${way.name}, ${size} MB`);
        const uploads = await alternate(way, image, sides, quick ? 1 : ROUNDS);
        figures.push({ way: way.name, megabytes: image.length / MB, uploads });
      }
    }
    const heads = ['file', 'sent as', 'by', 'MB/s', '× a pipe', 'CPU, ms a MB', 'its decoders', 'CPU, × the first'];
    const names = ['this service', ...(other === undefined ? [] : [other]), 'a pipe with SHA-256'];
    printTable(
      heads,
      figures.flatMap((figure) => linesOf(figure, names)),
    );
    return figures;
  } finally {
    for (const side of sides) await side.stop();
    for (const database of databases) await database.remove();
    await rm(folder, { recursive: true, force: true });
  }
}

const LIMITS = { MAX_IMAGE_BYTES: String(200 * MB), MAX_IMAGE_PIXELS: '200000000' };

/** Sends an image to all sides in turn. @returns for each side an upload a round. */
async function alternate(way: Way, image: Buffer, sides: readonly Side[], rounds: number): Promise<Upload[][]> {
  const found = sides.map((): Upload[] => []);
  for (let round = 0; round <= rounds; round++) {
    // Bytes that are known already would not be judged and stored again.
    const body = encode(way, unlike(image));
    for (let turn = 0; turn < sides.length; turn++) {
      const index = (round + turn) % sides.length;
      const one = await upload(sides[index]!, way, body);
      // The first is to warm up.
      if (round > 0) found[index]!.push(one);
    }
  }
  return found;
}

function linesOf({ way, megabytes, uploads }: Figure, names: readonly string[]): string[][] {
  const pipe = uploads.at(-1)!;
  const perMegabyte = (seconds: number) => ((seconds * 1000) / megabytes).toFixed(1);
  return uploads.map((side, index) => [
    `${megabytes.toFixed(1)} MB`,
    way,
    names[index]!,
    (megabytes / median(side.map(({ seconds }) => seconds))).toFixed(0),
    withSpread(
      ratios(pipe, side, ({ seconds }) => seconds),
      fixed(2),
    ),
    withSpread(spread(side.map(({ cpu }) => cpu)), perMegabyte),
    perMegabyte(median(side.map(({ decoding }) => decoding))),
    withSpread(
      ratios(side, uploads[0]!, ({ cpu }) => cpu),
      fixed(2),
    ),
  ]);
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

function encode(way: Way, file: Buffer): Buffer {
  return Buffer.concat([Buffer.from(way.before), Buffer.from(way.piece(file)), Buffer.from(way.after)]);
}

async function upload({ port, pid }: Side, way: Way, body: Buffer): Promise<Upload> {
  const before = { own: cpuMicros(pid), all: treeCpuMicros(pid) };
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
  const cpu = cpuMicros(pid) - before.own;
  return { seconds, cpu: cpu / 1e6, decoding: (treeCpuMicros(pid) - before.all - cpu) / 1e6 };
}
