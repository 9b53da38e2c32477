import { daysInMonth, epochDayOf, weekdayOf } from './calendar.ts';
import type { TextCursor } from './cursor.ts';

/** A date as written. */
export interface CalendarDate {
  /** Days since 1970-01-01. */
  readonly epochDay: number;
  /** Whether it names a day; otherwise only a month or year, represented by its first day. */
  readonly namesDay: boolean;
}

/**
 * .NET adds this (leap) year to a month with a day, and the present year to a month or a day alone.
 */
const YEAR_OF_MONTH_AND_DAY = 1904;

/** Two-digit years below this are 20yy, others 19yy (`TwoDigitYearMax` of present .NET is 2049). */
const TWO_DIGIT_PIVOT = 50;

const MONTHS =
  'january february march april may june july august september october november december'.split(
    ' ',
  );
const WEEKDAYS = 'sunday monday tuesday wednesday thursday friday saturday'.split(' ');

/**
 * Reads the `date` of the grammar in `../date-time.ts`.
 * @param presentYear called for a month or a day alone.
 * @throws {LexicalError}
 */
export function readDate(cursor: TextCursor, presentYear: () => number): CalendarDate {
  if (cursor.take('-')) return readYearless(cursor, presentYear);
  if (!cursor.atDigit()) return readWords(cursor, presentYear);
  if (cursor.atDigits(5)) throw cursor.error('a number alone is none');
  const first = cursor.number(4, 'year');
  if (cursor.digits === 4) return readYearFirst(cursor, first);
  const separator = cursor.text[cursor.at] ?? '';
  if (cursor.digits > 2 || !takeSeparator(cursor)) throw cursor.error('its form is not known');
  if (!cursor.atDigit()) return readDayBeforeName(cursor, first);
  return readMonthFirst(cursor, first, separator);
}

/** Whether a date follows a time: digits before a separator or a name, or a name. */
export function atDate(cursor: TextCursor): boolean {
  DATE.lastIndex = cursor.at;
  return DATE.test(cursor.text);
}
const DATE =
  /\d{1,4}[-/.年년]|(?:\d{1,2} )?(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|sun|mon|tue|wed|thu|fri|sat)/iy;

/** Skips what stands before and behind the name of a month. @returns whether there was one. */
function takeSeparator(cursor: TextCursor): boolean {
  return cursor.take('-/.') || cursor.takeBlanks();
}

/**
 * After `yyyy`: `-M-d`, `/M/d`, `.M.d`, `年M月d日`, `년 M월 d일`, each with the day or all of it left
 * out.
 */
function readYearFirst(cursor: TextCursor, year: number): CalendarDate {
  if (cursor.take('年')) return readMarked(cursor, year, '月', '日');
  if (cursor.take('년')) return readMarked(cursor, year, '월', '일');
  const separator = cursor.text[cursor.at] ?? '';
  if (separator === '' || !'-/.'.includes(separator)) {
    if (cursor.atName()) return readNameAfterYear(cursor, year);
    return dateOf(cursor, year, 1, 1, false);
  }
  cursor.at++;
  if (separator === '.') cursor.takeBlanks();
  if (!cursor.atDigit()) return readNameAfterYear(cursor, year);
  const month = cursor.number(2, 'month');
  if (!cursor.take(separator)) return dateOf(cursor, year, month, 1, false);
  if (separator === '.') cursor.takeBlanks();
  const day = cursor.number(2, 'day');
  if (separator === '.') cursor.take('.');
  return dateOf(cursor, year, month, day);
}

function readMarked(
  cursor: TextCursor,
  year: number,
  monthMark: string,
  dayMark: string,
): CalendarDate {
  cursor.takeBlanks();
  if (!cursor.atDigit()) return dateOf(cursor, year, 1, 1, false);
  const month = cursor.number(2, 'month');
  cursor.require(monthMark);
  cursor.takeBlanks();
  if (!cursor.atDigit()) return dateOf(cursor, year, month, 1, false);
  const day = cursor.number(2, 'day');
  cursor.require(dayMark);
  return dateOf(cursor, year, month, day);
}

/** After `yyyy` and a separator: the name of a month, with the day or without. */
function readNameAfterYear(cursor: TextCursor, year: number): CalendarDate {
  cursor.takeBlanks();
  const month = readMonthName(cursor);
  const start = cursor.at;
  if (takeSeparator(cursor) && cursor.atDigit() && !cursor.atOneOf(':', cursor.atDigit(1) ? 2 : 1))
    return dateOf(cursor, year, month, cursor.number(2, 'day'));
  cursor.at = start;
  return dateOf(cursor, year, month, 1, false);
}

/** After the month and its separator: `dd/yyyy` or `yyyy`. */
function readMonthFirst(cursor: TextCursor, month: number, separator: string): CalendarDate {
  const day = cursor.number(4, 'day');
  if (cursor.digits === 4) return dateOf(cursor, day, month, 1, false);
  if (cursor.digits === 3) throw cursor.error('the day has too many digits');
  if (separator === '' || !cursor.take(separator)) throw cursor.error('the year is missing');
  const year = readYear(cursor);
  if (month > 12 && day <= 12) throw cursor.error('the month comes before the day');
  return dateOf(cursor, year, month, day);
}

/** After `-`: `-MM`, `-MM-dd`, `-MM--`, `--dd`. */
function readYearless(cursor: TextCursor, presentYear: () => number): CalendarDate {
  cursor.require('-');
  if (cursor.take('-')) return dateOf(cursor, presentYear(), 1, cursor.twoDigits(31, 'day'));
  const month = cursor.twoDigits(12, 'month');
  if (!cursor.take('-') || cursor.take('-')) return dateOf(cursor, presentYear(), month, 1, false);
  return dateOf(cursor, YEAR_OF_MONTH_AND_DAY, month, cursor.twoDigits(31, 'day'));
}

/** `[weekday [","]]` and then `d month year`, `month d[,] year`, `month d` or `month year`. */
function readWords(cursor: TextCursor, presentYear: () => number): CalendarDate {
  const start = cursor.at;
  const weekday = positionOf(cursor.word(), WEEKDAYS);
  if (weekday < 0) {
    cursor.at = start;
    return readNameFirst(cursor, presentYear);
  }
  cursor.take(',');
  cursor.takeBlanks();
  const date = cursor.atDigit() ? readDayFirst(cursor) : readNameFirst(cursor, presentYear);
  if (weekdayOf(date.epochDay) !== weekday)
    throw cursor.error('the day of the week is not that of the date');
  return date;
}

function readDayFirst(cursor: TextCursor): CalendarDate {
  const day = cursor.number(2, 'day');
  if (!takeSeparator(cursor)) throw cursor.error('its form is not known');
  return readDayBeforeName(cursor, day);
}

function readDayBeforeName(cursor: TextCursor, day: number): CalendarDate {
  const month = readMonthName(cursor);
  if (!takeSeparator(cursor)) throw cursor.error('the year is missing');
  return dateOf(cursor, readYear(cursor), month, day);
}

function readNameFirst(cursor: TextCursor, presentYear: () => number): CalendarDate {
  const month = readMonthName(cursor);
  takeSeparator(cursor);
  const dayOrYear = cursor.number(4, 'day');
  if (cursor.digits === 4) return dateOf(cursor, dayOrYear, month, 1, false);
  if (cursor.atEnd()) return dateOf(cursor, presentYear(), month, dayOrYear);
  if (!cursor.take(',') && !cursor.take('-/')) cursor.takeBlanks();
  cursor.takeBlanks();
  return dateOf(cursor, readYear(cursor), month, dayOrYear);
}

function readMonthName(cursor: TextCursor): number {
  const start = cursor.at;
  const month = positionOf(cursor.word(), MONTHS);
  if (month >= 0) return month + 1;
  throw cursor.at > start
    ? cursor.error('it has a word that is no English name of a month', start)
    : cursor.error('its form is not known');
}

/**
 * The index of a lower-case word among names, by the whole name or its first three letters; `-1`
 * for an unknown one.
 */
function positionOf(word: string, names: readonly string[]): number {
  return names.findIndex((name) => word === name || (word.length === 3 && name.startsWith(word)));
}

function readYear(cursor: TextCursor): number {
  const year = cursor.number(4, 'year');
  if (cursor.digits === 4) return year;
  if (cursor.digits !== 2) throw cursor.error('the year has four digits');
  return year + (year < TWO_DIGIT_PIVOT ? 2000 : 1900);
}

function dateOf(
  cursor: TextCursor,
  year: number,
  month: number,
  day: number,
  namesDay = true,
): CalendarDate {
  if (year === 0) throw cursor.error('there is no year 0');
  if (month < 1 || month > 12) throw cursor.error(`there is no month ${month}`);
  if (day < 1 || day > daysInMonth(year, month)) throw cursor.error(`that month has no day ${day}`);
  return { epochDay: epochDayOf(year, month, day), namesDay };
}
