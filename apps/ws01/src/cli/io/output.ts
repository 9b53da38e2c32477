import { once } from 'node:events';
import { formatInstant } from '../../contract/lexical.ts';

/** Writes to standard output, waiting where the reader is slow. */
export async function print(text: string): Promise<void> {
  if (!process.stdout.write(text)) {
    await once(process.stdout, 'drain');
  }
}

/** Writes one JSON value as one line. */
export function printJson(value: unknown): Promise<void> {
  return print(`${JSON.stringify(value)}\n`);
}

/** Tells a person what happened, beside the output that a program may read. */
export function remark(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** An instant for JSON output: RFC 3339 in UTC, `null` when there is none. */
export function jsonInstant(instant: number | null | undefined): string | null {
  return instant == null ? null : formatInstant(instant);
}

let utc = false;

/** From now on people are shown times in UTC instead of the zone of the machine (`--utc`). */
export function showUtc(): void {
  utc = true;
}

/**
 * An instant for people: to the minute, in the zone of the machine with its offset, `2026-11-22 11:39 +08:00`; `-` when
 * there is none. JSON output has UTC always.
 * @param digits of the time: 5 for minutes, 8 for seconds.
 */
export function shownInstant(instant: number | null | undefined, digits: 5 | 8 = 5): string {
  if (instant == null) return '-';
  const away = utc ? 0 : -new Date(instant).getTimezoneOffset();
  const local = formatInstant(instant + away * 60_000);
  const time = `${local.slice(0, 10)} ${local.slice(11, 11 + digits)}`;
  if (utc) return `${time}Z`;
  const two = (value: number) => String(value).padStart(2, '0');
  return `${time} ${away < 0 ? '-' : '+'}${two(Math.floor(Math.abs(away) / 60))}:${two(Math.abs(away) % 60)}`;
}
