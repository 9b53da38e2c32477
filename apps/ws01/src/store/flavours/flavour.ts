/**
 * Engines that speak PostgreSQL's protocol and most of its SQL. All except the first are supported by their
 * documentation only.
 */
export const FLAVOURS = ['postgres', 'citus', 'yugabytedb', 'cockroachdb'] as const;

export type Flavour = (typeof FLAVOURS)[number];

/** CockroachDB has no advisory locks; rows of this table replace them (see `row-lock.ts`). */
export const LOCK_TABLE = 'name_locks';
