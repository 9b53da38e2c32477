/** What somebody may do by the API; each role may do what those before it may. */
export const ROLES = ['reader', 'moderator', 'owner'] as const;
export type Role = (typeof ROLES)[number];

/** Who asks: an application by its token, or a person by a session of the console. */
export interface Principal {
  readonly kind: 'token' | 'admin';
  /** As people know it: the label of a token, the name of an admin. */
  readonly name: string;
  readonly role: Role;
  /** The id of the token, or of the admin. */
  readonly id: string;
}

/** Whether a role may do what another one may. */
export function mayActAs(role: Role, needed: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(needed);
}
