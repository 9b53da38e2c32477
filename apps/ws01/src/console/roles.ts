import { ROLES, type Role } from '../domain/admins/admins.ts';

/** Whether a role may do what another one may. */
export function mayActAs(role: Role, needed: Role): boolean {
  return ROLES.indexOf(role) <= ROLES.indexOf(needed);
}
