/** The words in a text that has blanks between them. */
export type WordsIn<Text extends string> = Text extends `${infer First} ${infer Rest}`
  ? First | WordsIn<Rest>
  : Text;

/**
 * The words in texts, in order, each with its own type: a list of names on few lines. The engine has
 * the same; threads, which list tables, cannot import its package.
 */
export function words<const Texts extends readonly string[]>(
  ...texts: Texts
): WordsIn<Texts[number]>[] {
  return texts.flatMap((text) => text.split(' ')) as WordsIn<Texts[number]>[];
}
