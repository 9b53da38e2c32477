/** The source of a text: the content of a SOAP element, or a value of GET, POST or JSON. */
export type BindingForm = 'element' | 'text';

/** The context for parsing a text. */
export interface LexicalContext {
  readonly form: BindingForm;
  /** IANA name of the zone for dates and times that have none. */
  readonly timeZone: string;
  /** The clock, ms since 1970-01-01T00:00:00Z: a time without a date is today's. */
  readonly now: () => number;
  /**
   * Dates that mean "not given", as `Element.notGiven` of the contract has them; none when absent.
   */
  readonly notGiven?: readonly string[];
  /**
   * Whether facets are passed over, such as a length or a pattern: in answers of servers, which
   * nobody here can mend.
   */
  readonly passesFacets?: boolean;
  /**
   * What a prefix means where the text stands, `''` for the default namespace; `undefined` when it
   * is not declared. Absent where there are no prefixes: in forms and JSON.
   */
  readonly namespaceOf?: (prefix: string) => string | undefined;
}

/**
 * Writes a name, in a namespace or `''` for none, as a name with a prefix that is declared where
 * the text will stand.
 */
export type WriteName = (namespace: string, local: string) => string;
