import { parse } from 'hono/utils/cookie';
import type { SessionPrincipal } from '../api/authentication.ts';
import { Ws01Error } from '../contract/errors.ts';
import { adminOfSession, SESSION_COOKIES } from '../domain/admins/sessions.ts';
import type { Clock } from '../domain/context.ts';
import type { Store } from '../store/store.ts';
import { isLoadedElsewhere, isProtected, isSameOrigin } from '../web/browser-origin.ts';
import { type ReceivedRequest, receivedRequestOf } from '../web/received-request.ts';

/** Dependencies of console sessions as a credential of the API. */
export interface SessionDeps {
  readonly store: Store;
  readonly clock: Clock;
  /** Returns the origin that the browser used; `undefined` when it cannot be told. */
  readonly origin: (request: ReceivedRequest) => string | undefined;
}

/**
 * Lets people who are signed in to the console use the API with their session cookie. A page of
 * another origin must read and change nothing.
 * @throws {Ws01Error} `Forbidden` (from the function) for what a page of another origin sends.
 */
export function createSessionPrincipal({ store, clock, origin }: SessionDeps): SessionPrincipal {
  return async (request) => {
    const reached = origin(receivedRequestOf(request));
    if (request.headers.cookie === undefined || reached === undefined || !isProtected(reached))
      return undefined;
    const name = reached.startsWith('https:') ? SESSION_COOKIES.secure : SESSION_COOKIES.plain;
    const secret = parse(request.headers.cookie, name)[name];
    const admin = secret === undefined ? undefined : await adminOfSession(store, secret, clock);
    if (admin === undefined) return undefined;
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    if (
      isRead ? isLoadedElsewhere(request.headers, reached) : !isSameOrigin(request.headers, reached)
    ) {
      throw new Ws01Error(
        'Forbidden',
        'With a session, only pages of this origin use the API; send a token instead.',
      );
    }
    return { kind: 'admin', ...admin };
  };
}
