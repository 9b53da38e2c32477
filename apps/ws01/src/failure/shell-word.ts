/** Texts that a shell reads as they are. */
const PLAIN = /^[\w@%+:,./-]+$/;

/**
 * Writes a text as one word of a command that somebody may paste into a POSIX shell: every printed
 * command says its folders, addresses and keys by it.
 * @param text any text: with blanks, quotes, `$`, letters of any script, or empty.
 * @returns the text itself where no character of it means anything to a shell; else in single
 *   quotes.
 */
export function shellWord(text: string): string {
  return PLAIN.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/**
 * Writes a text as the last argument of a command: behind `--` where it would be read as an option.
 * @param text any text, such as the id of a user that begins with a dash.
 */
export function lastArgument(text: string): string {
  return text.startsWith('-') ? `-- ${shellWord(text)}` : shellWord(text);
}
