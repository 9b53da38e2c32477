import type { ImportProgress } from '../../domain/portable/import.ts';
import type { createProgress } from './progress.ts';

/**
 * Shows progress in bytes: the kind, its rows and rows per second, the percentage and the remaining time. The speed is
 * measured per kind, because a row with an image takes far longer than others.
 */
export function createRate(progress: ReturnType<typeof createProgress>): (state: ImportProgress) => void {
  const began = performance.now();
  let current = { kind: '', began };
  let toldAt = began;
  let doneOfOthers = 0;
  let doneOfThis = 0;
  return ({ kind, rows, imageBytes, done, doneBefore, all, later }) => {
    const now = performance.now();
    if (kind !== current.kind) {
      current = { kind, began: toldAt };
      doneOfOthers += doneOfThis;
    }
    toldAt = now;
    // The speed of this run excludes what an earlier run did.
    doneOfThis = done - doneBefore;
    const seconds = Math.max((now - current.began) / 1000, 0.001);
    const secondsInAll = Math.max((now - began) / 1000, 0.001);
    const left =
      (seconds * (all - done)) / Math.max(doneOfThis, 1) +
      (secondsInAll * later) / Math.max(doneOfThis + doneOfOthers, 1);
    const last = done >= all && later === 0;
    const parts = [
      `${kind}: ${rows.toLocaleString('en')} ${rows === 1 ? 'row' : 'rows'}`,
      `${rateOf(rows / seconds)} a second`,
      ...(imageBytes === 0 ? [] : [`${rateOf(imageBytes / seconds / 1e6)} MB a second`]),
      `${all === 0 ? 100 : Math.floor((100 * done) / all)} %`,
      ...(last ? [] : [`${clockOf(left)} left in all`]),
    ];
    progress.show(parts.join(', '), last);
  };
}

/** Formats a rate: `22,300`, and `0.3` for small ones. */
function rateOf(number: number): string {
  return number.toLocaleString('en', { maximumFractionDigits: number < 10 ? 1 : 0 });
}

/** Formats seconds: `0:05`, `1:02:03`. */
function clockOf(seconds: number): string {
  const whole = Math.ceil(seconds);
  const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  const two = (value: number) => String(value).padStart(2, '0');
  return hours > 0 ? `${hours}:${two(minutes)}:${two(rest)}` : `${minutes}:${two(rest)}`;
}
