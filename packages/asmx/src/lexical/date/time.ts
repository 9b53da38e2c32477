import type { TextCursor } from './cursor.ts';

/** Words for the halves of the day; even positions are before noon. */
const HALVES = ['上午', '下午', '午前', '午後', '오전', '오후'];

const HOUR_MARKS = '时時点點시';
const AFTER_HOUR = `:${HOUR_MARKS}`;
const MINUTE_MARKS = '分분';
const SECOND_MARKS = '秒초';

/** XML Schema's widest zone, in hours. */
const MAX_OFFSET_HOURS = { element: 99, text: 14 };

/** Whether a time follows, not a date. */
export function atTime(cursor: TextCursor): boolean {
  if (!cursor.atDigit()) return HALVES.some((half) => cursor.text.startsWith(half, cursor.at));
  HOUR_ALONE.lastIndex = cursor.at;
  return cursor.atOneOf(AFTER_HOUR, cursor.atDigit(1) ? 2 : 1) || HOUR_ALONE.test(cursor.text);
}
const HOUR_ALONE = /\d{1,2} ?[ap]m(?![a-z])/iy;

/**
 * Reads the `time` of the grammar in `../date-time.ts` and returns it in ms since midnight.
 * @throws {LexicalError}
 */
export function readTime(cursor: TextCursor): number {
  const halfBefore = cursor.atDigit() ? -1 : cursor.takeText(HALVES);
  cursor.takeBlanks();
  const hour = cursor.number(2, 'hour');
  const isAlone = cursor.atOneOf(' aApP');
  const readRest = () => (isAlone ? 0 : readColons(cursor));
  const rest = cursor.take(HOUR_MARKS) ? readMarked(cursor) : readRest();
  const half = halfBefore >= 0 ? halfBefore : readHalfAfter(cursor);
  return hourOfDay(cursor, hour, half) * 3_600_000 + rest;
}

/** After the hour: `:mm[:ss[.f]]`, in ms. */
function readColons(cursor: TextCursor): number {
  cursor.require(':');
  const minute = cursor.twoDigits(59, 'minute');
  if (!cursor.take(':')) return minute * 60_000;
  const second = cursor.twoDigits(59, 'second');
  const fraction = cursor.take('.') ? readFraction(cursor) : 0;
  return minute * 60_000 + second * 1000 + fraction;
}

/** After the hour's mark: `[mm分[ss秒]]`, in ms. */
function readMarked(cursor: TextCursor): number {
  cursor.takeBlanks();
  if (!cursor.atDigit()) return 0;
  const minute = cursor.twoDigits(59, 'minute');
  cursor.require(MINUTE_MARKS);
  cursor.takeBlanks();
  if (!cursor.atDigit()) return minute * 60_000;
  const second = cursor.twoDigits(59, 'second');
  cursor.require(SECOND_MARKS);
  return minute * 60_000 + second * 1000;
}

/** Digits after the point, truncated to ms, so that 23:59:59.9999999 stays in its day. */
function readFraction(cursor: TextCursor): number {
  if (!cursor.atDigit()) throw cursor.error('the fraction is missing');
  let ms = 0;
  for (let unit = 100; cursor.atDigit(); unit = Math.floor(unit / 10)) {
    ms += unit * (cursor.text.charCodeAt(cursor.at++) - 0x30);
  }
  return ms;
}

/**
 * Reads `AM`, `PM` or another word for a half of the day; an odd number is the afternoon, `-1`
 * means none.
 */
function readHalfAfter(cursor: TextCursor): number {
  if (cursor.atEnd() || cursor.atOneOf('Zz+-')) return -1;
  const start = cursor.at;
  cursor.takeBlanks();
  const half = cursor.takeText(HALVES);
  if (half >= 0) return half;
  const word = cursor.word();
  if (word === 'am') return 0;
  if (word === 'pm') return 1;
  cursor.at = start;
  return -1;
}

function hourOfDay(cursor: TextCursor, hour: number, half: number): number {
  if (half < 0) {
    if (hour === 24) throw cursor.error('midnight is 00:00 of the next day');
    if (hour > 24) throw cursor.error(`there is no hour ${hour}`);
    return hour;
  }
  if (hour < 1 || hour > 12)
    throw cursor.error('before noon and after noon the hours go from 1 to 12');
  return (hour % 12) + (half % 2 === 1 ? 12 : 0);
}

/**
 * Reads the `zone` of the grammar in `../date-time.ts`.
 *
 * @param afterTime whether a time precedes it; only then a blank before two digits is a lost plus.
 * @returns minutes east of UTC; `undefined` when no zone follows.
 * @throws {LexicalError}
 */
export function readZone(cursor: TextCursor, afterTime: boolean): number | undefined {
  const blanks = cursor.takeBlanks();
  if (cursor.atEnd()) return undefined;
  if (cursor.atOneOf('+-')) return readOffset(cursor);
  if (afterTime && blanks && cursor.atDigit()) return readDistance(cursor, false);
  const start = cursor.at;
  const word = cursor.word();
  if (word === 'z') return 0;
  if (word === 'gmt' || word === 'utc') return cursor.atOneOf('+-') ? readOffset(cursor) : 0;
  throw cursor.at > start
    ? cursor.error('it has an unknown word', start)
    : cursor.error('its form is not known');
}

function readOffset(cursor: TextCursor): number {
  const sign = cursor.take('-') ? -1 : 1;
  if (sign === 1) cursor.require('+');
  // Avoids -0: an offset of -00:00 is UTC.
  return sign * readDistance(cursor, true) + 0;
}

/** `hh`, `hh:mm`, `h:mm` or `hhmm`, behind a sign `h`, too; in minutes. */
function readDistance(cursor: TextCursor, isSigned: boolean): number {
  const number = cursor.number(4, 'offset from UTC');
  const compact = cursor.digits === 4;
  const isShort = cursor.digits === 1 && (isSigned || cursor.atOneOf(':'));
  if (!compact && !isShort && cursor.digits !== 2)
    throw cursor.error('the offset from UTC is written ±hh:mm');
  const hours = compact ? Math.floor(number / 100) : number;
  const readMinutes = () => (cursor.take(':') ? cursor.twoDigits(59, 'minute') : 0);
  const minutes = compact ? number % 100 : readMinutes();
  const most = MAX_OFFSET_HOURS[cursor.form];
  if (minutes > 59 || hours * 60 + minutes > most * 60) {
    throw cursor.error(`the offset from UTC is at most ${most}:00`);
  }
  return hours * 60 + minutes;
}
