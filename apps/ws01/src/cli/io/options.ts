import { DAY_MS, HOUR_MS } from '@ws01/asmx/time';
import { type Command, InvalidArgumentError } from 'commander';
import { beginningOf, type DateContext } from '../../contract/lexical.ts';

/** Parses an option that is a positive integer. */
export function positiveInteger(text: string): number {
  if (!/^[1-9][0-9]{0,8}$/.test(text)) {
    throw new InvalidArgumentError('Give a whole number above 0.');
  }
  return Number(text);
}

/**
 * Parses an option that is one of some words, in upper or lower case.
 * @param what they are called.
 */
export function oneOf<Word extends string>(words: readonly Word[], what = 'states') {
  return (text: string): Word => {
    const found = words.find((word) => word === text.trim().toLowerCase());
    if (found === undefined) throw new InvalidArgumentError(`The ${what} are ${words.join(', ')}.`);
    return found;
  };
}

/** Collects the values of an option that may be repeated. */
export function gather(value: string, values: readonly string[] = []): readonly string[] {
  return [...values, value];
}

const UNITS = new Map([
  ['h', HOUR_MS],
  ['d', DAY_MS],
]);

/**
 * Parses a duration such as `12h` or `90d`.
 * @returns ms; `undefined` if the text is not a duration.
 */
export function readSpan(text: string | undefined): number | undefined {
  const [, count, unit = ''] = /^(\d{1,5})([hd])$/.exec(text?.trim() ?? '') ?? [];
  const step = UNITS.get(unit);
  return step === undefined ? undefined : Number(count) * step;
}

/**
 * Parses `--since`: a duration ago, or a date.
 * @returns `undefined` when it is absent.
 * @throws {Ws01Error} `InvalidParameter`
 */
export function readSince(since: string | undefined, context: DateContext): number | undefined {
  const span = readSpan(since);
  return span === undefined ? beginningOf(since, 'since', context) : context.now() - span;
}

/** Adds `--json` and the help to a command that answers in its own way. */
export function withJson(command: Command, help: string): Command {
  return command.option('--json', 'print one JSON object').addHelpText('after', `\n${help}`);
}
