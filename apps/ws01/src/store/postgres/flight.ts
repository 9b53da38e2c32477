import pg from 'pg';
import { valueTypes } from './value-types.ts';

/** The result of a statement. */
export interface StatementResult {
  /** The command tag, such as `INSERT 0 1`. */
  readonly tag: string;
  readonly rows: Row[];
}

type Row = Record<string, unknown>;

interface Column {
  readonly name: string;
  readonly parse: (text: string) => unknown;
}

/** A prepared statement and the columns of its rows. */
interface Prepared {
  readonly name: string;
  readonly columns: readonly Column[];
}

/**
 * Maximum number of prepared statements per connection. The code has far fewer, so only generated
 * SQL is unprepared.
 */
const STATEMENTS_KEPT = 500;

/** The prepared statements of a connection, by their text. */
export class PreparedStatements {
  readonly #known = new Map<string, Prepared>();
  #names = 0;

  find(text: string): Prepared | undefined {
    return this.#known.get(text);
  }

  /**
   * Returns an unused name, or an empty one if there are too many statements. For a single word,
   * such as `commit`, the name ends with it.
   */
  newName(text: string): string {
    if (this.#known.size >= STATEMENTS_KEPT) return '';
    const word = /^\w+$/.test(text) ? `_${text}` : '';
    return `q${this.#names++}${word}`;
  }

  /** Remembers a statement that the server has prepared. */
  keep(text: string, prepared: Prepared): void {
    if (prepared.name !== '') this.#known.set(text, prepared);
  }
}

/** A statement that waits to be sent or answered. */
export class Statement {
  readonly text: string;
  readonly values: readonly unknown[];
  readonly answer: Promise<StatementResult>;
  /**
   * Whether the server certainly did not run it, because an earlier one in the same flight failed.
   */
  skipped = false;
  readonly rows: Row[] = [];
  /** The error of the first row that could not be parsed. */
  unreadable: { readonly error: unknown } | undefined;
  tag = '';
  resolve!: (answer: StatementResult) => void;
  reject!: (error: unknown) => void;

  /** @param values of any type that the driver can send. */
  constructor(text: string, values: readonly unknown[] = []) {
    this.text = text;
    this.values = values.map(toText);
    this.answer = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
  }
}

const { prepareValue: toText } = (
  pg as unknown as { utils: { prepareValue(value: unknown): unknown } }
).utils;

/**
 * Statements that are sent in one round trip: messages of the extended protocol with a single Sync
 * at the end (PostgreSQL, 54.2.3 and 54.2.4), which the driver itself would send after each. If one
 * fails, the server skips the rest. The driver runs it as a query of its own kind.
 */
export class Flight implements pg.Submittable {
  readonly #statements: readonly Statement[];
  /** The prepared statements; `undefined` if nothing may be prepared. */
  readonly #prepared: PreparedStatements | undefined;
  readonly #onLanded: () => void;
  /** The name and columns of each statement. `undefined` columns must be described first. */
  readonly #runAs: { readonly name: string; columns: readonly Column[] | undefined }[] = [];
  #next = 0;

  constructor(
    statements: readonly Statement[],
    prepared: PreparedStatements | undefined,
    onLanded: () => void,
  ) {
    this.#statements = statements;
    this.#prepared = prepared;
    this.#onLanded = onLanded;
  }

  submit(connection: pg.Connection): null {
    const wire = connection as unknown as Wire;
    wire.stream.cork();
    const named = new Map<string, string>();
    for (const { text, values } of this.#statements) {
      const known = this.#prepared?.find(text);
      const earlier = known?.name ?? named.get(text);
      const name = earlier ?? this.#prepared?.newName(text) ?? '';
      if (earlier === undefined) wire.parse({ text, name });
      if (name !== '') named.set(text, name);
      wire.bind({ statement: name, values });
      if (known === undefined) wire.describe({ type: 'P', name: '' });
      wire.execute({});
      this.#runAs.push({ name, columns: known?.columns });
    }
    wire.sync();
    wire.stream.uncork();
    return null;
  }

  handleRowDescription({ fields }: { readonly fields: readonly Field[] }): void {
    this.#runAs[this.#next]!.columns = fields.map(({ name, dataTypeID }) => ({
      name,
      parse: valueTypes.getTypeParser(dataTypeID, 'text') as Column['parse'],
    }));
  }

  handleDataRow({ fields }: { readonly fields: readonly (string | null)[] }): void {
    const { columns } = this.#runAs[this.#next]!;
    const statement = this.#statements[this.#next]!;
    const row: Row = {};
    try {
      for (const [index, { name, parse }] of columns!.entries()) {
        const text = fields[index]!;
        row[name] = text === null ? null : parse(text);
      }
      statement.rows.push(row);
    } catch (error) {
      statement.unreadable ??= { error };
    }
  }

  handleCommandComplete({ text: tag }: { readonly text: string }): void {
    const statement = this.#statements[this.#next]!;
    const { name, columns = [] } = this.#runAs[this.#next]!;
    statement.tag = tag;
    this.#prepared?.keep(statement.text, { name, columns });
    this.#next++;
  }

  handleEmptyQuery(): void {
    this.handleCommandComplete({ text: '' });
  }

  handleReadyForQuery(): void {
    this.#answer(this.#statements.length);
    this.#onLanded();
  }

  handleError(error: unknown): void {
    this.#answer(this.#next);
    const skips = isOfOneStatement(error);
    for (const [index, statement] of this.#statements.entries()) {
      if (index < this.#next) continue;
      statement.skipped = skips && index > this.#next;
      statement.reject(error);
    }
    this.#onLanded();
  }

  handlePortalSuspended(): void {}

  handleCopyInResponse(wire: Wire): void {
    wire.sendCopyFail('Nothing is copied in.');
  }

  #answer(until: number): void {
    for (const { tag, rows, unreadable, resolve, reject } of this.#statements.slice(0, until)) {
      if (unreadable === undefined) resolve({ tag, rows });
      else reject(unreadable.error);
    }
  }
}

/**
 * Whether an error belongs to the statement that it was sent for, so that the later ones are
 * skipped. An error that ends the connection may come from a pooler, which does not know what the
 * server did (class 08).
 */
function isOfOneStatement(error: unknown): boolean {
  return (
    error instanceof pg.DatabaseError && error.severity === 'ERROR' && !error.code?.startsWith('08')
  );
}

interface Field {
  readonly name: string;
  readonly dataTypeID: number;
}

/** The driver's connection; `@types/pg` describes an older one. */
interface Wire {
  readonly stream: { cork(): void; uncork(): void };
  parse(message: { text: string; name: string }): void;
  bind(message: { statement: string; values: readonly unknown[] }): void;
  describe(message: { type: 'P'; name: string }): void;
  execute(message: object): void;
  sync(): void;
  sendCopyFail(reason: string): void;
}
