import type { Random } from '../../packages/asmx/test/kit/random.ts';

const MOST_BYTES = 16 * 1024;
const EDGES = [
  0x00, 0x09, 0x0a, 0x0d, 0x20, 0x22, 0x25, 0x26, 0x2b, 0x2d, 0x30, 0x3a, 0x3c, 0x3d, 0x7f, 0x80,
  0xbf, 0xc0, 0xed, 0xf4, 0xff,
];

/** Changes inputs, one to four times each. */
export class Mutator {
  readonly #random: Random;
  readonly #tokens: readonly Buffer[];

  constructor(random: Random, tokens: readonly string[]) {
    this.#random = random;
    this.#tokens = tokens.map((token) => Buffer.from(token, 'utf8'));
  }

  /** @param corpus from which parts are taken. */
  mutate(input: Buffer, corpus: readonly Buffer[]): Buffer {
    let changed: Buffer = Buffer.from(input);
    for (let times = 1 + this.#random.below(4); times > 0; times--)
      changed = this.#once(changed, corpus);
    return changed.subarray(0, MOST_BYTES);
  }

  #once(input: Buffer, corpus: readonly Buffer[]): Buffer {
    const random = this.#random;
    const at = random.below(input.length + 1);
    const length = random.below(Math.min(input.length - at, 64) + 1);
    switch (random.below(8)) {
      case 0:
        return flip(input, random);
      case 1:
        return splice(input, at, 0, Buffer.from([random.of(EDGES)]));
      case 2:
        return splice(input, at, length, Buffer.alloc(0));
      case 3:
        // Again, and perhaps again and again.
        return splice(
          input,
          at,
          0,
          repeated(input.subarray(at, at + length), 1 << random.below(8)),
        );
      case 4:
        return this.#tokens.length === 0 ? input : splice(input, at, 0, random.of(this.#tokens));
      case 5:
        return this.#tokens.length === 0
          ? input
          : splice(input, at, length, random.of(this.#tokens));
      case 6: {
        const other = random.of(corpus);
        const from = random.below(other.length + 1);
        return splice(input, at, length, other.subarray(from, from + random.below(128)));
      }
      default: {
        const changed = Buffer.from(input);
        for (let index = at; index < at + length; index++) changed[index] = random.below(256);
        return changed;
      }
    }
  }
}

function flip(input: Buffer, random: Random): Buffer {
  if (input.length === 0) return input;
  const changed = Buffer.from(input);
  const at = random.below(input.length);
  changed[at] = changed[at]! ^ (1 << random.below(8));
  return changed;
}

function splice(input: Buffer, at: number, removed: number, inserted: Buffer): Buffer {
  return Buffer.concat([input.subarray(0, at), inserted, input.subarray(at + removed)]);
}

function repeated(piece: Buffer, times: number): Buffer {
  return Buffer.concat(
    Array.from(
      { length: Math.min(times, Math.ceil(MOST_BYTES / Math.max(1, piece.length))) },
      () => piece,
    ),
  );
}
