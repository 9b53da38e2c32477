import type { Limits } from '../contract/limits.ts';

/** The limit that an input went over. */
export interface LimitBreach {
  readonly name: keyof Limits;
  readonly value: number;
}

/**
 * An input was refused by one of the incremental readers: XML, form or JSON. `code` is `limit` when
 * it went over one of the {@link Limits} (the wire answers TooLarge), anything else when it cannot
 * be read (MalformedRequest).
 */
export class ReadError<Code extends string = string> extends Error {
  readonly code: Code;
  /** Which limit, when `code` is `limit`. */
  readonly limit: keyof Limits | undefined;
  /** The value of that limit. */
  readonly limitValue: number | undefined;

  constructor(code: Code, message: string, breach?: LimitBreach) {
    super(message);
    this.name = 'ReadError';
    this.code = code;
    this.limit = breach?.name;
    this.limitValue = breach?.value;
  }
}

/**
 * The error of an input that went over a limit.
 * @param subject and `unit`, see {@link breachSentence}.
 */
export function limitError(breach: LimitBreach, subject: string, unit: string): ReadError {
  return new ReadError('limit', breachSentence(breach, subject, unit), breach);
}

/**
 * The sentence of a breach: `subject` opens it ("The name", "The number of pairs"), `unit` is what
 * is counted.
 */
export function breachSentence(
  { name, value }: LimitBreach,
  subject: string,
  unit: string,
): string {
  return `${subject} is over the limit ${name} of ${value} ${unit}.`;
}
