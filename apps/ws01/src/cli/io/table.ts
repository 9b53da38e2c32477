/**
 * Characters that take two columns of a terminal: ideographs, syllables, full-width forms and
 * emoji.
 */
const WIDE =
  /^[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]|^\p{Emoji_Presentation}/u;

/** The common case: segmenting every character of 100,000 rows would take a minute. */
const PRINTABLE_ASCII = /^[ -~]*$/;

/**
 * Made when it is first needed: its data take 20 ms of processor time, and hardly a command shows
 * anything but ASCII.
 */
let segments: Intl.Segmenter | undefined;

/** Returns the number of terminal columns that a text takes. */
export function displayWidth(text: string): number {
  if (PRINTABLE_ASCII.test(text)) return text.length;
  segments ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  let width = 0;
  for (const { segment } of segments.segment(text)) {
    width += WIDE.test(segment) ? 2 : 1;
  }
  return width;
}

/** Replaces characters that could move the cursor or reverse the line. */
export function harmless(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu, '\ufffd');
}

/**
 * Formats rows as aligned columns, each line ended; the last column is not padded.
 * @param headings empty for a table that continues.
 */
export function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = (headings.length > 0 ? [headings, ...rows] : rows).map((cells) =>
    cells.map(harmless),
  );
  const widths: number[] = [];
  for (const cells of lines) {
    cells.forEach((cell, column) => {
      widths[column] = Math.max(widths[column] ?? 0, displayWidth(cell));
    });
  }
  return lines
    .map((cells) =>
      cells
        .map((cell, column) =>
          column === cells.length - 1
            ? cell
            : cell + ' '.repeat(widths[column]! - displayWidth(cell)),
        )
        .join('  '),
    )
    .map((line) => `${line.trimEnd()}\n`)
    .join('');
}
