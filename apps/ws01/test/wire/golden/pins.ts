import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Answer } from './answer.ts';

/** Bodies above this length are pinned by their digest and their beginning; UTF-16 code units. */
const LONGEST_PINNED = 3_000;
const START = 300;

interface LongBody {
  readonly bytes: number;
  readonly sha256: string;
  readonly begins: string;
}

/** An answer of this service, as it is written down where it differs from ASP.NET's. */
export interface PinnedAnswer extends Omit<Answer, 'body' | 'next'> {
  readonly body: string | LongBody;
  readonly next?: PinnedAnswer;
}

/** What an exchange is expected to be answered, and the `id` of the difference that says why it is not ASP.NET's. */
interface Pin {
  readonly difference: string;
  readonly answer: PinnedAnswer;
}

/** By name of the exchange. */
export type Pins = Readonly<Record<string, Pin>>;

export function pinnedForm(answer: Answer): PinnedAnswer {
  const { body, next, ...rest } = answer;
  return {
    ...rest,
    body: pinnedBody(body),
    ...(next === undefined ? {} : { next: pinnedForm(next) }),
  };
}

function pinnedBody(body: string): string | LongBody {
  if (body.length <= LONGEST_PINNED) return body;
  const sha256 = createHash('sha256').update(body).digest('hex');
  return { bytes: Buffer.byteLength(body), sha256, begins: body.slice(0, START) };
}

const fileOf = (root: string, folder: string) => join(root, folder, 'differences.json');

/** Reads `differences.json` of each folder. */
export function readPins(root: string, folders: Iterable<string>): Pins {
  const pins: Record<string, Pin> = {};
  for (const folder of folders) {
    const file = fileOf(root, folder);
    if (!existsSync(file)) continue;
    const written = JSON.parse(readFileSync(file, 'utf8')) as Record<string, Pin>;
    for (const [name, pin] of Object.entries(written)) pins[`${folder}/${name}`] = pin;
  }
  return pins;
}

/** Writes `differences.json` of each folder. */
export function writePins(root: string, folders: Iterable<string>, pins: Pins): void {
  for (const folder of folders) {
    const own = Object.entries(pins)
      .filter(([name]) => name.startsWith(`${folder}/`))
      .map(([name, pin]) => [name.slice(folder.length + 1), pin]);
    writeFileSync(fileOf(root, folder), `${JSON.stringify(Object.fromEntries(own), null, 2)}\n`);
  }
}
