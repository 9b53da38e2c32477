import type { Kysely } from 'kysely';
import { Ws01Error } from '../../contract/errors.ts';
import { say } from '../../contract/sentence.ts';
import type { Tables } from '../../store/tables/tables.ts';

/** Whether a user exists, registered or not. */
export async function userExists(db: Kysely<Tables>, id: string): Promise<boolean> {
  const found = await db.selectFrom('users').select('id').where('id', '=', id).executeTakeFirst();
  return found !== undefined;
}

/** @throws {Ws01Error} `NotFound` */
export async function assertUserExists(db: Kysely<Tables>, id: string): Promise<void> {
  if (!(await userExists(db, id))) throw userNotFound(id);
}

export function userNotFound(id: string): Ws01Error {
  return new Ws01Error('NotFound', say`There is no ${{ kind: 'user' }} ${{ key: id }}.`, {
    parameter: 'id',
  });
}
