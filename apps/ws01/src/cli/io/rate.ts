import type { ImportProgress } from '../../domain/portable/import.ts';
import type { createProgress } from './progress.ts';

/** How a progress in bytes is told: what, how many rows, how fast, how far, and for how long still. */
export function createRate(progress: ReturnType<typeof createProgress>): (state: ImportProgress) => void {
  const began = performance.now();
  let before: number | undefined;
  return ({ kind, rows, bytes, allBytes, doneBefore }) => {
    // What an earlier run has done says nothing of the speed of this one.
    before ??= doneBefore;
    const seconds = Math.max((performance.now() - began) / 1000, 0.001);
    const rate = Math.round(rows / seconds).toLocaleString('en');
    const done = allBytes === 0 ? 1 : bytes / allBytes;
    const left = bytes > before ? (seconds * (allBytes - bytes)) / (bytes - before) : 0;
    const last = bytes >= allBytes;
    const parts = [
      `${kind}: ${rows.toLocaleString('en')} rows`,
      `${rate} a second`,
      `${Math.floor(100 * done)} %`,
      ...(last ? [] : [`${clockOf(left)} left`]),
    ];
    progress.show(parts.join(', '), last);
  };
}

/** Seconds as people read them: `0:05`, `1:02:03`. */
function clockOf(seconds: number): string {
  const whole = Math.ceil(seconds);
  const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  const two = (value: number) => String(value).padStart(2, '0');
  return hours > 0 ? `${hours}:${two(minutes)}:${two(rest)}` : `${minutes}:${two(rest)}`;
}
