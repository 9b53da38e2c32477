import { DAY_MS, MINUTE_MS } from '../time/units.ts';
import { clampInstant, dateTextOf, epochDayAt, instantOf } from './date/calendar.ts';
import { TextCursor } from './date/cursor.ts';
import { atDate, type CalendarDate, readDate } from './date/date.ts';
import { atTime, readTime, readZone } from './date/time.ts';
import { readXmlForm } from './date/xml-form.ts';
import type { LexicalContext } from './lexical-context.ts';

/** Longest accepted text, in UTF-16 code units without surrounding blanks. */
const MAX_LENGTH = 64;

/**
 * MySQL's "no date", which is not a calendar day: read only where the contract says that it means
 * none.
 */
const ZERO_DATE = '0000-00-00';
/** A day to read a time and zone after, in the place of {@link ZERO_DATE}. */
const SOME_DATE = '1970-01-01';

/**
 * Reads a dateTime:
 *
 * ```text
 * text  = date [ ("T" | [","] blanks) time ] [ [blanks] zone ]  |  time [ [","] blanks date ] [ [blanks] zone ]
 *       | "/Date(" ms [offset] ")/"
 * date  = yyyy "-" M "-" d | yyyy "/" M "/" d | yyyy "." M "." d   year first
 *       | yyyy "-" M | yyyy "/" M | yyyy                           its first day
 *       | yyyy "年" M "月" d "日" | yyyy "년" M "월" d "일"           blanks allowed between
 *       | M "/" d "/" (yyyy | yy) | M "/" yyyy                      also with "-" or "."; month first; yy 00-49 is 20yy, 50-99 is 19yy
 *       | [weekday [","]] (d sep month sep year | month sep d sep year | month sep d)      English names, whole or three letters; of the present year
 *       | yyyy sep month [sep d] | month sep yyyy                  its first day
 *       | "--" MM "-" dd | "--" MM | "---" dd                      XML Schema's dates without a year: as .NET, of 1904 with month and day, else of the present year
 * sep   = "-" | "/" | "." | "," | blanks
 * time  = [half] H ":" mm [":" ss ["." digits]] [[blanks] half]
 *       | [half] H "时" [mm "分" [ss "秒"]]                          or 時 點 点, 시 분 초
 *       | H [blank] ("AM" | "PM")
 * half  = "AM" | "PM" after the time | "上午" | "下午" | "午前" | "午後" | "오전" | "오후" on either side
 * zone  = "Z" | ("GMT" | "UTC") [offset] | offset | blank hh ":" mm   the last after a time: a "+" lost in a URL
 * offset = ("+" | "-") (h | hh) [[":"] mm]                          at most 14:00
 * ```
 *
 * Months, days and hours have one or two digits, minutes and seconds two. Fractions have any number
 * of digits and are truncated to ms. Letters may be in any case. A date without a time is its
 * midnight; a time without a date is today's. Without a zone, it is wall-clock time in
 * `context.timeZone`: in a gap the later instant, in a fold the earlier one. Instants outside the
 * years 1–9999 are clamped.
 *
 * Sources: XML Schema's date types as read by .NET's XmlConvert; .NET's invariant `DateTime.Parse`
 * and JavaScriptSerializer where they are unambiguous; semantics 2; and the formats of Chinese,
 * Japanese and Korean programs.
 *
 * @returns ms since 1970-01-01T00:00:00Z; `undefined` for an empty text, and for what
 *   `context.notGiven` names.
 * @throws {LexicalError}
 */
export function parseDateTime(text: string, context: LexicalContext): number | undefined {
  return parse(text, context, false);
}

/**
 * Parses a date that the contract types as string (`showDeadLine`), like {@link parseDateTime}, but
 * a date without a time means that day's last millisecond.
 *
 * @returns ms since 1970; `undefined` for an empty text, and for what `context.notGiven` names.
 * @throws {LexicalError}
 */
export function parseDateText(text: string, context: LexicalContext): number | undefined {
  return parse(text, context, true);
}

/**
 * Writes an instant as RFC 3339 in UTC, with `Z` and always three digits of milliseconds, so that
 * texts sort as instants.
 *
 * @param instant ms since 1970-01-01T00:00:00Z, in the years 1–9999.
 */
export function formatInstant(instant: number): string {
  const whole = Math.trunc(instant);
  const epochDay = Math.floor(whole / DAY_MS);
  const ms = whole - epochDay * DAY_MS;
  const day = writtenDay(epochDay);
  const minutes = Math.floor(ms / MINUTE_MS);
  const hour = Math.floor(minutes / 60);
  const minute = minutes % 60;
  const second = Math.floor(ms / 1000) % 60;
  const fraction = ms % 1000;
  // All units at once: V8 keeps a sum of texts as its parts, and JSON.stringify takes much longer
  // to write those.
  return String.fromCharCode(
    day.charCodeAt(0),
    day.charCodeAt(1),
    day.charCodeAt(2),
    day.charCodeAt(3),
    HYPHEN,
    day.charCodeAt(5),
    day.charCodeAt(6),
    HYPHEN,
    day.charCodeAt(8),
    day.charCodeAt(9),
    LETTER_T,
    DIGIT_0 + Math.floor(hour / 10),
    DIGIT_0 + (hour % 10),
    COLON,
    DIGIT_0 + Math.floor(minute / 10),
    DIGIT_0 + (minute % 10),
    COLON,
    DIGIT_0 + Math.floor(second / 10),
    DIGIT_0 + (second % 10),
    POINT,
    DIGIT_0 + Math.floor(fraction / 100),
    DIGIT_0 + (Math.floor(fraction / 10) % 10),
    DIGIT_0 + (fraction % 10),
    LETTER_Z,
  );
}

const DIGIT_0 = 0x30;
const HYPHEN = 0x2d;
const POINT = 0x2e;
const COLON = 0x3a;
const LETTER_T = 0x54;
const LETTER_Z = 0x5a;

/**
 * Cache of written days: `Date` takes four times as long as the rest of an instant, and lists have
 * many.
 */
const writtenDays = new Map<number, string>();
const MOST_WRITTEN_DAYS = 1_000;

/** @throws {RangeError} for a number that is not an instant. */
function writtenDay(epochDay: number): string {
  let day = writtenDays.get(epochDay);
  if (day === undefined) {
    day = new Date(epochDay * DAY_MS).toISOString().slice(0, 'yyyy-MM-dd'.length);
    if (writtenDays.size === MOST_WRITTEN_DAYS) writtenDays.clear();
    writtenDays.set(epochDay, day);
  }
  return day;
}

const NONE: readonly string[] = [];

function parse(text: string, context: LexicalContext, endOfDay: boolean): number | undefined {
  const { timeZone, notGiven = NONE } = context;
  if (notGiven.length === 0 && text.length <= MAX_LENGTH) {
    const exact = readXmlForm(text);
    if (exact !== undefined)
      return atOffset(exact.epochDay * DAY_MS + exact.time, exact.offset, timeZone);
  }
  const given = text.trim();
  // .NET proxies write `0001-01-01T00:00:00` in most calls, so a text as the contract has it is not
  // parsed.
  if (given === '' || notGiven.includes(given)) return undefined;
  const isZero = given.startsWith(ZERO_DATE) && notGiven.includes(ZERO_DATE);
  const trimmed = isZero ? `${SOME_DATE}${given.slice(ZERO_DATE.length)}` : given;
  const usual = trimmed.length <= MAX_LENGTH ? readXmlForm(trimmed) : undefined;
  if (usual !== undefined) {
    const { epochDay, time, offset } = usual;
    return isZero || isNone(epochDay, time, notGiven)
      ? undefined
      : atOffset(epochDay * DAY_MS + time, offset, timeZone);
  }
  const cursor = new TextCursor(trimmed, context.form);
  if (trimmed.length > MAX_LENGTH) throw cursor.error(`it is longer than ${MAX_LENGTH} characters`);
  if (trimmed.startsWith('/')) return readJsonDate(cursor, notGiven);

  const today = () => epochDayAt(context.now(), timeZone);
  const presentYear = () => yearOf(today());
  const timeFirst = atTime(cursor) ? readTime(cursor) : undefined;
  const date =
    timeFirst === undefined ? readDate(cursor, presentYear) : readDateAfter(cursor, presentYear);
  const time = timeFirst ?? readTimeAfter(cursor, date!);
  const offset = readZone(cursor, time !== undefined);
  if (!cursor.atEnd()) throw cursor.error('its form is not known');

  if (isZero || (date !== undefined && isNone(date.epochDay, time ?? 0, notGiven)))
    return undefined;
  const day = date === undefined ? today() : date.epochDay;
  // The day ends where the next one starts; this is also right on days that a clock change
  // shortens, lengthens or skips.
  if (endOfDay && time === undefined) return atOffset((day + 1) * DAY_MS, offset, timeZone, 1);
  return atOffset(day * DAY_MS + (time ?? 0), offset, timeZone);
}

/**
 * The instant of a wall-clock time, minus `before` ms.
 * @param offset minutes east of UTC; `undefined` for that of the zone.
 */
function atOffset(
  wallClock: number,
  offset: number | undefined,
  timeZone: string,
  before = 0,
): number {
  const instant =
    offset === undefined ? instantOf(wallClock, timeZone) : wallClock - offset * MINUTE_MS;
  return clampInstant(instant - before);
}

function yearOf(epochDay: number): number {
  return new Date(epochDay * DAY_MS).getUTCFullYear();
}

/** Parses the date after a time; `undefined` when there is none. */
function readDateAfter(cursor: TextCursor, presentYear: () => number): CalendarDate | undefined {
  const start = cursor.at;
  cursor.take(',');
  if (cursor.takeBlanks() && atDate(cursor)) return readDate(cursor, presentYear);
  cursor.at = start;
  return undefined;
}

/** Parses the time after a date; `undefined` when there is none. */
function readTimeAfter(cursor: TextCursor, date: CalendarDate): number | undefined {
  if (cursor.take('Tt')) {
    if (!date.namesDay || !cursor.atDigit()) throw cursor.error('its form is not known');
    return readTime(cursor);
  }
  const start = cursor.at;
  cursor.take(',');
  cursor.takeBlanks();
  if (date.namesDay && atTime(cursor)) return readTime(cursor);
  cursor.at = start;
  return undefined;
}

/**
 * Reads `/Date(ms)/` and `/Date(ms+hhmm)/`, ASP.NET's dates in JSON; the offset does not change the
 * instant.
 */
function readJsonDate(cursor: TextCursor, notGiven: readonly string[]): number | undefined {
  const parts = /^\/Date\((-?\d{1,15})(?:[+-]\d{4})?\)\/$/.exec(cursor.text);
  if (parts === null) throw cursor.error('its form is not known');
  const instant = Number(parts[1]);
  const day = Math.floor(instant / DAY_MS);
  return isNone(day, instant - day * DAY_MS, notGiven) ? undefined : clampInstant(instant);
}

/** @param time ms since midnight; a fraction of the first second counts as no time. */
function isNone(epochDay: number, time: number, notGiven: readonly string[]): boolean {
  if (notGiven.length === 0) return false;
  const day = dateTextOf(epochDay);
  return notGiven.includes(day) || (time < 1000 && notGiven.includes(`${day}T00:00:00`));
}
