import { Ws01Error } from '../contract/errors.ts';
import type { Access } from '../domain/credentials/access.ts';
import type { Principal } from './principal.ts';

/** How to find out who the caller is. */
export interface Authentication {
  readonly access: Pick<Access, 'identify'>;
  /** Returns the principal of a console session; `undefined` without one. For writes it also checks the CSRF token. */
  readonly sessionPrincipal?: ((request: Request) => Promise<Principal | undefined>) | undefined;
}

/**
 * Authenticates the caller by a bearer token with the scope `read` or `manage`, else by a console session.
 * @param address the client address.
 * @throws {Ws01Error} `Unauthenticated`; `Forbidden` without `read` and `manage`; `RateLimited` after too many failed
 *   attempts.
 */
export async function authenticate(
  request: Request,
  address: string,
  { access, sessionPrincipal }: Authentication,
): Promise<Principal> {
  const header = request.headers.get('authorization');
  if (header === null) {
    const principal = await sessionPrincipal?.(request);
    if (principal !== undefined) return principal;
    throw unauthenticated('Send the text of a token with the scope "read" or "manage": Authorization: Bearer ws1_…');
  }
  const [, token] = /^Bearer +([^\s].*)$/i.exec(header) ?? [];
  if (token === undefined) throw unauthenticated('Authorization must be the word Bearer, a blank and a token.');
  const { caller, label, scopes } = await access.identify(ENTRY, token, address);
  const role = scopes.has('manage') ? 'owner' : scopes.has('read') ? 'reader' : undefined;
  if (role === undefined) throw new Ws01Error('Forbidden', 'The token has neither the scope "read" nor "manage".');
  return { kind: 'token', name: label, role, id: caller.tokenId! };
}

/** How error messages name the API and the credential. */
const ENTRY = { name: 'The API', access: { credential: 'Authorization', scope: 'read' } } as const;

function unauthenticated(message: string): Ws01Error {
  return new Ws01Error('Unauthenticated', message, { parameter: 'Authorization' });
}
