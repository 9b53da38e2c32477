/**
 * The one place for lexical forms: how the texts of the wire become values of the five XML Schema types, and back.
 * What is accepted is the union of ASP.NET's SOAP and GET/POST grammars and the leniency of semantics 2, in every
 * binding alike; only booleans are narrower in SOAP elements. A missing or empty int is `0`, boolean `false`, dateTime
 * `undefined`.
 */

import type { XsdType } from './service.ts';
import { parseBoolean } from './xsd/boolean.ts';
import { parseDateTime } from './xsd/date-time.ts';
import { parseInt32 } from './xsd/int.ts';
import type { LexicalContext } from './xsd/lexical-context.ts';

export { parseBoolean } from './xsd/boolean.ts';
export { formatInstant, parseDateText, parseDateTime } from './xsd/date-time.ts';
export { parseInt32 } from './xsd/int.ts';
export type { BindingForm, LexicalContext } from './xsd/lexical-context.ts';
export { LexicalError } from './xsd/lexical-error.ts';
export { checkText } from './xsd/text.ts';

/** One XML Schema type on the wire. */
interface LexicalType {
  /** How ASP.NET's error texts name the type. */
  readonly clrName: string;
  /** The value of a text. @throws {LexicalError} */
  readonly parse: (text: string, context: LexicalContext) => string | number | boolean | undefined;
}

/**
 * The five types. Text is taken as it stands ({@link checkText} says which text a parameter allows); base64Binary is
 * decoded as a stream while the request is read, so that its text never comes here whole.
 */
export const XSD_TYPES: Readonly<Record<XsdType, LexicalType>> = {
  string: { clrName: 'System.String', parse: (text) => text },
  int: { clrName: 'System.Int32', parse: parseInt32 },
  boolean: { clrName: 'System.Boolean', parse: (text, context) => parseBoolean(text, context.form) },
  dateTime: { clrName: 'System.DateTime', parse: parseDateTime },
  base64Binary: { clrName: 'System.Byte', parse: (text) => text },
};
