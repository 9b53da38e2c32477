/** Controls that turn the text around them: what is shown is then not what is stored. */
const TURNING = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** Returns a text with the controls that would turn it in sight: `[U+202E]`. */
export function unturned(text: string): string {
  return text.replace(
    TURNING,
    (control) => `[U+${control.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}]`,
  );
}

/** Returns the beginning of a text, cut between characters as people see them. @param most UTF-16 code units. */
export function cut(text: string, most: number): string {
  if (text.length <= most) return unturned(text);
  let end = 0;
  // A character may be as long as its sender likes; one that is longer than the space is left out.
  for (const { index, segment } of graphemes.segment(text.slice(0, most * 2))) {
    if (index + segment.length > most) break;
    end = index + segment.length;
  }
  return `${unturned(text.slice(0, end))}…`;
}
