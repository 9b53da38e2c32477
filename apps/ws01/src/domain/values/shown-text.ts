/** How texts of users are shown among others. */

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });
const words = new Intl.Segmenter('en', { granularity: 'word' });

/**
 * Returns where the last whole character, as people see them, ends within a length. A character may
 * be as long as its sender likes; one that is longer than the space is left out.
 * @param most UTF-16 code units.
 */
export function endOfCharacter(text: string, most: number): number {
  return endWithin(graphemes, text, most);
}

function endWithin(segmenter: Intl.Segmenter, text: string, most: number): number {
  let end = 0;
  for (const { index, segment } of segmenter.segment(text.slice(0, most * 2))) {
    if (index + segment.length > most) break;
    end = index + segment.length;
  }
  return end;
}

/**
 * Returns a text, or its beginning with an ellipsis. It is cut behind a word of any language;
 * inside a word that takes half of it or more, it is cut between characters as people see them.
 * @param most UTF-16 code units, with the ellipsis.
 */
export function beginningOf(text: string, most: number): string {
  if (text.length <= most) return text;
  const word = endWithin(words, text, most - 1);
  const end = word > most / 2 ? word : endOfCharacter(text, most - 1);
  return `${text.slice(0, end).trimEnd()}…`;
}

/** Controls that turn what is beside them, up to one that ends them. */
const TURNING = /[\u202a-\u202e\u2066-\u2069]/;
const END = '\u2069';

/**
 * Returns a text that turns nothing beside it, whatever controls of direction it has: isolated, and
 * without what would end the isolate (Unicode Standard Annex 9).
 */
export function isolated(text: string): string {
  if (!TURNING.test(text)) return text;
  let open = 0;
  let inner = '';
  for (const character of text) {
    if (character >= '\u2066' && character <= '\u2068') open++;
    else if (character === END && open-- === 0) {
      open = 0;
      continue;
    }
    inner += character;
  }
  return `\u2068${inner}${END.repeat(open + 1)}`;
}
