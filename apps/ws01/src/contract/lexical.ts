/**
 * Numbers and dates that the contract types as string. They are read with the same lexical forms as
 * typed parameters, so both accept the same texts.
 */

import { LexicalError, parseDateText, parseDateTime, parseInt32 } from '@ws01/asmx/lexical';
import { Ws01Error } from './errors.ts';
import { NO_DATES } from './parameters.ts';

export { formatInstant } from '@ws01/asmx/lexical';

/** The time zone and clock for reading a date. */
export interface DateContext {
  /** IANA name. */
  readonly timeZone: string;
  /** ms since 1970-01-01T00:00:00Z. */
  readonly now: () => number;
}

/**
 * Reads a whole number that the contract types as string (`pageindex`, `lastFewDays`); absent or
 * blank is `0`.
 *
 * @param name the parameter, for the error.
 * @throws {Ws01Error} `InvalidParameter`
 */
export function integerOf(text: string | undefined, name: string): number {
  return read(name, () => parseInt32(text ?? ''));
}

type ReadDate = (
  text: string | undefined,
  name: string,
  context: DateContext,
) => number | undefined;

const dateBy =
  (parse: typeof parseDateText): ReadDate =>
  (text = '', name, { timeZone, now }) =>
    read(name, () => parse(text, { form: 'text', timeZone, now, notGiven: NO_DATES }));

/**
 * Reads a date that the contract types as string (`showDeadLine`); without a time it is the end of
 * that day.
 *
 * The second argument is the name of the parameter, for the error. It returns ms since
 * 1970-01-01T00:00:00Z; `undefined` when it is not given.
 * @throws {Ws01Error} `InvalidParameter`
 */
export const dateOf = dateBy(parseDateText);

/** Reads a date as {@link dateOf}; without a time it is the beginning of that day. */
export const beginningOf = dateBy(parseDateTime);

function read<T>(name: string, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    if (!(error instanceof LexicalError)) throw error;
    throw new Ws01Error('InvalidParameter', `${name}: ${error.reason}`, {
      parameter: name,
      cause: error,
    });
  }
}
