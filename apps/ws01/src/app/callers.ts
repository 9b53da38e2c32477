import type { IncomingHttpHeaders } from 'node:http';
import { createClientAddress, networkOf } from '../domain/values/internet-address.ts';
import { onBehalfOf } from '../turns/caller.ts';
import { headerText } from './api.ts';

/** What says who sends a request. */
export interface Sent {
  readonly headers: IncomingHttpHeaders;
  readonly remoteAddress: string;
}

/** Runs the work for a request on behalf of its sender, so that senders take turns wherever it waits. */
export type OnBehalfOfSender = <T>(request: Sent, work: () => T) => T;

/** @param trustedProxies networks in CIDR form whose `X-Forwarded-For` is trusted. */
export function createOnBehalfOfSender(trustedProxies: readonly string[]): OnBehalfOfSender {
  const clientAddress = createClientAddress(trustedProxies);
  return ({ headers, remoteAddress }, work) => {
    const address = clientAddress(remoteAddress, headerText(headers['x-forwarded-for']));
    return onBehalfOf(networkOf(address), work);
  };
}
