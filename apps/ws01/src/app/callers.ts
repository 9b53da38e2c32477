import { networkOf } from '../domain/values/internet-address.ts';
import { onBehalfOf } from '../turns/caller.ts';
import type { ReceivedRequest } from '../web/received-request.ts';
import type { Addresses } from './addresses.ts';

/**
 * Runs the work for a request on behalf of its sender, so that senders take turns wherever it
 * waits.
 */
export type OnBehalfOfSender = <T>(request: ReceivedRequest, work: () => T) => T;

export function createOnBehalfOfSender({
  clientOf,
}: Pick<Addresses, 'clientOf'>): OnBehalfOfSender {
  return (request, work) => onBehalfOf(networkOf(clientOf(request)), work);
}
