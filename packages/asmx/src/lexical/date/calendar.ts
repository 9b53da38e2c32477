/** Calendar and time-zone arithmetic on plain numbers: days and milliseconds since 1970-01-01, no objects but Temporal's for zones. */

export const MS_PER_DAY = 86_400_000;
export const MS_PER_MINUTE = 60_000;

/** The first and last instants that RFC 3339 can write. */
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
  // Years counted from March, so that the leap day is the last of its year.
  const shifted = month > 2 ? year : year - 1;
  const dayOfYear = Math.floor((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5) + day - 1;
  const leapDays = Math.floor(shifted / 4) - Math.floor(shifted / 100) + Math.floor(shifted / 400);
  return shifted * 365 + leapDays + dayOfYear - 719_468;
}

/** Day of the week of a day since 1970-01-01: 0 is Sunday. */
export function weekdayOf(epochDay: number): number {
  return (((epochDay + 4) % 7) + 7) % 7;
}

/**
 * The instant at which a wall clock shows a time: in a gap the later one, in a fold the earlier (semantics 2).
 *
 * @param wallClock ms from 1970-01-01T00:00 on the wall clock.
 * @param timeZone IANA name.
 * @returns ms since 1970-01-01T00:00:00Z.
 */
export function instantOf(wallClock: number, timeZone: string): number {
  if (isUtc(timeZone)) return wallClock;
  // The wall clock's fields are those of the same count of ms in UTC; Temporal's "compatible" is the rule above.
  return Temporal.Instant.fromEpochMilliseconds(wallClock)
    .toZonedDateTimeISO('UTC')
    .toPlainDateTime()
    .toZonedDateTime(timeZone, { disambiguation: 'compatible' }).epochMilliseconds;
}

/** The day since 1970-01-01 on which an instant falls in a zone. */
export function epochDayAt(instant: number, timeZone: string): number {
  if (isUtc(timeZone)) return Math.floor(instant / MS_PER_DAY);
  const local = Temporal.Instant.fromEpochMilliseconds(instant).toZonedDateTimeISO(timeZone);
  return epochDayOf(local.year, local.month, local.day);
}

/** Brings an instant into the years 1–9999, as .NET does with `DateTime.MaxValue` in a zone west of Greenwich. */
export function clampInstant(instant: number): number {
  return Math.min(Math.max(instant, MIN_INSTANT), MAX_INSTANT);
}

function isUtc(timeZone: string): boolean {
  return timeZone === 'UTC' || timeZone === 'Etc/UTC';
}
