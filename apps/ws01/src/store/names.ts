/** The names in a text that has blanks between them. */
export type NamesIn<Text extends string> = Text extends `${infer First} ${infer Rest}`
  ? First | NamesIn<Rest>
  : Text;

/** The names in texts, in order, each with its own type. */
export function names<const Texts extends readonly string[]>(
  ...texts: Texts
): NamesIn<Texts[number]>[] {
  return texts.flatMap((text) => text.split(' ')) as NamesIn<Texts[number]>[];
}
