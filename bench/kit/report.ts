/** Prints tables as Markdown, ready for the documentation, and how far a goal was met. */
import type { Spread } from './statistics.ts';

export function printTable(heads: readonly string[], rows: readonly (readonly string[])[]): void {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const rule = heads.map((_, index) => (index === 0 ? '---' : '---:'));
  console.log(`\n${[heads, rule, ...rows].map(line).join('\n')}\n`);
}

/** @param met by the numbers just printed. */
export function printGoal(goal: string, found: string, met: boolean): void {
  console.log(`- ${met ? 'Met' : 'Missed'}: ${goal}; found ${found}.`);
}

/** For whoever waits; kept apart from the tables, on standard error. */
export function progress(line: string): void {
  process.stderr.write(`${new Date().toISOString().slice(11, 19)} ${line}\n`);
}

/** A rate, as `12.3 k` or `123`. */
export function thousands(value: number): string {
  return value < 1000 ? value.toFixed(0) : `${(value / 1000).toFixed(1)} k`;
}

export function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}

/** A median with the least and the most: `1.05 (1.01–1.11)`. */
export function withSpread(values: Spread, format: (value: number) => string): string {
  return `${format(values.median)} (${format(values.min)}–${format(values.max)})`;
}

export const fixed =
  (digits: number) =>
  (value: number): string =>
    value.toFixed(digits);
