/** A column of a table, as PostgreSQL has it. */
interface SchemaColumn {
  readonly name: string;
  readonly type: string;
  readonly required: boolean;
  /** Whether the database counts it up. */
  readonly counts: boolean;
  /** Whether it is compared by its bytes. */
  readonly bytewise: boolean;
  /** What it has when nothing is said; `null` for nothing. */
  readonly standard: string | null;
}

interface SchemaConstraint {
  readonly name: string;
  /** Primary key, unique key, check, foreign key. */
  readonly kind: 'p' | 'u' | 'c' | 'f';
  readonly definition: string;
}

export interface SchemaTable {
  readonly name: string;
  readonly columns: readonly SchemaColumn[];
  readonly constraints: readonly SchemaConstraint[];
}

/** An index that is no constraint's. */
export interface SchemaIndex {
  readonly name: string;
  readonly table: string;
  readonly unique: boolean;
  readonly definition: string;
}

export interface SchemaView {
  readonly name: string;
  readonly definition: string;
}
