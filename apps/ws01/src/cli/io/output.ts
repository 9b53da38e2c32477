import { once } from 'node:events';
import { formatInstant } from '../../contract/lexical.ts';
import { harmless } from './table.ts';

/** Writes to standard output; waits for a slow reader. */
export async function print(text: string): Promise<void> {
  if (!process.stdout.write(text) && !process.stdout.destroyed) {
    // A failure is handled where its event is.
    await Promise.race([once(process.stdout, 'drain'), once(process.stdout, 'close')]).catch(
      () => {},
    );
  }
}

/**
 * From now on, what cannot be printed is left out: a service serves on when nobody reads it any
 * more, as behind `| head -1`, or when its file is on a full disk.
 */
export function outliveStandardOutput(): void {
  process.stdout.removeAllListeners('error');
  process.stdout.on('error', () => {});
}

/** Prints one JSON value on one line. */
export function printJson(value: unknown): Promise<void> {
  return print(`${JSON.stringify(value)}\n`);
}

/**
 * A message of one or more lines, which may quote what others wrote, without what moves the cursor
 * or reverses a line.
 */
export function harmlessLines(text: string): string {
  return text.split('\n').map(harmless).join('\n');
}

/**
 * Prints a message for people to standard error, so that standard output stays readable by
 * programs.
 */
export function remark(line: string): void {
  process.stderr.write(`${harmlessLines(line)}\n`);
}

/** Formats an instant for JSON output: RFC 3339 in UTC; `null` for none. */
export function jsonInstant(instant: number | null | undefined): string | null {
  return instant == null ? null : formatInstant(instant);
}

/** A number of things: `1 file`, `2 files`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

let utc = false;

/** Switches {@link shownInstant} from the machine's time zone to UTC (`--utc`). */
export function showUtc(): void {
  utc = true;
}

/**
 * Formats an instant for people, to the minute, with the offset of the machine's time zone:
 * `2026-11-22 11:39 +08:00`; `-` for none. JSON output always uses UTC.
 * @param digits length of the time: 5 with minutes, 8 with seconds.
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
