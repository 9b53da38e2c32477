import { Ws01Error } from '../contract/errors.ts';
import type { Access } from '../domain/credentials/access.ts';
import type { Principal } from './principal.ts';

/** What tells who asks. */
export interface Authentication {
  readonly access: Pick<Access, 'identify'>;
  /** Who asks by a session of the console; for a write it has judged the request's CSRF token. */
  readonly sessionPrincipal?: ((request: Request) => Promise<Principal | undefined>) | undefined;
}

/**
 * Who asks: the bearer of a token with one of the API's scopes, else whose session it is.
 * @param address the observed address of the client.
 * @throws {Ws01Error} `Unauthenticated`, `Forbidden` without `read` and `manage`, `RateLimited` for who guesses.
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

/** How refusals name what is asked for. */
const ENTRY = { name: 'The API', access: { credential: 'Authorization', scope: 'read' } } as const;

function unauthenticated(message: string): Ws01Error {
  return new Ws01Error('Unauthenticated', message, { parameter: 'Authorization' });
}
