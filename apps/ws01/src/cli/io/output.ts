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

/** An instant for a table: UTC to the minute, `-` when there is none. */
export function shownInstant(instant: number | null | undefined): string {
  return instant == null ? '-' : formatInstant(instant).slice(0, 16).replace('T', ' ');
}
