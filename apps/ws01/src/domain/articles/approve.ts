import type { Kysely } from 'kysely';
import { Ws01Error } from '../../contract/errors.ts';
import { say } from '../../contract/sentence.ts';
import type { Tables } from '../../store/tables/tables.ts';
import { type RevisionCall, reviseArticle } from './revise.ts';

/** The `Status` of an article that is published, and of one that waits for approval. */
const STATUS = { publish: 0, pend: 2 } as const;

/**
 * Publishes an article that waits for approval, or has a published one wait again. Its content
 * becomes a revision, as with every change of it, and its author stays who wrote it.
 * @returns whether anything changed.
 * @throws {Ws01Error} `NotFound`; `InvalidParameter` for an article in the trash, or one that its
 *   author keeps as a draft or hidden.
 */
export function approveArticle(
  tx: Kysely<Tables>,
  call: RevisionCall,
  verb: keyof typeof STATUS,
): Promise<boolean> {
  return reviseArticle(tx, call, {
    action: verb,
    isStillAuthors: true,
    next: (present) => {
      const { status } = present;
      if (status === 1 || status === 3) {
        throw new Ws01Error(
          'InvalidParameter',
          say`The article ${{ key: call.guid }} is kept from the public by its author.`,
        );
      }
      return (status === STATUS.pend) === (verb === 'pend')
        ? undefined
        : { ...present, status: STATUS[verb] };
    },
  });
}
