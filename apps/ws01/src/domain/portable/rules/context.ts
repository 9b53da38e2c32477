import type { Instant } from '../../../store/tables/tables.ts';
import type { Row } from '../record.ts';

/** What an import knows of all its records. */
export interface ImportContext {
  /** The kinds that it brings: what it does not bring is made of what it does. */
  readonly brings: ReadonlySet<string>;
  readonly now: Instant;
  /** Whether mails that were on their way go on; else they wait for somebody to ask for them. */
  readonly sendMail: boolean;
  /** Whether the database has no records, so that none is looked up. */
  readonly intoEmpty?: true;
  /** What becomes of stored records that differ; absent: they stay. */
  readonly updates?: Updates | undefined;
}

/** When a row takes the place of the stored record. */
export interface Updates {
  /** Even if that was changed here since it was brought. */
  readonly always: boolean;
  /** The first import into this database; `undefined` if there was none. */
  readonly firstImport: Instant | undefined;
}

/** The values of a column, each once. */
export function column(rows: readonly Row[], name: string): string[] {
  return [...new Set(rows.map((row) => row[name] as string))];
}
