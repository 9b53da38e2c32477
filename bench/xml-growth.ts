import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { DEFAULT_LIMITS, defineLimits, type Limits } from '../src/asmx/limits.ts';
import { createXmlReader, XmlError } from '../src/asmx/xml/reader.ts';
import { SHAPES, type Shape } from '../test/asmx/xml/kit/shapes.ts';

export const summary =
  'time and memory of the XML reader for hostile documents of 128 KB to 1 MB, whole and byte by byte';

const KIB = 1024;
const SIZES = [128 * KIB, 256 * KIB, 512 * KIB, 1024 * KIB];
const ROUNDS = 8;
const LEAST_MS = 4;
const FAR = 2 ** 40;
/** As good as no limits, so that each document is read to its end. */
const wide = defineLimits({
  bodyBytes: FAR,
  depth: FAR,
  elements: FAR,
  attributes: FAR,
  namespaces: FAR,
  nameChars: FAR,
  attributeValueChars: FAR,
  textChars: FAR,
});

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** `npm run bench -- xml-growth` */
export async function run(): Promise<void> {
  const heads = ['shape', ...SIZES.map((size) => `${size / KIB} KB`), 'growth', 'kept', 'byte by byte', 'with limits'];
  console.log('\nms without limits (fastest of the rounds), the largest growth at a doubling, MiB kept at the end;');
  console.log('ms for the first size pushed in bytes; ms and outcome of the last size with the default limits\n');
  console.log(`| ${heads.join(' | ')} |\n| --- ${'| ---: '.repeat(heads.length - 1)}|`);
  const worst = { ms: 0, kept: 0, growth: 0, limited: 0, keptLimited: 0 };
  for (const shape of SHAPES) {
    const documents = SIZES.map((size) => documentOf(shape, size));
    const times = documents.map((document) => fastest(document, wide, document.length));
    const growth = Math.max(...times.slice(1).map((time, i) => time / times[i]!));
    const kept = keptBy(documents.at(-1)!, wide);
    const keptLimited = keptBy(documents.at(-1)!, DEFAULT_LIMITS);
    const limited = fastest(documents.at(-1)!, DEFAULT_LIMITS, FAR);
    const cells = [
      shape.name,
      ...times.map((time) => time.toFixed(2)),
      `${growth.toFixed(2)}×`,
      kept.toFixed(1),
      fastest(documents[0]!, wide, 1).toFixed(0),
      `${limited.toFixed(2)} ${outcome(documents.at(-1)!)}`,
    ];
    console.log(`| ${cells.join(' | ')} |`);
    worst.ms = Math.max(worst.ms, times.at(-1)!);
    worst.kept = Math.max(worst.kept, kept);
    worst.growth = Math.max(worst.growth, growth);
    worst.limited = Math.max(worst.limited, limited);
    worst.keptLimited = Math.max(worst.keptLimited, keptLimited);
  }
  console.log(
    `\nWorst: ${worst.ms.toFixed(1)} ms and ${worst.kept.toFixed(1)} MiB for 1 MB without limits, ${worst.limited.toFixed(1)} ms and ${worst.keptLimited.toFixed(1)} MiB with the default ones; growth ${worst.growth.toFixed(2)}× at a doubling.`,
  );
}

/** The largest document of this shape that is no longer than `size` bytes. */
function documentOf(shape: Shape, size: number): Buffer {
  let low = 1;
  let high = 2;
  while (Buffer.byteLength(shape.make(high)) <= size) high *= 2;
  while (high - low > Math.max(1, high / 100)) {
    const middle = (low + high) >> 1;
    if (Buffer.byteLength(shape.make(middle)) <= size) low = middle;
    else high = middle;
  }
  return Buffer.from(shape.make(low));
}

/** Reads as the SOAP layer does: text is put together. What was read is returned, to be kept alive. */
function read(document: Buffer, limits: Limits, pieceSize: number): unknown {
  let text = '';
  const texts: string[] = [];
  const reader = createXmlReader(
    {
      open: () => 'text',
      text: (piece) => {
        text = text === '' ? piece : text + piece;
      },
      close() {
        if (text !== '') texts.push(text);
        text = '';
      },
    },
    { limits },
  );
  for (let at = 0; at < document.length; at += pieceSize) reader.push(document.subarray(at, at + pieceSize));
  reader.end();
  return [reader, texts];
}

function outcome(document: Buffer): string {
  try {
    read(document, DEFAULT_LIMITS, FAR);
    return 'read';
  } catch (error) {
    if (error instanceof XmlError) return error.limit ?? error.code;
    throw error;
  }
}

/** Each round repeats until it has taken a few ms, so that the clock is fine enough. */
function fastest(document: Buffer, limits: Limits, pieceSize: number): number {
  let best = Infinity;
  for (let round = 0; round < ROUNDS; round++) {
    const start = performance.now();
    let times = 0;
    let spent = 0;
    while (spent < LEAST_MS) {
      attempt(document, limits, pieceSize);
      times++;
      spent = performance.now() - start;
    }
    best = Math.min(best, spent / times);
  }
  return best;
}

function attempt(document: Buffer, limits: Limits, pieceSize: number): void {
  try {
    read(document, limits, pieceSize);
  } catch (error) {
    if (!(error instanceof XmlError) || limits === wide) throw error;
  }
}

/** MiB that live once the document has been read, the document itself left out. */
function keptBy(document: Buffer, limits: Limits): number {
  collect();
  const before = process.memoryUsage().heapUsed;
  let kept: unknown;
  try {
    kept = read(document, limits, FAR);
  } catch (error) {
    kept = error;
  }
  collect();
  const after = process.memoryUsage().heapUsed;
  return kept === undefined ? 0 : Math.max(0, after - before) / 2 ** 20;
}
