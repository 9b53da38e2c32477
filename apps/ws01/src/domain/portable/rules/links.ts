import { createHash } from 'node:crypto';
import type { Kysely } from 'kysely';
import { keyOf } from '../../../store/bulk.ts';
import type { Tables } from '../../../store/tables/tables.ts';
import { hashRequest } from '../../links/links.ts';
import type { Row } from '../record.ts';

/**
 * A request is answered by one live link. An old service may have given it several codes: the first answers from now on,
 * the others only lead to their target.
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
    if (live.has(hash)) row.request_hash = digest(`${row.code} ${hash}`);
    live.add(hash);
  }
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
