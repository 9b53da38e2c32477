/** A dateTime as XML Schema writes it. */
const DATE_TIME = /^-?\d{4,}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)?$/;

/**
 * A Date with the text that it has on the wire: .NET's DateTime says whether it is in UTC, at an
 * offset or in no zone, to a tenth of a µs, and DateTimeOffset says its offset. Handlers get one
 * wherever a text says more than an instant, and it is written as it was read. One of your own:
 * `new DateTime('2024-12-31T00:00:00')`, in no zone.
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

/**
 * The value of a text that was read as an instant: a Date says all that it says, or a
 * {@link DateTime} keeps it.
 */
export function dateOf(text: string, instant: number): Date {
  return isInstant(text) || !DATE_TIME.test(text) ? new Date(instant) : new DateTime(text, instant);
}

const HYPHEN = 0x2d;
const LETTER_Z = 0x5a;

/**
 * Whether a dateTime is written again of its instant alone: in UTC, of a year of four digits, to
 * the ms. So long a text has no room for anything else, and one that is no dateTime has no text to
 * keep.
 */
function isInstant(text: string): boolean {
  const { length } = text;
  return (
    length >= '2024-02-29T12:00:00Z'.length &&
    length <= '2024-02-29T12:00:00.000Z'.length &&
    text.charCodeAt(4) === HYPHEN &&
    text.charCodeAt(length - 1) === LETTER_Z
  );
}
