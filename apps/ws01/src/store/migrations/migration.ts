import type { Kysely } from 'kysely';
import type { Tables } from '../tables/tables.ts';
import type { Columns } from './columns.ts';

/** One step of the schema's history. Never changed once released: the next step corrects it. */
export interface Migration {
  /** `NNNN_what`, as its file is called. */
  readonly name: string;
  /** Runs inside the transaction that also records it. */
  readonly up: (db: Kysely<Tables>, columns: Columns) => Promise<void>;
}
