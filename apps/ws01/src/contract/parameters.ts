import type { Operation, Parameter } from '@ws01/asmx/contract';

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
 * The scopes that a credential can have. `read` and `manage` are for the HTTP API: `read` shows all stored data, and
 * `manage` allows changes that no operation makes. A credential has these two only if they were granted by name.
 */
export const SCOPES = [...OPERATION_SCOPES, 'read', 'manage'] as const;
export type Scope = (typeof SCOPES)[number];

/** The parameters that carry a credential (contract 5). */
type CredentialParameter = 'token' | 'tokenId' | 'verifyCode' | 'authorizationUserId';

/** An operation of this service: its wire format, and who may call it. */
export interface Ws01Operation extends Operation {
  /** The parameter that carries the credential, and the scope it must have; `undefined` for open operations. */
  readonly access: { readonly credential: CredentialParameter; readonly scope: Scope } | undefined;
  /** Whether it may change stored data or send a message. */
  readonly writes: boolean;
}

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

type Text<Name extends string> = Parameter & { readonly name: Name; readonly type: 'string' };

/** A string parameter. Leave out `maxLength` (code points) for a value with a form of its own, such as a key. */
export function text<const Name extends string>(
  name: Name,
  documentation: string,
  sample: string,
  maxLength?: number,
): Text<Name> {
  return {
    name,
    type: 'string',
    documentation,
    sample,
    ...(maxLength === undefined ? {} : { maxLength }),
  };
}

/** A string parameter of one line: no CR, LF or TAB. */
export function line<const Name extends string>(
  name: Name,
  documentation: string,
  sample: string,
  maxLength: number,
): Text<Name> & { singleLine: true } {
  return { name, type: 'string', documentation, sample, maxLength, singleLine: true };
}

/** A phone number. A `+` that a form did not percent-encode is still read as `+`. */
export function phoneNumber<const Name extends string>(
  name: Name,
  documentation: string,
): Text<Name> & { unencodedPlus: 'leading' } {
  return { ...text(name, documentation, '+12125550100'), unencodedPlus: 'leading' };
}

/** A parameter that carries a credential; its value is never logged. */
export function credential<const Name extends CredentialParameter>(
  name: Name,
  scope: Scope,
): Text<Name> & { secret: true; credential: true } {
  return {
    name,
    type: 'string',
    documentation: `Credential with the scope "${scope}".`,
    sample: 'ws1_your-token',
    secret: true,
    credential: true,
  };
}

/**
 * What means "no date" (semantics 2): the first second of .NET's DateTime and of SQL Server's smalldatetime; any time of
 * SQL Server's first day, of day 0 of OLE Automation, and of MySQL's zero.
 */
export const NO_DATES = [
  '0001-01-01T00:00:00',
  '1900-01-01T00:00:00',
  '1753-01-01',
  '1899-12-30',
  '0000-00-00',
] as const;

/** A date that need not be given: {@link NO_DATES} count as none. */
export function date<const Name extends string>(
  name: Name,
  documentation: string,
  sample: string,
): Parameter & { readonly name: Name; readonly type: 'dateTime' } {
  return { name, type: 'dateTime', documentation, sample, notGiven: NO_DATES };
}

/** A parameter of another type. */
export function typed<
  const Name extends string,
  const Type extends 'int' | 'boolean' | 'base64Binary',
>(
  name: Name,
  type: Type,
  documentation: string,
  sample: string,
): Parameter & { readonly name: Name; readonly type: Type } {
  return { name, type, documentation, sample };
}

export const SAMPLE_GUID = '0f8fad5b-d9cb-469f-a165-70867728950e';
export const SAMPLE_USER = 'u-1001';
