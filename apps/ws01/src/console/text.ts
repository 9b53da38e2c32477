import { endOfCharacter } from '../domain/values/shown-text.ts';

/** Controls that turn the text around them: what is shown is then not what is stored. */
const TURNING = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

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
  return `${unturned(text.slice(0, endOfCharacter(text, most)))}…`;
}
