/** The source of a text: the content of a SOAP element, or a value of GET, POST or JSON. */
export type BindingForm = 'element' | 'text';

/** The context for parsing a text. */
export interface LexicalContext {
  readonly form: BindingForm;
  /** IANA name of the zone for dates and times that have none. */
  readonly timeZone: string;
  /** The clock, ms since 1970-01-01T00:00:00Z: a time without a date is today's. */
  readonly now: () => number;
}
