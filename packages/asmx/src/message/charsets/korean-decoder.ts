import { words } from '../../contract/words.ts';
import { UnitBuffer } from '../unit-buffer.ts';
import { JudgingDecoder } from './decoder.ts';

/** Parts that are joined within one call. */
const units = new UnitBuffer();

const FIRST_LEAD = 0x81;
const FIRST_TRAIL = 0x41;
const TRAILS = 0xff - FIRST_TRAIL;
/** From here on both bytes are those of KS X 1001, which `TextDecoder` knows. */
const KS_X_1001 = 0xa1;
const HANGUL = { first: 0xac00, last: 0xd7a3 };
const REPLACEMENT = '\ufffd';

/** What code page 949 has in rows of KS X 1001 beside what ICU reads there. */
const ADDED: ReadonlyMap<number, number> = new Map([
  [0xa2e6, 0x20ac],
  [0xa2e7, 0xae],
]);
/** Rows that Windows leaves to its users, and the first character of each, for private use. */
const OF_USERS: ReadonlyMap<number, number> = new Map([
  [0xc9, 0xe000],
  [0xfe, 0xe05e],
]);

/** The characters of two bytes, by {@link indexOf}; 0 where there is none. */
let pairs: Uint16Array | undefined;

const indexOf = (lead: number, trail: number): number =>
  (lead - FIRST_LEAD) * TRAILS + trail - FIRST_TRAIL;

/**
 * Code page 949, Unified Hangul Code, which .NET names `ks_c_5601-1987`: KS X 1001 and, in what
 * that leaves free, the other 8,822 syllables in the order of Unicode. `TextDecoder` has KS X 1001
 * alone.
 */
function makePairs(): Uint16Array {
  const made = new Uint16Array((0x100 - FIRST_LEAD) * TRAILS);
  const known = new TextDecoder('euc-kr');
  const written = new Set<number>();
  for (let lead = KS_X_1001; lead <= 0xfe; lead++) {
    for (let trail = KS_X_1001; trail <= 0xfe; trail++) {
      const text = known.decode(Uint8Array.of(lead, trail));
      const ofUsers = OF_USERS.get(lead);
      const read = text.length === 1 && text !== REPLACEMENT ? text.charCodeAt(0) : 0;
      const unit =
        ofUsers === undefined
          ? (ADDED.get(lead * 0x100 + trail) ?? read)
          : ofUsers + trail - KS_X_1001;
      made[indexOf(lead, trail)] = unit;
      written.add(unit);
    }
  }
  let syllable = HANGUL.first - 1;
  for (let lead = FIRST_LEAD; lead <= 0xc6; lead++) {
    for (let trail = FIRST_TRAIL; trail <= 0xfe; trail++) {
      if (isFree(lead, trail)) {
        do syllable++;
        while (written.has(syllable));
        if (syllable > HANGUL.last) return made;
        made[indexOf(lead, trail)] = syllable;
      }
    }
  }
  return made;
}

/** Whether a pair is one that KS X 1001 leaves free. */
function isFree(lead: number, trail: number): boolean {
  const isLetter = trail <= 0x5a || (trail >= 0x61 && trail <= 0x7a);
  return isLetter || (trail >= 0x81 && (lead < KS_X_1001 || trail < KS_X_1001));
}

/** Reads what Korean Windows writes, and `euc-kr`, which is a part of it. */
export class KoreanDecoder extends JudgingDecoder {
  readonly encoding = 'windows-949';
  /** The first byte of a pair that is not whole; 0 for none. */
  #lead = 0;

  constructor(strict: boolean) {
    super(strict);
    pairs ??= makePairs();
  }

  decode(bytes: Uint8Array, last: boolean): string {
    units.clear();
    for (let at = 0; at < bytes.length && !this.invalid; at++) this.#take(bytes[at]!);
    if (last && this.#lead !== 0) this.#fail();
    return units.take();
  }

  #take(byte: number): void {
    if (this.#lead === 0) {
      if (byte < 0x80) units.add(byte);
      else if (byte >= FIRST_LEAD && byte <= 0xfe) this.#lead = byte;
      else this.#fail();
      return;
    }
    const unit = byte >= FIRST_TRAIL && byte <= 0xfe ? pairs![indexOf(this.#lead, byte)]! : 0;
    if (unit === 0) {
      this.#fail();
      // As browsers do: an ASCII byte is never swallowed by a broken pair.
      if (byte < 0x80) units.add(byte);
      return;
    }
    this.#lead = 0;
    units.add(unit);
  }

  #fail(): void {
    this.#lead = 0;
    if (!this.refuse()) units.add(0xfffd);
  }
}

/** All names that .NET, browsers and Java have for it and for its parts. */
export const KOREAN_NAMES: ReadonlySet<string> = new Set(
  words(
    'ks_c_5601-1987 ks_c_5601-1989 ks_c_5601 ksc_5601 ksc5601 korean iso-ir-149 csksc56011987',
    'euc-kr cseuckr windows-949 cp949 ms949 uhc x-windows-949 x-cp20949',
  ),
);
