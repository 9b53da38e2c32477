import type { ServerResponse } from 'node:http';

/** What an id may look like that is taken over: as nginx, HAProxy, Caddy and load balancers of clouds write theirs. */
const FORM = /^[\w.:=+/@-]{1,128}$/;

/** A request as far as its id depends on it. */
interface Identified {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly remoteAddress: string;
}

/**
 * Makes what tells the id of a request: the `X-Request-Id` that a trusted proxy gave it, where that has a usable form,
 * else a random UUID.
 */
export function createRequestIds(trustsProxy: (remoteAddress: string) => boolean): (request: Identified) => string {
  return ({ headers, remoteAddress }) => {
    const given = headers['x-request-id'];
    const taken = typeof given === 'string' && FORM.test(given) && trustsProxy(remoteAddress);
    return taken ? given : crypto.randomUUID();
  };
}

/** The id of a request that is being answered. */
export function requestIdOf({ outgoing }: { readonly outgoing: Pick<ServerResponse, 'getHeader'> }): string {
  return String(outgoing.getHeader('X-Request-Id') ?? crypto.randomUUID());
}
