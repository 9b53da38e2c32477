import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

export const summary = 'memory of the server while it receives large files, one and many at once, in every binding';

const TOKEN = 'bench-token-0123456789abcdef';
const OPERATION = 'InsertArticleImageFile';
const MIB = 1024 * 1024;
/** A multiple of three, so that base64 of the pieces is base64 of the file; bytes. */
const PIECE = 48 * 1024;

/** A way to send a file: the request's head and tail, and how a piece of the file stands in it. */
interface Way {
  readonly name: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly before: string;
  readonly piece: (bytes: Buffer) => Buffer | string;
  readonly after: string;
  /** How many bytes one byte of the file takes. */
  readonly growth: number;
}

const base64 = (bytes: Buffer): string => bytes.toString('base64');
const soap = (file: string): string =>
  `<soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/"><soap:Body><${OPERATION} xmlns="urn:ws01">` +
  `<verifyCode>${TOKEN}</verifyCode><FileGuid>bench</FileGuid><FileImg>${file}</FileImg></${OPERATION}></soap:Body></soap:Envelope>`;
const [soapBefore, soapAfter] = soap('@').split('@') as [string, string];
const part = (headers: string): string => `--b\r\n${headers}\r\n\r\n`;
const field = (name: string, value: string): string =>
  `${part(`Content-Disposition: form-data; name="${name}"`)}${value}\r\n`;
const SOAP_ACTION = { SOAPAction: `"urn:ws01/${OPERATION}"` };
const OPERATION_PATH = `/WS01.asmx/${OPERATION}`;
const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' };

const WAYS: readonly Way[] = [
  {
    name: 'SOAP 1.1, base64',
    path: '/WS01.asmx',
    headers: { 'Content-Type': 'text/xml; charset=utf-8', ...SOAP_ACTION },
    before: soapBefore,
    piece: base64,
    after: soapAfter,
    growth: 4 / 3,
  },
  {
    name: 'SOAP 1.1, MTOM',
    path: '/WS01.asmx',
    headers: {
      'Content-Type': 'multipart/related; type="application/xop+xml"; start-info="text/xml"; boundary=b',
      ...SOAP_ACTION,
    },
    before:
      part('Content-Type: application/xop+xml; type="text/xml"') +
      soap('<x:Include xmlns:x="http://www.w3.org/2004/08/xop/include" href="cid:f"/>') +
      `\r\n${part('Content-ID: <f>')}`,
    piece: (bytes) => bytes,
    after: '\r\n--b--\r\n',
    growth: 1,
  },
  {
    name: 'multipart/form-data',
    path: OPERATION_PATH,
    headers: { 'Content-Type': 'multipart/form-data; boundary=b' },
    before:
      field('verifyCode', TOKEN) +
      field('FileGuid', 'bench') +
      part('Content-Disposition: form-data; name="FileImg"; filename="f"'),
    piece: (bytes) => bytes,
    after: '\r\n--b--\r\n',
    growth: 1,
  },
  {
    name: 'POST, base64',
    path: OPERATION_PATH,
    headers: FORM,
    before: `verifyCode=${TOKEN}&FileGuid=bench&FileImg=`,
    piece: (bytes) => base64(bytes).replaceAll('+', '%2B'),
    after: '',
    growth: 4 / 3,
  },
  {
    name: 'POST, one value a byte',
    path: OPERATION_PATH,
    headers: FORM,
    before: `verifyCode=${TOKEN}&FileGuid=bench`,
    piece: (bytes) => Array.from(bytes, (byte) => `&FileImg=${byte}`).join(''),
    after: '',
    growth: 12,
  },
  {
    name: 'JSON, base64',
    path: OPERATION_PATH,
    headers: { 'Content-Type': 'application/json' },
    before: `{"verifyCode":"${TOKEN}","FileGuid":"bench","FileImg":"`,
    piece: base64,
    after: '"}',
    growth: 4 / 3,
  },
];

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
