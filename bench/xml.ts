import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { cjkArticle, manyElements, smallEnvelope, upload } from './kit/xml-documents.ts';
import { READERS, type Reader } from './kit/xml-readers.ts';

export const summary =
  'the XML reader beside saxes, sax, fast-xml-parser, htmlparser2 and libxml2-wasm: time and memory';

const MIB = 1024 * 1024;
const DOCUMENTS: readonly { name: string; document: Buffer; batch: number }[] = [
  { name: 'envelope', document: smallEnvelope(), batch: 400 },
  { name: '20 kB of CJK', document: cjkArticle(), batch: 20 },
  { name: '5,000 elements', document: manyElements(5_000), batch: 1 },
];
const UPLOADS = [4 * MIB, 64 * MIB];
const ROUNDS = 40;
/** White space outside the root element, code units. */
const OUTSIDE = 4;
const UPLOAD_ROUNDS = 5;

/** `npm run bench -- xml [uploads]`; with `memory <reader> <bytes>` one upload in this process, whose peak memory it prints. */
export async function run([what, name, bytes]: readonly string[]): Promise<void> {
  if (what === 'uploads') compareUploads();
  else if (what === 'memory')
    printMemory(
      READERS.find((reader) => reader.name === name),
      Number(bytes),
    );
  else {
    compareDocuments();
    compareUploads();
    compareMemory();
  }
}

/** All readers by turns, so that what else the machine does hits all; the fastest batch of each counts. */
function compareDocuments(): void {
  console.log('\nµs a document, fastest of the rounds (times the time of asmx/xml)\n');
  const rows = new Map<string, string[]>(READERS.map(({ name }) => [name, []]));
  for (const { document, batch } of DOCUMENTS) {
    const best = new Map<Reader, number>();
    checkWork(document);
    for (const reader of READERS) timeOf(reader, document, 5 * batch);
    for (let round = 0; round < ROUNDS; round++) {
      for (const reader of READERS)
        best.set(reader, Math.min(best.get(reader) ?? Infinity, timeOf(reader, document, batch)));
    }
    const base = best.get(READERS[0]!)!;
    for (const [reader, time] of best)
      rows.get(reader.name)!.push(`${(time * 1000).toFixed(1)} (${(time / base).toFixed(1)}×)`);
  }
  const heads = DOCUMENTS.map(({ name, document }) => `${name}, ${document.length.toLocaleString('en')} B`);
  console.log(`| reader | ${heads.join(' | ')} |\n| --- ${'| ---: '.repeat(heads.length)}|`);
  for (const [reader, cells] of rows) console.log(`| ${reader} | ${cells.join(' | ')} |`);
}

function timeOf(reader: Reader, document: Buffer, times: number): number {
  const start = performance.now();
  for (let i = 0; i < times; i++) reader.read(document);
  return (performance.now() - start) / times;
}

/**
 * All find the same text, but that some keep CR LF and report white space outside the root element. fast-xml-parser
 * makes objects, in which it is not counted.
 */
function checkWork(document: Buffer): void {
  const expected = READERS[0]!.read(document);
  const most = expected + document.toString('latin1').split('\r').length - 1 + OUTSIDE;
  for (const reader of READERS) {
    const length = reader.read(document);
    if (length < expected || length > most) {
      throw new Error(`${reader.name} finds ${length} characters of text, not ${expected}.`);
    }
  }
}

function compareUploads(): void {
  console.log('\nMB of base64 a second, read and decoded, fastest of the rounds\n');
  const rows = new Map<string, string[]>();
  const sides: readonly { name: string; upload: (chunks: Iterable<Buffer>) => number }[] = [
    ...READERS,
    { name: 'Buffer.from(text, base64) alone, by chunks', upload: decodeAlone },
  ];
  for (const bytes of UPLOADS) {
    for (const { name, upload: read } of sides) {
      let best = Infinity;
      for (let round = 0; round < UPLOAD_ROUNDS; round++) {
        const start = performance.now();
        if (read(upload(bytes)) < bytes * 0.73) throw new Error(`${name} has not decoded all.`);
        best = Math.min(best, performance.now() - start);
      }
      rows.set(name, [...(rows.get(name) ?? []), (bytes / 1000 / best).toFixed(0)]);
    }
  }
  console.log(
    `| reader | ${UPLOADS.map((bytes) => `${bytes / MIB} MiB`).join(' | ')} |\n| --- ${'| ---: '.repeat(UPLOADS.length)}|`,
  );
  for (const [name, cells] of rows) console.log(`| ${name} | ${cells.join(' | ')} |`);
}

/** The same bytes with nothing but Node's own decoder: what reading could cost at best. */
function decodeAlone(chunks: Iterable<Buffer>): number {
  let bytes = 0;
  for (const chunk of chunks) bytes += Buffer.from(chunk.toString('latin1'), 'base64').length;
  return bytes;
}

function compareMemory(): void {
  console.log('\nMiB of memory at most (resident, one process each) while an upload is read\n');
  const sizes = [1024, 4 * MIB, 64 * MIB, 256 * MIB];
  console.log(
    `| reader | ${sizes.map((bytes) => (bytes < MIB ? 'hardly anything' : `${bytes / MIB} MiB`)).join(' | ')} |`,
  );
  console.log(`| --- ${'| ---: '.repeat(sizes.length)}|`);
  for (const { name } of READERS) {
    const cells = sizes.map((bytes) => {
      const { status, stdout } = spawnSync(process.execPath, [
        `${import.meta.dirname}/main.ts`,
        'xml',
        'memory',
        name,
        String(bytes),
      ]);
      return status === 0 ? stdout.toString().trim() : 'fails';
    });
    console.log(`| ${name} | ${cells.join(' | ')} |`);
  }
}

function printMemory(reader: Reader | undefined, bytes: number): void {
  reader?.upload(upload(bytes));
  // Since the program began; resourceUsage().maxRSS would count what the parent process had before.
  const peak = /VmHWM:\s+([0-9]+) kB/.exec(readFileSync('/proc/self/status', 'latin1'));
  console.log((Number(peak?.[1]) / 1024).toFixed(0));
}
