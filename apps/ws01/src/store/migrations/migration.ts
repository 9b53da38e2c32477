import type { Kysely } from 'kysely';
import type { Tables } from '../tables/tables.ts';
import type { Columns } from './columns.ts';

/** A migration. Never changed after a release; corrections are new migrations. */
export interface Migration {
  /** `NNNN_what`, as its file name. */
  readonly name: string;
  /** Runs in the transaction that also records it. */
  readonly up: (db: Kysely<Tables>, columns: Columns) => Promise<void>;
}
