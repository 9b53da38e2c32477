import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { BenchOptions } from './kit/bench.ts';
import { printGoal, printTable } from './kit/report.ts';
import { cjkArticle, manyElements, smallEnvelope, upload } from './kit/xml-documents.ts';
import { READERS, type Reader } from './kit/xml-readers.ts';

export const summary =
  'the XML reader beside saxes, sax, fast-xml-parser, htmlparser2 and libxml2-wasm: time and memory';

const MIB = 1024 * 1024;
/** A batch takes about a ms, so that most batches pass without another process getting its turn. */
const DOCUMENTS: readonly { name: string; document: Buffer; batch: number; rounds: number }[] = [
  { name: 'envelope', document: smallEnvelope(), batch: 200, rounds: 200 },
  { name: '20 kB of CJK', document: cjkArticle(), batch: 3, rounds: 400 },
  { name: '5,000 elements', document: manyElements(5_000), batch: 1, rounds: 60 },
];
const UPLOADS = [4 * MIB, 64 * MIB];
const UPLOAD_ROUNDS = 5;
const MEMORY_UPLOADS = [1024, 4 * MIB, 64 * MIB, 256 * MIB];
/** White space outside the root element, code units. */
const OUTSIDE = 4;
/** Of the goals: how much faster than saxes on the envelope, MB a second on uploads, MiB that a large upload may add. */
const GOALS = { times: 2, megabytes: 900, mib: 32 };
const OURS = READERS[0]!;

/** What a reader reached: µs by document, MB/s by upload, MiB by upload. */
interface Figures {
  readonly reader: string;
  readonly values: readonly number[];
}

/**
 * `npm run bench -- xml [documents | uploads | memory]`; with `memory <reader> <bytes>` one upload in this process, whose
 * peak memory it prints.
 */
export async function run([what, name, bytes]: readonly string[], { quick }: BenchOptions): Promise<unknown> {
  if (name !== undefined) return printMemory(name, Number(bytes));
  const figures: Record<string, readonly Figures[]> = {};
  if (what === undefined || what === 'documents') figures.documents = compareDocuments(quick ? 0.01 : 1);
  if (what === undefined || what === 'uploads') figures.uploads = compareUploads(quick ? [MIB / 4] : UPLOADS);
  if (what === undefined || what === 'memory') {
    figures.memory = compareMemory(quick ? MEMORY_UPLOADS.slice(0, 1) : MEMORY_UPLOADS, quick ? [OURS] : READERS);
  }
  return figures;
}

/** All readers by turns, so that what else the machine does hits all; the fastest batch of each counts. */
function compareDocuments(share: number): Figures[] {
  const columns = DOCUMENTS.map(({ document, batch, rounds }) => {
    checkWork(document);
    for (const reader of READERS) timeOf(reader, document, Math.ceil(5 * batch * share));
    const best = READERS.map(() => Infinity);
    for (let round = 0; round < rounds * share; round++) {
      READERS.forEach((reader, i) => {
        best[i] = Math.min(best[i]!, timeOf(reader, document, batch));
      });
    }
    return best;
  });
  const figures = READERS.map(({ name }, i) => ({ reader: name, values: columns.map((best) => best[i]!) }));
  console.log('µs a document, fastest of the rounds (times the time of asmx/xml)');
  const heads = DOCUMENTS.map(({ name, document }) => `${name}, ${document.length.toLocaleString('en')} B`);
  const cell = (time: number, column: number) => `${time.toFixed(1)} (${(time / columns[column]![0]!).toFixed(1)}×)`;
  printTable(
    ['reader', ...heads],
    figures.map(({ reader, values }) => [reader, ...values.map(cell)]),
  );
  const times = columns[0]![READERS.findIndex(({ name }) => name === 'saxes')]! / columns[0]![0]!;
  printGoal(
    `at least ${GOALS.times} × as fast as saxes on the envelope`,
    `${times.toFixed(2)} ×`,
    times >= GOALS.times,
  );
  return figures;
}

/** µs a document. */
function timeOf(reader: Reader, document: Buffer, times: number): number {
  const start = performance.now();
  for (let i = 0; i < times; i++) reader.read(document);
  return ((performance.now() - start) / times) * 1000;
}

/**
 * All find the same text, but that some keep CR LF and report white space outside the root element. fast-xml-parser
 * makes objects, in which it is not counted.
 */
function checkWork(document: Buffer): void {
  const expected = OURS.read(document);
  const most = expected + document.toString('latin1').split('\r').length - 1 + OUTSIDE;
  for (const reader of READERS) {
    const length = reader.read(document);
    if (length < expected || length > most) {
      throw new Error(`${reader.name} finds ${length} characters of text, not ${expected}.`);
    }
  }
}

function compareUploads(sizes: readonly number[]): Figures[] {
  const alone = { name: 'Buffer.from(text, base64) alone, by chunks', upload: decodeAlone };
  const sides: readonly { name: string; upload: (chunks: Iterable<Buffer>) => number }[] = [...READERS, alone];
  const figures = sides.map(({ name, upload: read }) => ({
    reader: name,
    values: sizes.map((bytes) => bytes / fastestUpload(name, read, bytes)),
  }));
  console.log('MB of base64 a second, read and decoded, fastest of the rounds');
  printTable(
    ['reader', ...sizes.map((bytes) => `${bytes / MIB} MiB`)],
    figures.map(({ reader, values }) => [reader, ...values.map((value) => value.toFixed(0))]),
  );
  const [ours, best] = [figures[0]!.values.at(-1)!, figures.at(-1)!.values.at(-1)!];
  const found = `${ours.toFixed(0)} MB/s, ${(ours / best).toFixed(2)} of Node's own decoder alone`;
  printGoal('base64 as a stream at about 1 GB/s', found, ours >= GOALS.megabytes);
  return figures;
}

/** µs. */
function fastestUpload(name: string, read: (chunks: Iterable<Buffer>) => number, bytes: number): number {
  let best = Infinity;
  for (let round = 0; round < UPLOAD_ROUNDS; round++) {
    const start = performance.now();
    if (read(upload(bytes)) < bytes * 0.73) throw new Error(`${name} has not decoded all.`);
    best = Math.min(best, performance.now() - start);
  }
  return best * 1000;
}

/** The same bytes with nothing but Node's own decoder: what reading could cost at best. */
function decodeAlone(chunks: Iterable<Buffer>): number {
  let bytes = 0;
  for (const chunk of chunks) bytes += Buffer.from(chunk.toString('latin1'), 'base64').length;
  return bytes;
}

function compareMemory(sizes: readonly number[], readers: readonly Reader[]): Figures[] {
  const figures = readers.map(({ name }) => ({ reader: name, values: sizes.map((bytes) => peakOf(name, bytes)) }));
  console.log('MiB of memory at most (resident, one process each) while an upload is read');
  printTable(
    ['reader', ...sizes.map((bytes) => (bytes < MIB ? 'hardly anything' : `${bytes / MIB} MiB`))],
    figures.map(({ reader, values }) => [
      reader,
      ...values.map((mib) => (Number.isNaN(mib) ? 'fails' : mib.toFixed(0))),
    ]),
  );
  const { values } = figures[0]!;
  const added = values.at(-1)! - values[0]!;
  printGoal(
    `at most ${GOALS.mib} MiB more for ${sizes.at(-1)! / MIB} MiB`,
    `${added.toFixed(0)} MiB`,
    added <= GOALS.mib,
  );
  return figures;
}

/** MiB; not a number when the reader fails. */
function peakOf(reader: string, bytes: number): number {
  const main = `${import.meta.dirname}/main.ts`;
  const { status, stdout } = spawnSync(process.execPath, [main, 'xml', 'memory', reader, String(bytes)]);
  return status === 0 ? Number(stdout.toString().trim().split('\n').at(-1)) : Number.NaN;
}

function printMemory(reader: string, bytes: number): void {
  READERS.find(({ name }) => name === reader)?.upload(upload(bytes));
  // Since the program began; resourceUsage().maxRSS would count what the parent process had before.
  const peak = /VmHWM:\s+([0-9]+) kB/.exec(readFileSync('/proc/self/status', 'latin1'));
  console.log((Number(peak?.[1]) / 1024).toFixed(0));
}
