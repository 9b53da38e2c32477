/**
 * The one place for lexical forms: how the texts of the wire become values of the XML Schema types, and back. What is
 * accepted is the union of ASP.NET's SOAP and GET/POST grammars and the leniency of semantics 2, in every binding
 * alike; only booleans are narrower in SOAP elements. A missing or empty int is `0`, boolean `false`, dateTime
 * `undefined`; base64Binary is decoded as a stream while the request is read, and so is not here.
 */

export { parseBoolean } from './boolean.ts';
export { formatInstant, parseDateText, parseDateTime } from './date-time.ts';
export { parseInt32 } from './int.ts';
export type { BindingForm, LexicalContext } from './lexical-context.ts';
export { LexicalError } from './lexical-error.ts';
export { checkText } from './text.ts';
