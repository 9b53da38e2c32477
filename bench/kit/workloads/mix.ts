import type { OperationName } from '../../../apps/ws01/src/contract/service.ts';
import type { Binding } from './requests.ts';

/** What a site might ask all day, each as often as the next: six reads to four writes, in every binding. */
export const MIX: readonly (readonly [Binding, OperationName])[] = [
  ['SOAP 1.1', 'countUserPosted'],
  ['GET', 'QueryAdvert'],
  ['SOAP 1.1', 'InsertArticle'],
  ['SOAP 1.1', 'countUserPosted'],
  ['GET', 'QueryImgData'],
  ['POST', 'UpdateOrInsertArticleById'],
  ['SOAP 1.2', 'countIpPosted'],
  ['JSON', 'submitReview'],
  ['POST', 'QueryAdvert'],
  ['SOAP 1.2', 'UpdatePinnedTopDueDateByGuid'],
];
