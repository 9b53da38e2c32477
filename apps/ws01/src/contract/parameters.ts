import type { Operation, Parameter } from '@ws01/asmx/contract';

/** The scopes of the contract's operations. */
export const OPERATION_SCOPES = ['articles', 'adverts', 'users', 'phone', 'counts', 'images', 'mail'] as const;

/**
 * The scopes a credential can have. `read` and `manage` are those of the HTTP API beyond the contract: to see everything
 * that is stored, and to change what no operation does. Nobody has them who was not given them by name.
 */
export const SCOPES = [...OPERATION_SCOPES, 'read', 'manage'] as const;
export type Scope = (typeof SCOPES)[number];

/** The parameters that carry a credential (contract 5). */
type CredentialParameter = 'token' | 'tokenId' | 'verifyCode' | 'authorizationUserId';

/** An operation of this service: what the wire needs, and who may call it. */
export interface Ws01Operation extends Operation {
  /** The parameter that carries the credential, and the scope it must have; `undefined` for open operations. */
  readonly access: { readonly credential: CredentialParameter; readonly scope: Scope } | undefined;
  /** Whether it may change what is stored, or has something sent. */
  readonly writes: boolean;
}

/** Longest values, in code points (semantics 2). */
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

/** A string parameter. `maxLength` (code points) is left out where a value is no plain text but has its own form. */
export function text<const Name extends string>(
  name: Name,
  documentation: string,
  sample: string,
  maxLength?: number,
): Text<Name> {
  return { name, type: 'string', documentation, sample, ...(maxLength === undefined ? {} : { maxLength }) };
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

/** A phone number; a `+` that was not percent-encoded in a form is understood. */
export function phoneNumber<const Name extends string>(
  name: Name,
  documentation: string,
): Text<Name> & { unencodedPlus: 'leading' } {
  return { ...text(name, documentation, '+12125550100'), unencodedPlus: 'leading' };
}

/** A parameter that carries a credential: text that no log ever shows. */
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

/** A parameter of one of the other types. */
export function typed<const Name extends string, const Type extends 'int' | 'boolean' | 'dateTime' | 'base64Binary'>(
  name: Name,
  type: Type,
  documentation: string,
  sample: string,
): Parameter & { readonly name: Name; readonly type: Type } {
  return { name, type, documentation, sample };
}

export const SAMPLE_GUID = '0f8fad5b-d9cb-469f-a165-70867728950e';
export const SAMPLE_USER = 'u-1001';
