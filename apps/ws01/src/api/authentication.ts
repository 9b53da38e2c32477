import type { IncomingMessage } from 'node:http';
import { Ws01Error } from '../contract/errors.ts';
import { type Access, CredentialRefused } from '../domain/credentials/access.ts';
import type { Principal } from './principal.ts';

/** Returns the admin whose console session came with a request; `undefined` without one. */
export type SessionPrincipal = (request: IncomingMessage) => Promise<Principal | undefined>;

/** How to find out who the caller is. */
export interface Authentication {
  readonly access: Pick<Access, 'identify'>;
  /**
   * Absent when sessions of the console are no credential here: it is off, or has a port of its
   * own.
   */
  readonly sessionPrincipal?: SessionPrincipal | undefined;
}

/**
 * Authenticates the caller by a bearer token with the scope `read` or `manage`, else by a console
 * session.
 * @param address the client address.
 * @param incoming the HTTP request; `undefined` in process, where there are no sessions.
 * @throws {Ws01Error} `Unauthenticated`; `Forbidden` without `read` and `manage`; `RateLimited`
 *   after too many failed attempts.
 */
export async function authenticate(
  request: Request,
  address: string,
  incoming: IncomingMessage | undefined,
  { access, sessionPrincipal }: Authentication,
): Promise<Principal> {
  const header = request.headers.get('authorization');
  if (header === null) {
    const principal = incoming && (await sessionPrincipal?.(incoming));
    if (principal !== undefined) return principal;
    throw unauthenticated(
      'Send the text of a token with the scope "read" or "manage": Authorization: Bearer ws1_…',
    );
  }
  const [, token] = /^Bearer +([^\s].*)$/i.exec(header) ?? [];
  if (token === undefined)
    throw unauthenticated('Authorization must be the word Bearer, a blank and a token.');
  const { caller, label, scopes } = await access.identify(ENTRY, token, address);
  const manages = scopes.has('manage');
  if (!manages && !scopes.has('read'))
    throw new CredentialRefused(
      'Forbidden',
      'The token has neither the scope "read" nor "manage".',
      'Authorization',
      undefined,
      caller,
    );
  const role = manages ? 'owner' : 'reader';
  return { kind: 'token', name: label, role, id: caller.tokenId! };
}

/** How error messages name the API and the credential. */
const ENTRY = { name: 'The API', access: { credential: 'Authorization', scope: 'read' } } as const;

function unauthenticated(message: string): Ws01Error {
  return new Ws01Error('Unauthenticated', message, { parameter: 'Authorization' });
}
