import type { Kysely } from 'kysely';
import { Ws01Error } from '../../contract/errors.ts';
import { say } from '../../contract/sentence.ts';
import type { Tables } from '../../store/tables/tables.ts';
import { CONTENT_COLUMNS } from './content.ts';
import { type RevisionCall, reviseArticle } from './revise.ts';

/**
 * Restores the content of a revision as the newest.
 * @returns whether anything changed; not when it says so now.
 * @throws {Ws01Error} `NotFound`; `InvalidParameter` for an article in the trash.
 */
export function restoreRevision(
  tx: Kysely<Tables>,
  { revision, ...call }: RevisionCall & { readonly revision: number },
): Promise<boolean> {
  const next = async (present: { readonly revision: number }) => {
    if (revision === present.revision) return undefined;
    const content = await tx
      .selectFrom('article_revisions')
      .select(CONTENT_COLUMNS)
      .where('article_guid', '=', call.guid)
      .where('revision', '=', revision)
      .executeTakeFirst();
    if (content === undefined) {
      throw new Ws01Error(
        'NotFound',
        say`The article ${{ key: call.guid }} has no revision ${{ revision }}.`,
        { parameter: 'revision' },
      );
    }
    return content;
  };
  return reviseArticle(tx, call, { next, action: 'replace', details: { restored: revision } });
}
