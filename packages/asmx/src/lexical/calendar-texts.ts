import type { CalendarTextType } from '../contract/types.ts';
import { excerpt, LexicalError } from './lexical-error.ts';

const ZONE = '(?:[Zz]|[+-](?:0\\d|1[0-4]):[0-5]\\d)?';
const YEAR = '(?<year>-?(?:[1-9]\\d{4,11}|\\d{4}))';
const MONTH = '(?<month>0[1-9]|1[0-2])';
const DAY = '(?<day>0[1-9]|[12]\\d|3[01])';

const FORMS: Readonly<
  Record<CalendarTextType, { readonly pattern: RegExp; readonly example: string }>
> = {
  date: { pattern: new RegExp(`^${YEAR}-${MONTH}-${DAY}${ZONE}$`), example: '2024-02-29' },
  time: {
    pattern: new RegExp(
      `^(?:(?:[01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d(?:\\.\\d{1,20})?|24:00:00(?:\\.0{1,20})?)${ZONE}$`,
    ),
    example: '13:05:00',
  },
  duration: {
    pattern:
      /^-?P(?=\d|T\d)(?:\d{1,15}Y)?(?:\d{1,15}M)?(?:\d{1,15}D)?(?:T(?=\d)(?:\d{1,15}H)?(?:\d{1,15}M)?(?:\d{1,15}(?:\.\d{1,15})?S)?)?$/,
    example: 'P1DT2H30M',
  },
  gYear: { pattern: new RegExp(`^${YEAR}${ZONE}$`), example: '2024' },
  gYearMonth: { pattern: new RegExp(`^${YEAR}-${MONTH}${ZONE}$`), example: '2024-02' },
  gMonth: { pattern: new RegExp(`^--${MONTH}(?:--)?${ZONE}$`), example: '--02' },
  gMonthDay: { pattern: new RegExp(`^--${MONTH}-${DAY}${ZONE}$`), example: '--02-29' },
  gDay: { pattern: new RegExp(`^---${DAY}${ZONE}$`), example: '---29' },
};

/**
 * Checks a date, time or duration.
 * @returns its text without surrounding blanks.
 * @throws {LexicalError}
 */
export function parseCalendarText(text: string, type: CalendarTextType): string {
  const trimmed = text.trim();
  const { pattern, example } = FORMS[type];
  const parts = pattern.exec(trimmed);
  if (parts === null || !isDay(parts.groups ?? {})) {
    throw new LexicalError(
      `"${excerpt(trimmed)}" is not a ${type}; write one like ${example}.`,
      `The string '${excerpt(trimmed)}' is not a valid AllXsd value.`,
    );
  }
  return trimmed;
}

const DAYS = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** Whether a day exists in the calendar; a day without a year may be in a leap year. */
function isDay({ year, month, day }: Readonly<Record<string, string | undefined>>): boolean {
  if (month === undefined || day === undefined) return true;
  if (Number(day) > DAYS[Number(month) - 1]!) return false;
  if (month !== '02' || day !== '29' || year === undefined) return true;
  const counted = Number(year);
  return counted % 4 === 0 && (counted % 100 !== 0 || counted % 400 === 0);
}
