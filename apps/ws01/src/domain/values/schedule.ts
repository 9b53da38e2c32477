import { DAY_MS, HOUR_MS } from '@ws01/asmx/time';
import { beginningOf } from '../../contract/lexical.ts';

/** A schedule: times of the day, or an interval in ms. */
export type Schedule =
  /** Minutes after midnight, at least one. */
  | { readonly kind: 'daily'; readonly minutes: readonly number[] }
  | { readonly kind: 'every'; readonly ms: number };

const DAY_MINUTES = 24 * 60;

/** Parses `03:00`, `03:00,15:00` or `6h` (1 to 720 hours); `undefined` for anything else. */
export function parseSchedule(text: string): Schedule | undefined {
  const hours = Number(/^(\d{1,3})h$/.exec(text)?.[1]);
  if (hours >= 1 && hours <= 720) return { kind: 'every', ms: hours * HOUR_MS };
  const minutes = text.split(',').map((part) => {
    const [, hour, minute] = /^([01]?\d|2[0-3]):([0-5]\d)$/.exec(part.trim()) ?? [];
    return Number(hour) * 60 + Number(minute);
  });
  return minutes.every((minute) => minute < DAY_MINUTES) ? { kind: 'daily', minutes } : undefined;
}

/**
 * The last scheduled instant that is not after `now`.
 * @param timeZone IANA name of the zone for times of the day.
 */
export function lastSlot(schedule: Schedule, now: number, timeZone: string): number {
  if (schedule.kind === 'every') return now - (now % schedule.ms);
  const day = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short' });
  const slots = [now, now - DAY_MS, now - 2 * DAY_MS].flatMap((at) =>
    schedule.minutes.map((minute) => {
      const time = `${two(Math.floor(minute / 60))}:${two(minute % 60)}`;
      return beginningOf(`${day.format(at)} ${time}`, 'time', { timeZone, now: () => now })!;
    }),
  );
  return Math.max(...slots.filter((slot) => slot <= now));
}

const two = (value: number): string => String(value).padStart(2, '0');
