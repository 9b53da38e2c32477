import { blockOf } from './blocks.ts';
import { PatternError } from './pattern-error.ts';

/** Whether a code point belongs to a set. */
export type CharSet = (point: number) => boolean;

/**
 * The categories of Unicode that XML Schema knows (part 2, F.1.1): there is none for surrogates.
 */
const CATEGORIES = new Set(
  'L Lu Ll Lt Lm Lo M Mn Mc Me N Nd Nl No P Pc Pd Ps Pe Pi Pf Po Z Zs Zl Zp S Sm Sc Sk So C Cc Cf Co Cn'.split(
    ' ',
  ),
);

/** Of one character, so that it takes the same time for each. */
const charSet = (form: RegExp): CharSet => {
  return (point) => form.test(String.fromCodePoint(point));
};

const not = (set: CharSet): CharSet => {
  return (point) => !set(point);
};

const NAME_START =
  ':A-Z_a-z\\u{c0}-\\u{d6}\\u{d8}-\\u{f6}\\u{f8}-\\u{2ff}\\u{370}-\\u{37d}\\u{37f}-\\u{1fff}\\u{200c}\\u{200d}' +
  '\\u{2070}-\\u{218f}\\u{2c00}-\\u{2fef}\\u{3001}-\\u{d7ff}\\u{f900}-\\u{fdcf}\\u{fdf0}-\\u{fffd}\\u{10000}-\\u{effff}';

const SPACE: CharSet = (point) =>
  point === 0x20 || point === 0x09 || point === 0x0a || point === 0x0d;
const NAME_STARTS = charSet(new RegExp(`^[${NAME_START}]$`, 'u'));
const NAME_CHARS = charSet(
  new RegExp(`^[${NAME_START}\\-.0-9\\u{b7}\\u{300}-\\u{36f}\\u{203f}\\u{2040}]$`, 'u'),
);
const DIGITS = charSet(/^\p{Nd}$/u);
const WORDS = charSet(/^[^\p{P}\p{Z}\p{C}]$/u);

/** The escapes of one letter that stand for many characters (F.1.1 [37]). */
export const ESCAPED_SETS: ReadonlyMap<string, CharSet> = new Map([
  ['s', SPACE],
  ['S', not(SPACE)],
  ['i', NAME_STARTS],
  ['I', not(NAME_STARTS)],
  ['c', NAME_CHARS],
  ['C', not(NAME_CHARS)],
  ['d', DIGITS],
  ['D', not(DIGITS)],
  ['w', WORDS],
  ['W', not(WORDS)],
]);

/** What `.` stands for. */
export const ANY_CHAR: CharSet = (point) => point !== 0x0a && point !== 0x0d;

/**
 * @param name a category, like `Lu`, or a block, like `IsGreek`.
 * @throws {PatternError} when there is none.
 */
export function propertySet(name: string): CharSet {
  if (CATEGORIES.has(name)) return charSet(new RegExp(`^\\p{${name}}$`, 'u'));
  const block = name.startsWith('Is') ? blockOf(name.slice(2)) : undefined;
  if (block === undefined)
    throw new PatternError(`Unicode has no category or block ${JSON.stringify(name)}`);
  const [first, last] = block;
  return (point) => point >= first && point <= last;
}
