import type { Kysely } from 'kysely';
import { Ws01Error } from '../../contract/errors.ts';
import { say } from '../../contract/sentence.ts';
import type { Instant, Tables } from '../../store/tables/tables.ts';
import { type Actor, doneBy, recordAudit } from '../audit/audit.ts';
import { CONTENT_COLUMNS } from './content.ts';
import { keepRevision, lockArticles, lockStandingArticle, replaceContent } from './rows.ts';

/** The `Status` of an article that is published, and of one that waits for approval. */
const STATUS = { publish: 0, pend: 2 } as const;

interface ApprovalCall {
  readonly guid: string;
  readonly by: Actor;
  readonly at: Instant;
}

/**
 * Publishes an article that waits for approval, or has a published one wait again. Its content becomes a revision, as with
 * every change of it, and its author stays who wrote it.
 * @returns whether anything changed.
 * @throws {Ws01Error} `NotFound`; `InvalidParameter` for an article in the trash, or one that its author keeps as a draft or
 *   hidden.
 */
export async function approveArticle(
  tx: Kysely<Tables>,
  { guid, by, at }: ApprovalCall,
  verb: keyof typeof STATUS,
): Promise<boolean> {
  const [present, images] = await lockStandingArticle(tx, guid);
  const { status } = present;
  if (status === 1 || status === 3) {
    throw new Ws01Error(
      'InvalidParameter',
      say`The article ${{ key: guid }} is kept from the public by its author.`,
    );
  }
  if ((status === STATUS.pend) === (verb === 'pend')) return false;
  const [writer] = await lockArticles(tx, [guid]);
  keepRevision.send(tx, { guid, recorded_at: at });
  const content = Object.fromEntries(
    CONTENT_COLUMNS.map((column) => [column, present[column]]),
  ) as Pick<typeof present, (typeof CONTENT_COLUMNS)[number]>;
  const { ip, claimed_ip, token_id } = writer!;
  const row = { guid, ...content, status: STATUS[verb], ip, claimed_ip, token_id, updated_at: at };
  await replaceContent(tx, row, present, images);
  await recordAudit(tx, {
    at,
    ...doneBy(by),
    action: `article.${verb}`,
    target: { kind: 'article', key: guid },
    details: { revision: present.revision + 1 },
  });
  return true;
}
