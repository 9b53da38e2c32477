/** A progress line of a long command. */
interface Progress {
  /** Shows a state if it differs from the last one. */
  tell(done: number, all: number, what: string): void;
  /** Shows a text. Where lines cannot be overwritten it is shown from time to time, and when it is the `last`. */
  show(text: string, last: boolean): void;
  /** Ends the line. */
  end(): void;
}

/** Interval of lines where they cannot be overwritten; ms. */
const LINE_EVERY_MS = 5_000;

/**
 * Creates a progress line on standard error: at a terminal a line that is overwritten, else a line from time to time.
 */
export function createProgress(): Progress {
  const terminal = process.stderr.isTTY === true;
  let shown = '';
  let toldAt = Number.NEGATIVE_INFINITY;
  const write = (text: string) => process.stderr.write(terminal ? `\r\x1b[K${text}` : `${text}\n`);
  const show = (text: string, last: boolean) => {
    const soon = !terminal && !last && performance.now() - toldAt < LINE_EVERY_MS;
    if (text === shown || soon) return;
    toldAt = performance.now();
    shown = text;
    write(text);
  };
  return {
    show,
    tell(done, all, what) {
      show(`${done} of ${all} ${what}${all === 0 ? '' : `, ${Math.floor((100 * done) / all)} %`}`, done >= all);
    },
    end() {
      if (terminal && shown !== '') process.stderr.write('\n');
    },
  };
}
