/** The roles: everything; reading and moderating content; reading content. */
export const ROLES = ['owner', 'moderator', 'reader'] as const;

export type Role = (typeof ROLES)[number];

/** Whether a role includes another one. */
export function mayActAs(role: Role, needed: Role): boolean {
  return ROLES.indexOf(role) <= ROLES.indexOf(needed);
}
