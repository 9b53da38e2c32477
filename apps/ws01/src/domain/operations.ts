import type { ReceivedFile } from '../adapters/files/spool.ts';
import type { OperationHandlers } from '../contract/service.ts';
import { type AdvertDeps, advertOperations } from './adverts/operations.ts';
import { type ArticleDeps, articleOperations } from './articles/operations.ts';
import type { CallContext } from './context.ts';
import { type CountDeps, countOperations } from './counts/operations.ts';
import { type ImageDeps, imageOperations } from './images/operations.ts';
import { type LinkOperationDeps, linkOperations } from './links/operations.ts';
import { mailOperations } from './mail/operations.ts';
import type { MailDeps } from './mail/send.ts';
import { type PhoneDeps, phoneOperations } from './phone/operations.ts';
import { type ReviewDeps, reviewOperations } from './reviews/operations.ts';
import { type UserDeps, userOperations } from './users/operations.ts';

/** What the operations work with. */
type OperationDeps = ArticleDeps &
  AdvertDeps &
  ImageDeps &
  UserDeps &
  PhoneDeps &
  MailDeps &
  LinkOperationDeps &
  CountDeps &
  ReviewDeps;

/** Every operation of the contract, each from its own area. */
export function createOperations(
  deps: OperationDeps,
): OperationHandlers<CallContext, ReceivedFile> {
  return {
    ...articleOperations(deps),
    ...advertOperations(deps),
    ...imageOperations(deps),
    ...userOperations(deps),
    ...phoneOperations(deps),
    ...mailOperations(deps),
    ...linkOperations(deps),
    ...countOperations(deps),
    ...reviewOperations(deps),
  };
}
