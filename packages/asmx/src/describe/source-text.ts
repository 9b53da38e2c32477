/** Writes texts of a contract into generated source code, in which they must not act as code. */

/**
 * Characters that JSON does not escape: line ends, C1 controls, and those that make an editor show
 * the text behind them in another place (Unicode Technical Report 55).
 */
const UNSEEN = /[\u0080-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;

/** A text as a string literal in single quotes. */
export function quote(text: string): string {
  const escaped = JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'");
  const code = (unit: string) => unit.charCodeAt(0).toString(16).padStart(4, '0');
  return `'${escaped.replaceAll(UNSEEN, (unit) => `\\u${code(unit)}`)}'`;
}

/** A name as a key in an object literal or a type. */
export function propertyKey(name: string): string {
  return /^[\p{ID_Start}_$][\p{ID_Continue}$]*$/u.test(name) ? name : quote(name);
}

/** A text as one line that cannot end a comment. */
export function comment(text: string): string {
  return text.replaceAll(/\s+/g, ' ').replaceAll(UNSEEN, '').replaceAll('*/', '* /').trim();
}
