import { Ws01Error } from '../contract/errors.ts';
import { entityTag } from '../failure/answer-headers.ts';
import type { Instant } from '../store/tables/tables.ts';
import type { Kind } from './kind.ts';
import { Raw } from './route.ts';

/**
 * The version of a record, as its `ETag`: when it was changed last, or what of it an edit changes;
 * `undefined` for a kind
 * that does not say.
 */
export function versionOf<Row>(
  { edited }: Pick<Kind<Row>, 'edited'>,
  row: Row,
): string | undefined {
  if (edited !== undefined) return etagOf(edited.map((column) => row[column]));
  const at = (row as { readonly updated_at?: Instant | null }).updated_at;
  return at === undefined || at === null ? undefined : `"${new Date(Number(at)).toISOString()}"`;
}

/** The `ETag` of a version, made of what an edit changes. */
export function etagOf(values: readonly unknown[]): string {
  return entityTag(JSON.stringify(values));
}

/** An answer about a record, with the version of it as its `ETag`, if there is one. */
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
