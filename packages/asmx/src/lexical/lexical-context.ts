/** Where a text came from: the content of a SOAP element, or the text of a GET, POST or JSON value. */
export type BindingForm = 'element' | 'text';

/** What a text's value depends on besides the text. */
export interface LexicalContext {
  readonly form: BindingForm;
  /** IANA name of the zone in which a date or time without one is meant. */
  readonly timeZone: string;
  /** The clock, ms since 1970-01-01T00:00:00Z: a time without a date is today's. */
  readonly now: () => number;
}
