import type { Kysely } from 'kysely';
import { prepare } from '../../store/prepared.ts';
import type { Tables } from '../../store/tables/tables.ts';

/**
 * Whether a user would review something of their own (semantics 5.13): the record of any kind that has the key, in the
 * trash or not, or the user themselves.
 */
export async function ownsRecord(db: Kysely<Tables>, userId: string, key: string): Promise<boolean> {
  return key === userId || (await ownRecord.first(db, { owner: userId, guid: key })) !== undefined;
}

const ownRecord = prepare((db, { owner, guid }: { owner: string; guid: string }) =>
  db
    .selectFrom('articles')
    .select('guid')
    .where('guid', '=', guid)
    .where('owner', '=', owner)
    .unionAll(db.selectFrom('adverts').select('guid').where('guid', '=', guid).where('owner', '=', owner))
    .unionAll(db.selectFrom('images').select('guid').where('guid', '=', guid).where('owner', '=', owner)),
);
