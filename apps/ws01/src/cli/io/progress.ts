import type { OnProgress } from '../../domain/shared/progress.ts';

/** A progress line of a long command. */
export interface ProgressLine {
  /**
   * Shows how far the work is and, after a second of the same work, its speed and the remaining
   * time.
   */
  readonly tell: OnProgress;
  /**
   * Shows a text. Where lines cannot be overwritten it is shown from time to time, and when it is
   * the `last`.
   */
  show(text: string, last: boolean): void;
  /** Ends the line. */
  end(): void;
}

/** Interval of lines where they cannot be overwritten; ms. */
const LINE_EVERY_MS = 5_000;

/** Work must have taken this long before its speed is shown; ms. */
const SPEED_AFTER_MS = 1_000;

/**
 * Creates a progress line on standard error: at a terminal a line that is overwritten, else a line
 * from time to time.
 */
export function createProgress(): ProgressLine {
  const terminal = process.stderr.isTTY === true;
  let shown = '';
  let shownAt = Number.NEGATIVE_INFINITY;
  let current = { what: '', began: 0, from: 0 };
  const write = (text: string) => process.stderr.write(terminal ? `\r\x1b[K${text}` : `${text}\n`);
  const show = (text: string, last: boolean) => {
    const soon = !terminal && !last && performance.now() - shownAt < LINE_EVERY_MS;
    if (text === shown || soon) return;
    shownAt = performance.now();
    shown = text;
    write(text);
  };
  return {
    show,
    tell(done, all, what) {
      if (all === 0) return show(what, false);
      const now = performance.now();
      if (what !== current.what) current = { what, began: now, from: done };
      const parts = [
        `${counted(done)} of ${counted(all)} ${what}`,
        `${Math.floor((100 * done) / all)} %`,
        ...speed(done - current.from, all - done, now - current.began),
      ];
      show(parts.join(', '), done >= all);
    },
    end() {
      if (terminal && shown !== '') process.stderr.write('\n');
    },
  };
}

function speed(done: number, left: number, ms: number): readonly string[] {
  if (done <= 0 || ms < SPEED_AFTER_MS) return [];
  const rate = (1000 * done) / ms;
  return [
    `${shownRate(rate)} a second`,
    ...(left <= 0 ? [] : [`${shownDuration(left / rate)} left`]),
  ];
}

const counted = (number: number): string => number.toLocaleString('en');

/** Formats a rate: `22,300`, and `0.3` for small ones. */
export function shownRate(number: number): string {
  return number.toLocaleString('en', { maximumFractionDigits: number < 10 ? 1 : 0 });
}

/** Formats a duration in seconds: `0:05`, `1:02:03`. */
export function shownDuration(seconds: number): string {
  const whole = Math.ceil(seconds);
  const [hours, minutes, rest] = [
    Math.floor(whole / 3600),
    Math.floor(whole / 60) % 60,
    whole % 60,
  ];
  const two = (value: number) => String(value).padStart(2, '0');
  return hours > 0 ? `${hours}:${two(minutes)}:${two(rest)}` : `${minutes}:${two(rest)}`;
}
