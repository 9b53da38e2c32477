/** Engines that speak PostgreSQL's protocol and SQL, or most of it. All but the first are known from their documentation alone. */
export const FLAVOURS = ['postgres', 'citus', 'yugabytedb', 'cockroachdb'] as const;

export type Flavour = (typeof FLAVOURS)[number];

/** The table of CockroachDB whose rows stand for advisory locks; see `row-lock.ts`. */
export const LOCK_TABLE = 'name_locks';
