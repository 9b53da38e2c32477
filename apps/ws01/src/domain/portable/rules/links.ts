import { createHash } from 'node:crypto';
import type { Kysely } from 'kysely';
import { keyOf } from '../../../store/bulk.ts';
import type { Tables } from '../../../store/tables/tables.ts';
import { hashRequest } from '../../links/links.ts';
import type { Row } from '../record.ts';

/**
 * A request is answered by one live link. An old service may have given it several codes: the first
 * answers from now on, the others only lead to their target.
 */
export async function deriveLinks(tx: Kysely<Tables>, rows: readonly Row[]): Promise<void> {
  for (const row of rows) row.request_hash = requestHash(row);
  const taken = await tx
    .selectFrom('links')
    .select('request_hash')
    .where(
      'request_hash',
      'in',
      rows.map(({ request_hash }) => request_hash as Uint8Array),
    )
    .where('disabled_at', 'is', null)
    .execute();
  const live = new Set(taken.map((row) => keyOf(row, ['request_hash'])));
  for (const row of rows) {
    if (row.disabled_at !== null) continue;
    const hash = keyOf(row, ['request_hash']);
    if (live.has(hash)) row.request_hash = ownHash(row);
    live.add(hash);
  }
}

/** As {@link deriveLinks} for a link that takes the place of the stored one of its code. */
export async function deriveReplaced(tx: Kysely<Tables>, row: Row): Promise<void> {
  row.request_hash = requestHash(row);
  const other = await tx
    .selectFrom('links')
    .select('code')
    .where('request_hash', '=', row.request_hash)
    .where('code', '!=', row.code as string)
    .where('disabled_at', 'is', null)
    .executeTakeFirst();
  if (other !== undefined && row.disabled_at === null) row.request_hash = ownHash(row);
}

/** The hash of a link that does not answer its request. */
function ownHash(row: Row): Uint8Array {
  return digest(`${row.code} ${keyOf(row, ['request_hash'])}`);
}

function requestHash({ user_id, target, deadline }: Row): Uint8Array {
  return hashRequest({
    userId: (user_id as string | null) ?? undefined,
    target: target as string,
    deadline: (deadline as number | null) ?? undefined,
  });
}

function digest(text: string): Uint8Array {
  return new Uint8Array(createHash('sha256').update(text).digest());
}
