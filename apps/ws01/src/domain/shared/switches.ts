import type { Kysely } from 'kysely';
import { prepare } from '../../store/prepared.ts';
import type { Instant, Tables } from '../../store/tables/tables.ts';

/** @returns since when something is switched off, on every node; `undefined` when it is on. */
export async function offSince(db: Kysely<Tables>, name: string): Promise<Instant | undefined> {
  return (await switchOf.first(db, { name }))?.off_since;
}

/** Returns the names of all that is switched off. */
export async function allOff(db: Kysely<Tables>): Promise<ReadonlySet<string>> {
  const rows = await switchesOff.all(db, {});
  return new Set(rows.map(({ name }) => name));
}

/**
 * Switches something off or on. It is stored, so it holds on every node from now on.
 * @returns whether that changed anything.
 */
export async function switchTo(
  tx: Kysely<Tables>,
  name: string,
  to: 'on' | 'off',
  now: Instant,
): Promise<boolean> {
  const changed =
    to === 'off'
      ? await switchOff.run(tx, { name, off_since: now })
      : await switchOn.run(tx, { name });
  return changed !== 0;
}

const switchOf = prepare((db, { name }: { name: string }) =>
  db.selectFrom('switches').select('off_since').where('name', '=', name),
);

const switchesOff = prepare((db) => db.selectFrom('switches').select('name').orderBy('name'));

const switchOff = prepare((db, row: { name: string; off_since: Instant }) =>
  db
    .insertInto('switches')
    .values({ name: row.name, off_since: row.off_since })
    .onConflict((conflict) => conflict.column('name').doNothing()),
);

const switchOn = prepare((db, { name }: { name: string }) =>
  db.deleteFrom('switches').where('name', '=', name),
);
