/** Names as contracts and URIs of actions have them. */
const NAME = /^[A-Za-z_$@#](?:[\w$.[\]#:/-]|(?<=\.)@){0,99}$/;

/** What separates the words of a name. */
const SEPARATOR = /[^\w-]/;

/**
 * A word of a name is no longer than this, and has no more digits; tokens, keys and numbers have
 * more.
 */
const MOST = { characters: 40, digits: 4 };

/**
 * What may be told of a text in the place of a name, in logs and warnings: a client that leaves out
 * an escape has a value there, or its credential.
 * @returns the text if it looks like a name; else how long it is.
 */
export function toldName(text: string): string {
  return NAME.test(text) && !text.split(SEPARATOR).some(isValue)
    ? text
    : `(${text.length} characters)`;
}

function isValue(word: string): boolean {
  return word.length > MOST.characters || word.replaceAll(/\D/g, '').length > MOST.digits;
}
