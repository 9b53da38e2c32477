import type { Kysely } from 'kysely';
import { columns, prepare } from '../../store/prepared.ts';
import { lockRows } from '../../store/row-lock.ts';
import type { LinksTable, LinkVisitsTable, Tables } from '../../store/tables/tables.ts';

/** Queries of short links. */

const LINK_COLUMNS = [
  'code',
  'target',
  'deadline',
  'created_at',
  'disabled_at',
] as const satisfies (keyof LinksTable)[];

/**
 * Creates a link, unless its code is in use or an equal request has a live link; changes one row or
 * none.
 */
export const insertLink = prepare((db, row: Omit<LinksTable, 'disabled_at'>) =>
  db
    .insertInto('links')
    .values({
      ...columns(row, 'code target user_id user_email deadline request_hash created_at'),
      disabled_at: null,
    })
    .onConflict((conflict) => conflict.doNothing()),
);

/** The link of a request, unless it is disabled. */
export const linkByRequest = prepare((db, row: Pick<LinksTable, 'request_hash'>) =>
  db
    .selectFrom('links')
    .select('code')
    .where('request_hash', '=', row.request_hash)
    .where('disabled_at', 'is', null),
);

export const linkByCode = prepare((db, row: Pick<LinksTable, 'code'>) =>
  db.selectFrom('links').select(LINK_COLUMNS).where('code', '=', row.code),
);

/** Disables a link; changes no row if it is already disabled or does not exist. */
export const setDisabled = prepare((db, row: { code: string; disabled_at: number }) =>
  db
    .updateTable('links')
    .set({ disabled_at: row.disabled_at })
    .where('code', '=', row.code)
    .where('disabled_at', 'is', null),
);

/** Enables a disabled link. */
export const clearDisabled = prepare((db, row: { code: string }) =>
  db.updateTable('links').set({ disabled_at: null }).where('code', '=', row.code),
);

/** Gives a link another target or end; its code stays. */
export const updateLink = prepare(
  (db, row: Pick<LinksTable, 'code' | 'target' | 'deadline' | 'request_hash'>) =>
    db
      .updateTable('links')
      .set({ target: row.target, deadline: row.deadline, request_hash: row.request_hash })
      .where('code', '=', row.code),
);

/** What a link was asked for with, locked until the write ends. */
export const requestOfLink = prepare((db, row: Pick<LinksTable, 'code'>) =>
  db
    .selectFrom('links')
    .select(['request_hash', 'disabled_at', 'target', 'deadline', 'user_id'])
    .where('code', '=', row.code)
    .$call(lockRows(db)),
);

/** Largest number of rows in one statement. */
const BATCH = 500;

/** Adds visits to the counts of links and days. @param counts at most one of a link and a day. */
export async function addVisits(
  tx: Kysely<Tables>,
  counts: readonly LinkVisitsTable[],
): Promise<void> {
  for (let start = 0; start < counts.length; start += BATCH) {
    await tx
      .insertInto('link_visits')
      .values(counts.slice(start, start + BATCH))
      .onConflict((conflict) =>
        conflict.columns(['code', 'day']).doUpdateSet((eb) => ({
          visits: eb('link_visits.visits', '+', eb.ref('excluded.visits')),
          bots: eb('link_visits.bots', '+', eb.ref('excluded.bots')),
          heads: eb('link_visits.heads', '+', eb.ref('excluded.heads')),
        })),
      )
      .execute();
  }
}
