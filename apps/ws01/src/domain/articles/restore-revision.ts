import type { Kysely } from 'kysely';
import { Ws01Error } from '../../contract/errors.ts';
import { say } from '../../contract/sentence.ts';
import type { Instant, Tables } from '../../store/tables/tables.ts';
import { type Actor, doneBy, recordAudit } from '../audit/audit.ts';
import { ensureCategoryExists } from '../shared/existing-keys.ts';
import { CONTENT_COLUMNS, isSameContent } from './content.ts';
import { keepRevision, lockStandingArticle, replaceContent } from './rows.ts';

/**
 * Restores the content of a revision as the newest: the current content becomes a revision, and no history is lost.
 * Holds and removals by moderators are kept.
 * @returns whether anything changed; not when it says so now.
 * @throws {Ws01Error} `NotFound`; `InvalidParameter` for an article in the trash.
 */
export async function restoreRevision(
  tx: Kysely<Tables>,
  { guid, revision, by, reason, at }: RestoreCall,
): Promise<boolean> {
  const [present, images] = await lockStandingArticle(tx, guid);
  if (revision === present.revision) return false;
  const content = await tx
    .selectFrom('article_revisions')
    .select(CONTENT_COLUMNS)
    .where('article_guid', '=', guid)
    .where('revision', '=', revision)
    .executeTakeFirst();
  if (content === undefined) {
    throw new Ws01Error(
      'NotFound',
      say`The article ${{ key: guid }} has no revision ${{ revision }}.`,
      {
        parameter: 'revision',
      },
    );
  }
  if (isSameContent(present, content)) return false;
  await ensureCategoryExists(tx, content.category_key, at);
  keepRevision.send(tx, { guid, recorded_at: at });
  const writer = { ip: by.address || null, claimed_ip: null, token_id: by.tokenId ?? null };
  await replaceContent(tx, { guid, ...content, ...writer, updated_at: at }, present, images);
  await recordAudit(tx, {
    at,
    ...doneBy(by),
    action: 'article.replace',
    target: { kind: 'article', key: guid },
    details: {
      revision: present.revision + 1,
      restored: revision,
      ...(reason === undefined ? {} : { reason }),
    },
  });
  return true;
}

interface RestoreCall {
  readonly guid: string;
  readonly revision: number;
  readonly by: Actor;
  readonly reason: string | undefined;
  readonly at: Instant;
}
