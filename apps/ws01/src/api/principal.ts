import { mayActAs, type Role } from '../contract/roles.ts';
import type { Readers } from '../records/record.ts';
import type { Instant } from '../store/tables/tables.ts';

/** The caller: an application with a token, an admin with a console session, or anybody. */
export interface Principal {
  readonly kind: 'token' | 'admin' | 'anybody';
  /** The label of the token, or the name of the admin. */
  readonly name: string;
  readonly role: Role;
  /** The id of the token or of the admin. */
  readonly id: string;
  /** When the person of a session signed in. */
  readonly confirmedAt?: Instant | null;
}

/**
 * Whether a caller reads what is private. Of people, only owners do. Tokens have the scope `read`
 * or `manage`; with either, an owner lets them read everything.
 */
export function readsPrivate({ kind, role }: Pick<Principal, 'kind' | 'role'>): boolean {
  return role === 'owner' || kind === 'token';
}

/** Whether a caller may read what has these readers. */
export function mayRead(principal: Pick<Principal, 'kind' | 'role'>, readers: Readers): boolean {
  if (readers.private === true && !readsPrivate(principal)) return false;
  return readers.role === undefined || mayActAs(principal.role, readers.role);
}

/** The lowest role of people that reads what has these readers; `undefined`: every role. */
export function lowestReader({ role, private: isPrivate }: Readers): Role | undefined {
  return isPrivate === true ? 'owner' : role;
}
