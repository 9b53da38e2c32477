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
 * otherwise a random UUID.
 */
export function createRequestIds(trustsProxy: (remoteAddress: string) => boolean): (request: Identified) => string {
  return ({ headers, remoteAddress }) => {
    const given = headers['x-request-id'];
    const taken = typeof given === 'string' && FORM.test(given) && trustsProxy(remoteAddress);
    return taken ? given : crypto.randomUUID();
  };
}

/** Returns the id of a request in progress. */
export function requestIdOf({ outgoing }: { readonly outgoing: Pick<ServerResponse, 'getHeader'> }): string {
  return String(outgoing.getHeader('X-Request-Id') ?? crypto.randomUUID());
}
