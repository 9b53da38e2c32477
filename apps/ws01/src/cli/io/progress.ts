/** A line that says how far a long command is. */
interface Progress {
  /** Tells a new state, when it is another. */
  tell(done: number, all: number, what: string): void;
  /** Tells a line as it is; now and then where it cannot be written over, unless it is the `last`. */
  show(text: string, last: boolean): void;
  /** Ends the line. */
  end(): void;
}

/** How often a line is added where it cannot be written over; ms. */
const LINE_EVERY_MS = 5_000;

/** Writes to standard error: at a terminal one line that changes, else a line now and then. */
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
