import { randomUUIDv7 } from 'node:crypto';
import type { ServerResponse } from 'node:http';

/** Length of the longest request id. */
export const MOST_ID_CHARACTERS = 128;

/**
 * The form of accepted request ids: those of nginx, HAProxy, Caddy and cloud load balancers. ASCII
 * only.
 */
const FORM = new RegExp(`^[\\w.:=+/@-]{1,${MOST_ID_CHARACTERS}}$`);

/** The parts of a request that its id depends on. */
interface Identified {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly remoteAddress: string;
}

/**
 * Creates the function that returns the id of a request: the `X-Request-Id` of a trusted proxy if
 * it is valid, otherwise a UUIDv7. The audit trail is indexed by it. Ids in the order of time share
 * a page of the index; random ones would be on a page each, so that each write would change another
 * page.
 */
export function createRequestIds(
  trustsProxy: (remoteAddress: string) => boolean,
): (request: Identified) => string {
  return ({ headers, remoteAddress }) => {
    const given = headers['x-request-id'];
    const taken = typeof given === 'string' && FORM.test(given) && trustsProxy(remoteAddress);
    return taken ? given : randomUUIDv7();
  };
}

/** Returns the id of a request in progress. */
export function requestIdOf({
  outgoing,
}: {
  readonly outgoing: Pick<ServerResponse, 'getHeader'>;
}): string {
  return String(outgoing.getHeader('X-Request-Id') ?? randomUUIDv7());
}
