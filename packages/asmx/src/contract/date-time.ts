/** A dateTime as XML Schema writes it. */
const DATE_TIME = /^-?\d{4,}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)?$/;
/** One that is written again of its instant alone: in UTC, to the ms. */
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,3})?Z$/;

/**
 * A Date with the text that it has on the wire: .NET's DateTime says whether it is in UTC, at an offset or in no zone, to
 * a tenth of a µs, and DateTimeOffset says its offset. Handlers get one wherever a text says more than an instant, and it
 * is written as it was read. One of your own: `new DateTime('2024-12-31T00:00:00')`, in no zone.
 */
export class DateTime extends Date {
  readonly text: string;
  readonly #instant: number;

  /**
   * @param text as XML Schema writes it.
   * @param instant ms since 1970; when absent, that of the text, in UTC where it says no zone.
   * @throws {TypeError} for a text that is no dateTime.
   */
  constructor(
    text: string,
    instant = Date.parse(/(?:Z|[+-]\d\d:\d\d)$/.test(text) ? text : `${text}Z`),
  ) {
    super(instant);
    if (!DATE_TIME.test(text) || Number.isNaN(instant))
      throw new TypeError(`${JSON.stringify(text)} is no dateTime such as 2024-12-31T23:59:59.`);
    this.text = text;
    this.#instant = instant;
  }

  /** Its text on the wire; `undefined` once a method has set another instant. */
  get exact(): string | undefined {
    return this.getTime() === this.#instant ? this.text : undefined;
  }
}

/** The value of a text that was read as an instant: a Date says all that it says, or a {@link DateTime} keeps it. */
export function dateOf(text: string, instant: number): Date {
  return INSTANT.test(text) || !DATE_TIME.test(text)
    ? new Date(instant)
    : new DateTime(text, instant);
}
