import { Ws01Error } from '../contract/errors.ts';
import { entityTag } from '../failure/answer-headers.ts';
import type { Shown } from '../records/record.ts';
import { itemOf, type Kind } from './kind.ts';
import type { Principal } from './principal.ts';
import { Raw } from './route.ts';

/**
 * The version of a record, as its `ETag`: a hash of those members that the caller may read. A time
 * alone would not do: two changes in a millisecond have the same. Members that the caller may not
 * read are left out: otherwise the caller could guess a hidden value, make the hash of the guess,
 * and see by comparing whether it is right.
 */
export function versionOf<Row>(
  { fields }: Pick<Kind<Row>, 'fields'>,
  row: Row,
  shown: Shown,
  reader: Pick<Principal, 'kind' | 'role'>,
): string {
  const versioned = Object.entries(fields).filter(([, { isVersioned }]) => isVersioned);
  return etagOf([itemOf(Object.fromEntries(versioned), row, shown, reader, true)]);
}

/** The `ETag` of a version, made of all that it is. */
export function etagOf(values: readonly unknown[]): string {
  return entityTag(JSON.stringify(values));
}

/** An answer about a record, with the version of it as its `ETag`, if there is a record. */
export function withVersion(answer: object, version: string | undefined): object {
  return version === undefined
    ? answer
    : new Raw(JSON.stringify(answer), 'application/json', { ETag: version });
}

/**
 * Checks the version that a caller read, as `If-Match` names it (RFC 9110, 13.1.1).
 * @throws {Ws01Error} `AlreadyExists` with the parameter `If-Match`: HTTP answers it with 412.
 */
export function assertVersion(ifMatch: string | undefined, version: string | undefined): void {
  if (ifMatch === undefined || version === undefined || ifMatch.trim() === '*') return;
  if (ifMatch.split(',').some((tag) => tag.trim() === version)) return;
  const message = 'The record was changed since the version of If-Match; read it again.';
  throw new Ws01Error('AlreadyExists', message, { parameter: 'If-Match' });
}
