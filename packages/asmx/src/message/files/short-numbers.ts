/** What a reader hands on at most at once. */
const MOST_NUMBERS = 4096;

/** Where readers put numbers before they hand them on, within one call. */
export const shortNumbers = new Uint16Array(MOST_NUMBERS);

/**
 * Takes bytes of a file that come as numbers, many at once: a file of 10 MB is ten million of them.
 */
export interface NumberTaker {
  /**
   * Whether what was reported last is a value of a file, and {@link numbers} takes values that
   * follow it.
   */
  takesNumbers(): boolean;
  /**
   * Further values of that file, each as {@link numberAt} says it.
   * @param numbers not kept.
   * @param chars what they took in the message, with all around them.
   */
  numbers(numbers: Uint16Array, chars: number): void;
}

/**
 * A byte that is written as one to three digits at `at`.
 * @returns the number of digits times 256, plus its value; 0 when something else stands there.
 */
export function numberAt(text: string, at: number): number {
  let value = 0;
  let digits = 0;
  while (digits < 3 && at + digits < text.length) {
    const digit = text.charCodeAt(at + digits) - 0x30;
    if (digit < 0 || digit > 9) break;
    value = value * 10 + digit;
    digits++;
  }
  return digits === 0 || value > 255 ? 0 : (digits << 8) + value;
}
