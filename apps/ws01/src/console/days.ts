import { DAY_MS } from '@ws01/asmx/time';
import { beginningOf } from '../contract/lexical.ts';
import type { FieldSchema } from './catalog.ts';

/**
 * Filters and members that mean the end of their day: what is created to the 27th, expires on the
 * 27th, holds until then.
 */
const ENDS = /To$|^until$|^expiresAt$|DueDate$|[dD]ead[lL]ine$/;

const DAY = /^\d{4}-\d\d-\d\d$/;

/**
 * Returns the instant that the day in a date field stands for, in the reader's time zone: its beginning, or for an end
 * the beginning of the next day. Any other text is returned as it is.
 * @throws {Ws01Error} `InvalidParameter` for a day that there is not.
 */
export function instantOfDay(
  timeZone: string,
  name: string,
  schema: FieldSchema | undefined,
  value: string,
): string {
  if (schema?.format !== 'date-time' || !DAY.test(value)) return value;
  const context = { timeZone, now: () => 0 };
  const start = beginningOf(value, name, context)!;
  if (!ENDS.test(name)) return new Date(start).toISOString();
  const next = new Date(Date.parse(`${value}T00:00:00Z`) + DAY_MS).toISOString().slice(0, 10);
  return new Date(beginningOf(next, name, context)!).toISOString();
}

/** The day of a date field that stands for an instant, see {@link instantOfDay}. */
export function dayOfInstant(timeZone: string, name: string, text: string): string {
  const at = Date.parse(text);
  if (DAY.test(text) || Number.isNaN(at)) return text;
  return dayOf(timeZone, ENDS.test(name) ? at - 1 : at);
}

/** Days that a filter names by what they are today, so that it means others tomorrow. */
export const NAMED_DAYS = ['today', 'week', 'month'] as const;
export type NamedDay = (typeof NAMED_DAYS)[number];

export const isNamedDay = (value: string): value is NamedDay =>
  NAMED_DAYS.some((name) => name === value);

/** The day that a name stands for now: the beginning of what it says. Any other text is returned as it is. */
export function dayNamed(timeZone: string, now: number, value: string): string {
  if (!isNamedDay(value)) return value;
  if (value === 'month') return `${dayOf(timeZone, now).slice(0, 8)}01`;
  return dayOf(timeZone, now, value === 'week' ? 6 : 0);
}

/** Whether a name is a time zone. */
export function isTimeZone(name: string): boolean {
  try {
    return (
      /^[\w+/-]{1,64}$/.test(name) &&
      new Intl.DateTimeFormat('en', { timeZone: name }) !== undefined
    );
  } catch {
    return false;
  }
}

/** The day of an instant in a time zone, `2026-11-27`, some days before. */
function dayOf(timeZone: string, instant: number, daysBefore = 0): string {
  const parts = new Intl.DateTimeFormat('en-CA', {
    timeZone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  });
  const today = new Date(`${parts.format(instant)}T00:00:00Z`);
  return new Date(today.getTime() - daysBefore * DAY_MS).toISOString().slice(0, 10);
}
