/** Calendar and time-zone arithmetic on plain numbers: days and milliseconds since 1970-01-01. */

import { DAY_MS, MINUTE_MS } from '../../time/units.ts';

/** The first and last instants that RFC 3339 can express. */
const MIN_INSTANT = -62_135_596_800_000;
const MAX_INSTANT = 253_402_300_799_999;

/** Days of a month (1–12) in the proleptic Gregorian calendar. */
export function daysInMonth(year: number, month: number): number {
  if (month === 2) return isLeapYear(year) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

function isLeapYear(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
}

/** Days from 1970-01-01 to a date of the years 1–9999. */
export function epochDayOf(year: number, month: number, day: number): number {
  // Years start in March, so that the leap day is the last day of a year.
  const shifted = month > 2 ? year : year - 1;
  const dayOfYear = Math.floor((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5) + day - 1;
  const leapDays = Math.floor(shifted / 4) - Math.floor(shifted / 100) + Math.floor(shifted / 400);
  return shifted * 365 + leapDays + dayOfYear - 719_468;
}

/** The days written last, each where its number falls: a list has the same few again and again. */
const writtenDays = new Int32Array(1024).fill(-(2 ** 31));
const writtenTexts: string[] = Array.from(writtenDays, () => '');

/** Writes a day of the years 1–9999 as `yyyy-MM-dd`; the inverse of {@link epochDayOf}. */
export function dateTextOf(epochDay: number): string {
  const slot = epochDay & 1023;
  if (writtenDays[slot] !== epochDay) {
    writtenTexts[slot] = writeDay(epochDay);
    writtenDays[slot] = epochDay;
  }
  return writtenTexts[slot]!;
}

function writeDay(epochDay: number): string {
  // Years start in March here, too. 146,097 days are 400 years; within them each century but the
  // last has one day less.
  const day = epochDay + 719_468;
  const era = Math.floor(day / 146_097);
  const inEra = day - era * 146_097;
  const leaps =
    Math.floor(inEra / 1_460) - Math.floor(inEra / 36_524) + Math.floor(inEra / 146_096);
  const yearOfEra = Math.floor((inEra - leaps) / 365);
  const dayOfYear =
    inEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const shifted = Math.floor((5 * dayOfYear + 2) / 153);
  const month = shifted < 10 ? shifted + 3 : shifted - 9;
  const year = era * 400 + yearOfEra + (month <= 2 ? 1 : 0);
  const date = dayOfYear - Math.floor((153 * shifted + 2) / 5) + 1;
  return `${two(Math.floor(year / 100))}${two(year % 100)}-${two(month)}-${two(date)}`;
}

const TWO_DIGITS = Array.from({ length: 100 }, (_, number) => String(number).padStart(2, '0'));

/** A number below 100 as two digits. */
export function two(number: number): string {
  return TWO_DIGITS[number]!;
}

/** Day of the week of a day since 1970-01-01: 0 is Sunday. */
export function weekdayOf(epochDay: number): number {
  return (((epochDay + 4) % 7) + 7) % 7;
}

/**
 * Converts wall-clock time to an instant: in a gap the later one, in a fold the earlier one
 * (semantics 2).
 *
 * @param wallClock ms from 1970-01-01T00:00 on the wall clock.
 * @param timeZone IANA name.
 * @returns ms since 1970-01-01T00:00:00Z.
 * @throws {RangeError} for an unknown zone.
 */
export function instantOf(wallClock: number, timeZone: string): number {
  if (isUtc(timeZone)) return wallClock;
  const steady = steadyOffsetOn(Math.floor(wallClock / DAY_MS), timeZone);
  if (steady !== undefined) return wallClock - steady;
  // No zone is a day or more from UTC, and none changes its offset twice within two days.
  const before = offsetAt(wallClock - DAY_MS, timeZone);
  const after = offsetAt(wallClock + DAY_MS, timeZone);
  const early = wallClock - Math.max(before, after);
  if (before === after || offsetAt(early, timeZone) === wallClock - early) return early;
  const late = wallClock - Math.min(before, after);
  return offsetAt(late, timeZone) === wallClock - late ? late : wallClock - before;
}

/**
 * The day since 1970-01-01 on which an instant falls in a zone.
 * @throws {RangeError} for an unknown zone.
 */
export function epochDayAt(instant: number, timeZone: string): number {
  return Math.floor((instant + offsetAt(instant, timeZone)) / DAY_MS);
}

/**
 * Clamps an instant to the years 1–9999, as .NET does with `DateTime.MaxValue` in a zone west of
 * Greenwich.
 */
export function clampInstant(instant: number): number {
  return Math.min(Math.max(instant, MIN_INSTANT), MAX_INSTANT);
}

function isUtc(timeZone: string): boolean {
  return timeZone === 'UTC' || timeZone === 'Etc/UTC';
}

/**
 * Cache of offsets, by zone and day without a nearby change: one call of Intl takes as long as
 * parsing twenty dates.
 */
const steadyOffsets = new Map<string, Map<number, number | undefined>>();
const MOST_DAYS = 10_000;

/**
 * The offset of a zone on a whole day, in ms; `undefined` when it changes on that day, the day
 * before or the day after.
 */
function steadyOffsetOn(epochDay: number, timeZone: string): number | undefined {
  let days = steadyOffsets.get(timeZone);
  if (days?.has(epochDay)) return days.get(epochDay);
  // No zone is a day or more from UTC, and none changes its offset and changes it back within three
  // days.
  const before = offsetAt((epochDay - 1) * DAY_MS, timeZone);
  const steady = before === offsetAt((epochDay + 2) * DAY_MS, timeZone) ? before : undefined;
  if (days === undefined || days.size === MOST_DAYS) {
    if (steadyOffsets.size >= MOST_FORMATS) steadyOffsets.clear();
    days = new Map();
    steadyOffsets.set(timeZone, days);
  }
  days.set(epochDay, steady);
  return steady;
}

/** The offset of a zone from UTC at an instant; ms. */
function offsetAt(instant: number, timeZone: string): number {
  if (isUtc(timeZone)) return 0;
  const [, sign, hours, minutes, seconds = '0'] =
    OFFSET.exec(offsetFormat(timeZone).format(instant)) ?? [];
  if (sign === undefined) return 0;
  const ahead = (Number(hours) * 60 + Number(minutes)) * MINUTE_MS + Number(seconds) * 1000;
  return sign === '+' ? ahead : -ahead;
}

/** `GMT+08:00`; `GMT` alone means 0; historical offsets have seconds, too. */
const OFFSET = /GMT([+-])(\d\d):(\d\d)(?::(\d\d))?$/;

/**
 * Cache of formatters. A service uses few zones, and creating a formatter takes as long as using it
 * a hundred times.
 */
const offsetFormats = new Map<string, Intl.DateTimeFormat>();
const MOST_FORMATS = 100;

function offsetFormat(timeZone: string): Intl.DateTimeFormat {
  let format = offsetFormats.get(timeZone);
  if (format === undefined) {
    format = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' });
    if (offsetFormats.size === MOST_FORMATS) offsetFormats.clear();
    offsetFormats.set(timeZone, format);
  }
  return format;
}
