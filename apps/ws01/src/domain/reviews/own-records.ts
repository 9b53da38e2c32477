import type { Kysely } from 'kysely';
import { prepare } from '../../store/prepared.ts';
import type { Tables } from '../../store/tables/tables.ts';

/**
 * Whether a key is a record of the user, of any kind and also in the trash, or the user themselves; nobody may review
 * their own records (semantics 5.13).
 */
export async function ownsRecord(
  db: Kysely<Tables>,
  userId: string,
  key: string,
): Promise<boolean> {
  return key === userId || (await ownRecord.first(db, { owner: userId, guid: key })) !== undefined;
}

const ownRecord = prepare((db, { owner, guid }: { owner: string; guid: string }) =>
  db
    .selectFrom('articles')
    .select('guid')
    .where('guid', '=', guid)
    .where('owner', '=', owner)
    .unionAll(
      db.selectFrom('adverts').select('guid').where('guid', '=', guid).where('owner', '=', owner),
    )
    .unionAll(
      db.selectFrom('images').select('guid').where('guid', '=', guid).where('owner', '=', owner),
    ),
);
