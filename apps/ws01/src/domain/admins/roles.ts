/** What somebody may do: everything; everything but accounts, tokens and settings; or only look. */
export const ROLES = ['owner', 'moderator', 'reader'] as const;

export type Role = (typeof ROLES)[number];

/** Whether a role may do what another one may. */
export function mayActAs(role: Role, needed: Role): boolean {
  return ROLES.indexOf(role) <= ROLES.indexOf(needed);
}
