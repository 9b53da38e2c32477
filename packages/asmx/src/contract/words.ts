type WordsIn<Text extends string> = Text extends `${infer First} ${infer Rest}`
  ? First | WordsIn<Rest>
  : Text;

/** The words of lines, in order, each with its own type: a list of names on few lines. */
export function words<const Lines extends readonly string[]>(
  ...lines: Lines
): WordsIn<Lines[number]>[] {
  return lines.flatMap((line) => line.split(' ')) as WordsIn<Lines[number]>[];
}
