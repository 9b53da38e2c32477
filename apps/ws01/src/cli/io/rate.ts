import type { ImportProgress } from '../../domain/portable/import.ts';
import type { createProgress } from './progress.ts';

/**
 * Shows a progress in bytes: what, how many rows of it and how fast, how far it is, and for how long still, by the
 * speed of its own kind, as one row of images takes far longer than one of others.
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
    // What an earlier run has done says nothing of the speed of this one.
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

/** A number a second as people read it: `22,300`, and `0.3` where whole ones would say nothing. */
function rateOf(number: number): string {
  return number.toLocaleString('en', { maximumFractionDigits: number < 10 ? 1 : 0 });
}

/** Seconds as people read them: `0:05`, `1:02:03`. */
function clockOf(seconds: number): string {
  const whole = Math.ceil(seconds);
  const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  const two = (value: number) => String(value).padStart(2, '0');
  return hours > 0 ? `${hours}:${two(minutes)}:${two(rest)}` : `${minutes}:${two(rest)}`;
}
