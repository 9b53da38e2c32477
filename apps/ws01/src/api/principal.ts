import type { Role } from '../domain/admins/roles.ts';

/** The authenticated caller: an application with a token, or an admin with a console session. */
export interface Principal {
  readonly kind: 'token' | 'admin';
  /** The label of the token, or the name of the admin. */
  readonly name: string;
  readonly role: Role;
  /** The id of the token or of the admin. */
  readonly id: string;
}
