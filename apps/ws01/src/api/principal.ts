import type { Role } from '../domain/admins/roles.ts';

/** Who asks: an application by its token, or a person by a session of the console. */
export interface Principal {
  readonly kind: 'token' | 'admin';
  /** As people know it: the label of a token, the name of an admin. */
  readonly name: string;
  readonly role: Role;
  /** The id of the token, or of the admin. */
  readonly id: string;
}
