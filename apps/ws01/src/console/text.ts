import { endOfCharacter } from '../domain/values/shown-text.ts';
import { isSeen } from '../domain/values/unseen.ts';
import { TAGS } from '../web/language.ts';
import type { Translate } from './language.ts';

/** Controls that turn the text around them: what is shown is then not what is stored. */
const TURNING = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** Of a text that nobody sees so many characters are named. */
const NAMED = 4;

/** Returns a text with what would turn it in sight, `[U+202E]`, and one of which nothing can be seen. */
export function unturned(text: string): string {
  if (!isSeen(text)) return [...text].slice(0, NAMED).map(codeOf).join('');
  return text.replace(TURNING, codeOf);
}

const codeOf = (character: string): string =>
  `[U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}]`;

/** Returns the beginning of a text, cut between characters as people see them. @param most UTF-16 code units. */
export function cut(text: string, most: number): string {
  if (text.length <= most) return unturned(text);
  return `${unturned(text.slice(0, endOfCharacter(text, most)))}…`;
}

/** A count with its thousands set apart. */
export const countText = ({ language }: Translate, count: number): string =>
  new Intl.NumberFormat(TAGS[language]).format(count);

/**
 * A time in milliseconds, a second and more in seconds.
 * @param digits after the point: figures below each other have as many.
 */
export function millisecondsText({ language }: Translate, ms: number, digits = 1): string {
  const [unit, figure] =
    ms < 1_000 ? (['millisecond', ms] as const) : (['second', ms / 1_000] as const);
  const fraction = { minimumFractionDigits: digits, maximumFractionDigits: digits };
  const form = { style: 'unit', unit, unitDisplay: 'short', ...fraction } as const;
  return new Intl.NumberFormat(TAGS[language], form).format(figure);
}

/** A share in per cent, a small one to a tenth. @param signDisplay as of `Intl.NumberFormat`. */
export function percentText(
  { language }: Translate,
  share: number,
  signDisplay: 'auto' | 'exceptZero' = 'auto',
): string {
  const maximumFractionDigits = Math.abs(share) < 0.1 ? 1 : 0;
  const form = { style: 'percent', signDisplay, maximumFractionDigits } as const;
  return new Intl.NumberFormat(TAGS[language], form).format(share);
}
