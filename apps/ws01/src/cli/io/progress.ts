/** A line that says how far a long command is. */
interface Progress {
  /** Tells a new state, when it is another. */
  tell(done: number, all: number, what: string): void;
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
  return {
    tell(done, all, what) {
      const text = `${done} of ${all} ${what}${all === 0 ? '' : `, ${Math.floor((100 * done) / all)} %`}`;
      const soon = !terminal && done < all && performance.now() - toldAt < LINE_EVERY_MS;
      if (text === shown || soon) return;
      toldAt = performance.now();
      shown = text;
      write(text);
    },
    end() {
      if (terminal && shown !== '') process.stderr.write('\n');
    },
  };
}
