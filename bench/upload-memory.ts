import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { TOKEN } from './kit/sides/service.ts';
import { WAYS, type Way } from './kit/upload-ways.ts';

export const summary = 'memory of the server while it receives large files, one and many at once, in every binding';

const MIB = 1024 * 1024;
/** A multiple of three, so that base64 of the pieces is base64 of the file; bytes. */
const PIECE = 48 * 1024;

/** `npm run bench -- upload-memory [MiB of one file] [uploads at once] [MiB of each of those] [a binding]` */
export async function run([one = '1024', many = '16', each = '128', only = '']: readonly string[]): Promise<void> {
  console.log('The server’s peak above what it has idle while files arrive, MiB, by the operating system (VmHWM):\n');
  console.log(`| | idle | one of ${one} MiB | seconds | ${many} at once of ${each} MiB | seconds |`);
  console.log('| --- | --- | --- | --- | --- | --- |');
  for (const way of WAYS.filter(({ name }) => name.includes(only))) {
    const server = await startServer(Math.max(Number(one), Number(each)) * MIB);
    try {
      await upload(server.port, way, MIB);
      const idle = await memory(server.pid, 'VmRSS');
      // A value a byte is twelve times as much to send.
      const scale = way.growth > 2 ? 16 : 1;
      const single = await peak(server.pid, idle, () => upload(server.port, way, (Number(one) * MIB) / scale));
      const parallel = await peak(server.pid, idle, () =>
        Promise.all(Array.from({ length: Number(many) }, () => upload(server.port, way, (Number(each) * MIB) / scale))),
      );
      const note = scale === 1 ? '' : ` (a ${scale}th of the size)`;
      const figures = [idle, single.mib, single.seconds, parallel.mib, parallel.seconds];
      console.log(`| ${way.name}${note} | ${figures.join(' | ')} |`);
    } finally {
      await server.stop();
    }
  }
}

/** Runs work and tells how far the server's memory rose above what it has idle, right after its start. */
async function peak(
  pid: number,
  idle: number,
  work: () => Promise<unknown>,
): Promise<{ mib: number; seconds: string }> {
  // Makes the kernel forget the earlier peak.
  await writeFile(`/proc/${pid}/clear_refs`, '5');
  const started = performance.now();
  await work();
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  return { mib: (await memory(pid, 'VmHWM')) - idle, seconds };
}

async function memory(pid: number, name: 'VmRSS' | 'VmHWM'): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Math.round(Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)![1]) / 1024);
}

/** Sends a file of zeros behind a number; @returns when the server has said that it is no image. */
async function upload(port: number, way: Way, bytes: number): Promise<void> {
  const piece = Buffer.alloc(PIECE);
  const encoded = Buffer.from(way.piece(piece));
  const pieces = Math.floor(bytes / PIECE);
  const body = Readable.from(
    (function* () {
      yield Buffer.from(way.before);
      for (let sent = 0; sent < pieces; sent++) yield encoded;
      yield Buffer.from(way.after);
    })(),
  );
  const sending = request({ port, host: '127.0.0.1', method: 'POST', path: way.path, headers: way.headers });
  const answered = new Promise<string>((resolve, reject) => {
    sending.on('error', reject);
    sending.on('response', (response) => {
      response.resume();
      response.on('end', () => resolve(`${response.statusCode} ${response.headers['x-error-code']}`));
    });
  });
  await Promise.all([pipeline(body, sending), answered]);
  if ((await answered) !== '200 ImageTypeRefused') throw new Error(`${way.name}: ${await answered}`);
}

async function startServer(maxImageBytes: number): Promise<{ port: number; pid: number; stop(): Promise<void> }> {
  const dataDir = await mkdtemp(join(tmpdir(), 'ws01-bench-'));
  const env = {
    ...process.env,
    PORT: '0',
    DATA_DIR: dataDir,
    BOOTSTRAP_TOKEN: TOKEN,
    LOG_LEVEL: 'silent',
    MAX_IMAGE_BYTES: String(maxImageBytes),
  };
  const child: ChildProcess = spawn(process.execPath, ['bin/ws01.js', 'serve'], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const port = await new Promise<number>((resolve) => {
    let output = '';
    child.stdout!.on('data', (chunk: Buffer) => {
      output += chunk;
      const found = /https?:\/\/[^\s/]+:(\d+)/.exec(output);
      if (found !== null) resolve(Number(found[1]));
    });
  });
  return {
    port,
    pid: child.pid!,
    async stop() {
      const ended = new Promise((resolve) => child.on('exit', resolve));
      child.kill();
      await ended;
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
