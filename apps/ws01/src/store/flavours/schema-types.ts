/** A column of a PostgreSQL table. */
interface SchemaColumn {
  readonly name: string;
  readonly type: string;
  readonly required: boolean;
  /** Whether the database generates the value as a sequence. */
  readonly counts: boolean;
  /** Whether the column is compared bytewise. */
  readonly bytewise: boolean;
  /** The default value; `null` if there is none. */
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

/** An index that does not belong to a constraint. */
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
