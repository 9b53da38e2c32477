import {
  credential,
  instant,
  noDates,
  string,
  type TextField,
  unencodedPlus,
} from '@ws01/asmx/contract';

/** The scopes of the contract's operations. */
export const OPERATION_SCOPES = [
  'articles',
  'adverts',
  'users',
  'phone',
  'counts',
  'images',
  'mail',
] as const;

/**
 * The scopes that a credential can have. `read` and `manage` are for the HTTP API: `read` shows all
 * stored data, and `manage` allows changes that no operation makes. A credential has these two only
 * if they were granted by name.
 */
export const SCOPES = [...OPERATION_SCOPES, 'read', 'manage'] as const;
export type Scope = (typeof SCOPES)[number];

/** Maximum lengths of values, in code points (semantics 2). */
export const LENGTHS = {
  key: 64,
  caption: 200,
  content: 2_000_000,
  detail: 20_000,
  linkText: 200,
  url: 2_048,
  contactPhone: 40,
  name: 100,
  zip: 20,
  place: 100,
  address: 200,
  subject: 255,
  mailBody: 256 * 1024,
  mark: 2_000,
  query: 200,
  category: 100,
} as const;

/**
 * A text. Leave out `maxLength` (code points) for a value with a form of its own, such as a key.
 */
export function text(documentation: string, sample: string, maxLength?: number): TextField {
  const said = string.describe(documentation).sample(sample);
  return maxLength === undefined ? said : said.max(maxLength);
}

/** A text of one line: no CR, LF or TAB. */
export function line(documentation: string, sample: string, maxLength: number): TextField {
  return text(documentation, sample, maxLength).line();
}

/** A phone number. A `+` that a form did not percent-encode is still read as `+`. */
export function phoneNumber(documentation: string) {
  return unencodedPlus(text(documentation, '+12125550100'), 'leading');
}

/** The text of a token that has a scope; it is never logged. */
export function tokenFor(scope: Scope) {
  return credential(text(`Credential with the scope "${scope}".`, 'ws1_your-token'), scope);
}

/**
 * What means "no date" (semantics 2): the first second of .NET's DateTime and of SQL Server's
 * smalldatetime; any time of SQL Server's first day, of day 0 of OLE Automation, and of MySQL's
 * zero.
 */
export const NO_DATES = [
  '0001-01-01T00:00:00',
  '1900-01-01T00:00:00',
  '1753-01-01',
  '1899-12-30',
  '0000-00-00',
] as const;

/** A date that need not be given: {@link NO_DATES} count as none. */
export function date(documentation: string, sample: string) {
  return noDates(instant.describe(documentation).sample(sample), NO_DATES);
}

export const SAMPLE_GUID = '0f8fad5b-d9cb-469f-a165-70867728950e';
export const SAMPLE_USER = 'u-1001';
