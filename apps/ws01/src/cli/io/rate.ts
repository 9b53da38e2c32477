import type { ImportProgress } from '../../domain/portable/import.ts';
import { type ProgressLine, shownDuration, shownRate } from './progress.ts';

/**
 * Shows progress in bytes: the kind, its rows and rows per second, the percentage and the remaining
 * time. The speed is measured per kind, because a row with an image takes far longer than others.
 */
export function createRate(progress: ProgressLine): (state: ImportProgress) => void {
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
      `${shownRate(rows / seconds)} a second`,
      ...(imageBytes === 0 ? [] : [`${shownRate(imageBytes / seconds / 1e6)} MB a second`]),
      `${all === 0 ? 100 : Math.floor((100 * done) / all)} %`,
      ...(last ? [] : [`${shownDuration(left)} left in all`]),
    ];
    progress.show(parts.join(', '), last);
  };
}
