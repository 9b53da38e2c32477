import { daysInMonth, epochDayOf } from './calendar.ts';

/** A date and time as written. */
export interface WrittenDateTime {
  /** Days since 1970-01-01. */
  readonly epochDay: number;
  /** Of the day, ms. */
  readonly time: number;
  /** Minutes east of UTC; `undefined` without a zone. */
  readonly offset: number | undefined;
}

const COLON = 0x3a;
const HYPHEN = 0x2d;
const PLUS = 0x2b;
const POINT = 0x2e;
const LETTER_T = 0x54;
const LETTER_Z = 0x5a;

/** `yyyy-MM-ddTHH:mm:ss` */
const SECONDS_END = 19;
/** `+hh:mm` */
const OFFSET_LENGTH = 6;
/** The widest zone that every form knows, minutes. */
const MOST_OFFSET = 14 * 60;

/**
 * Fast path for `yyyy-MM-ddTHH:mm:ss[.fff…][Z|±hh:mm]`, the form that every toolkit writes (XML
 * Schema part 2, 3.2.7); `../date-time.ts` has the whole grammar.
 * @returns `undefined` for every other text, also for days, hours and zones that do not exist.
 */
export function readXmlForm(text: string): WrittenDateTime | undefined {
  if (
    text.charCodeAt(4) !== HYPHEN ||
    text.charCodeAt(7) !== HYPHEN ||
    text.charCodeAt(10) !== LETTER_T ||
    text.charCodeAt(13) !== COLON ||
    text.charCodeAt(16) !== COLON
  ) {
    return undefined;
  }
  const year = pair(text, 0) * 100 + pair(text, 2);
  const month = pair(text, 5);
  const day = pair(text, 8);
  const hour = pair(text, 11);
  const minute = pair(text, 14);
  const second = pair(text, 17);
  // NaN fails every comparison.
  const isDate =
    year >= 1 && month >= 1 && month <= 12 && day >= 1 && day <= daysInMonth(year, month);
  if (!isDate || !(hour <= 23 && minute <= 59 && second <= 59)) return undefined;

  let at = SECONDS_END;
  let fraction = 0;
  if (text.charCodeAt(at) === POINT) {
    let unit = 100;
    for (at++; isDigit(text.charCodeAt(at)); at++, unit = Math.floor(unit / 10)) {
      fraction += unit * (text.charCodeAt(at) - 0x30);
    }
    if (at === SECONDS_END + 1) return undefined;
  }
  const offset = readZone(text, at);
  if (Number.isNaN(offset)) return undefined;
  const time = ((hour * 60 + minute) * 60 + second) * 1000 + fraction;
  return { epochDay: epochDayOf(year, month, day), time, offset };
}

/** Parses a zone from `at` to the end. @returns NaN for anything else. */
function readZone(text: string, at: number): number | undefined {
  if (at === text.length) return undefined;
  const sign = text.charCodeAt(at);
  if (sign === LETTER_Z) return at + 1 === text.length ? 0 : Number.NaN;
  if ((sign !== PLUS && sign !== HYPHEN) || at + OFFSET_LENGTH !== text.length) return Number.NaN;
  const minutes = pair(text, at + 4);
  const offset = pair(text, at + 1) * 60 + minutes;
  if (text.charCodeAt(at + 3) !== COLON || !(minutes <= 59 && offset <= MOST_OFFSET))
    return Number.NaN;
  // Avoids -0.
  return sign === PLUS ? offset : 0 - offset;
}

/** Two digits as a number; NaN for anything else. */
function pair(text: string, at: number): number {
  const tens = text.charCodeAt(at);
  const ones = text.charCodeAt(at + 1);
  return isDigit(tens) && isDigit(ones) ? (tens - 0x30) * 10 + ones - 0x30 : Number.NaN;
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}
