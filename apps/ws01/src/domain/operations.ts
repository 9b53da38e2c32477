import type { ReceivedFile } from '../adapters/files/spool.ts';
import { Ws01Error } from '../contract/errors.ts';
import type { OperationHandlers } from '../contract/service.ts';
import { StoreError } from '../store/errors.ts';
import { type AdvertParts, advertOperations } from './adverts/operations.ts';
import { type ArticleParts, articleOperations } from './articles/operations.ts';
import type { CallContext } from './context.ts';
import { type CountParts, countOperations } from './counts/operations.ts';
import { type ImageParts, imageOperations } from './images/operations.ts';
import { type LinkOperationParts, linkOperations } from './links/operations.ts';
import { mailOperations } from './mail/operations.ts';
import type { MailParts } from './mail/send.ts';
import { type PhoneParts, phoneOperations } from './phone/operations.ts';
import { type ReviewParts, reviewOperations } from './reviews/operations.ts';
import { type UserParts, userOperations } from './users/operations.ts';

/** What the operations work with. */
export type OperationParts = ArticleParts &
  AdvertParts &
  ImageParts &
  UserParts &
  PhoneParts &
  MailParts &
  LinkOperationParts &
  CountParts &
  ReviewParts;

/** Every operation of the contract, each from its own area. */
export function createOperations(parts: OperationParts): OperationHandlers<CallContext, ReceivedFile> {
  return {
    ...articleOperations(parts),
    ...advertOperations(parts),
    ...imageOperations(parts),
    ...userOperations(parts),
    ...phoneOperations(parts),
    ...mailOperations(parts),
    ...linkOperations(parts),
    ...countOperations(parts),
    ...reviewOperations(parts),
  };
}

/** The code of a failure of the store; `undefined` for anything else. */
export function translateStoreError(error: unknown): Ws01Error | undefined {
  if (!(error instanceof StoreError)) return undefined;
  if (error.kind === 'busy') {
    return new Ws01Error('Busy', 'The server is busy and did nothing; try again.', { cause: error });
  }
  const message = 'Nothing can be stored or read now and nothing was done; try again later.';
  return new Ws01Error('StorageUnavailable', message, { cause: error });
}
