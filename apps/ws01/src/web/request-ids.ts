import { randomUUIDv7 } from 'node:crypto';
import type { ServerResponse } from 'node:http';

/** The form of accepted request ids: those of nginx, HAProxy, Caddy and cloud load balancers. */
const FORM = /^[\w.:=+/@-]{1,128}$/;

/** The parts of a request that its id depends on. */
interface Identified {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly remoteAddress: string;
}

/**
 * Creates the function that returns the id of a request: the `X-Request-Id` of a trusted proxy if it is valid,
 * otherwise a UUIDv7. The audit trail is indexed by it: ids in the order of time stand on one page of the index, random
 * ones each on a page of its own, which each write would have to change.
 */
export function createRequestIds(trustsProxy: (remoteAddress: string) => boolean): (request: Identified) => string {
  return ({ headers, remoteAddress }) => {
    const given = headers['x-request-id'];
    const taken = typeof given === 'string' && FORM.test(given) && trustsProxy(remoteAddress);
    // A copy: in V8 the header is a slice of all headers of its request, which the list of recent calls would keep.
    return taken ? `-${given}`.slice(1) : randomUUIDv7();
  };
}

/** Returns the id of a request in progress. */
export function requestIdOf({ outgoing }: { readonly outgoing: Pick<ServerResponse, 'getHeader'> }): string {
  return String(outgoing.getHeader('X-Request-Id') ?? randomUUIDv7());
}
