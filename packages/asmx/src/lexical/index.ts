/**
 * The entry `./lexical`: the lexical forms of all bindings, conversion between texts on the wire
 * and values of the XML Schema types. Every binding accepts the union of ASP.NET's SOAP and
 * GET/POST grammars and the leniency of semantics 2; only booleans are stricter in SOAP elements. A
 * missing or empty int is `0`, boolean `false`, dateTime `undefined`. base64Binary is not here,
 * because it is decoded as a stream while the request is read.
 * @packageDocumentation
 */

export { parseBoolean } from './boolean.ts';
export { formatInstant, parseDateText, parseDateTime } from './date-time.ts';
export type { BindingForm, LexicalContext } from './lexical-context.ts';
export { LexicalError } from './lexical-error.ts';
export { parseInt32 } from './numbers.ts';
export { checkText } from './texts.ts';
