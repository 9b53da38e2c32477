import pg from 'pg';
import { valueTypes } from './value-types.ts';

/** What a statement came to. */
export interface StatementResult {
  /** What the server says was done, as `INSERT 0 1`. */
  readonly tag: string;
  readonly rows: Row[];
}

type Row = Record<string, unknown>;

interface Column {
  readonly name: string;
  readonly parse: (text: string) => unknown;
}

/** A statement that the server keeps, and what its rows are made of. */
interface Prepared {
  readonly name: string;
  readonly columns: readonly Column[];
}

/** Statements kept prepared on one connection; the code has far fewer, so only generated SQL goes unprepared. */
const STATEMENTS_KEPT = 500;

/** What one connection has prepared, by its text. */
export class PreparedStatements {
  readonly #known = new Map<string, Prepared>();
  #names = 0;

  find(text: string): Prepared | undefined {
    return this.#known.get(text);
  }

  /** A name that no other has had; none when there are too many. Of what is one word, as `commit`, it ends with that. */
  newName(text: string): string {
    if (this.#known.size >= STATEMENTS_KEPT) return '';
    const word = /^\w+$/.test(text) ? `_${text}` : '';
    return `q${this.#names++}${word}`;
  }

  /** The server has run the statement under its name, so it keeps it. */
  keep(text: string, prepared: Prepared): void {
    if (prepared.name !== '') this.#known.set(text, prepared);
  }
}

/** A statement that waits to be sent, or for its answer. */
export class Statement {
  readonly text: string;
  readonly values: readonly unknown[];
  readonly answer: Promise<StatementResult>;
  /** Whether the server has surely not run it, because one before it in the same flight had failed. */
  skipped = false;
  readonly rows: Row[] = [];
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

const { prepareValue: toText } = (pg as unknown as { utils: { prepareValue(value: unknown): unknown } }).utils;

/**
 * Statements that go to the server together, in one round trip: messages of the extended protocol with one Sync at their
 * end (PostgreSQL, 54.2.3 and 54.2.4), which the driver itself sends after each. When one fails, the server skips those
 * after it. The driver takes it as its own query kind.
 */
export class Flight implements pg.Submittable {
  readonly #statements: readonly Statement[];
  /** Where what is run is kept prepared; `undefined` where nothing may be. */
  readonly #prepared: PreparedStatements | undefined;
  readonly #onLanded: () => void;
  /** For each statement what it is run as. Without columns, they are yet to be told. */
  readonly #runAs: { readonly name: string; columns: readonly Column[] | undefined }[] = [];
  #next = 0;
  /** What made of a row no row. */
  #unreadable: { readonly error: unknown } | undefined;

  constructor(statements: readonly Statement[], prepared: PreparedStatements | undefined, onLanded: () => void) {
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
    const row: Row = {};
    try {
      for (const [index, { name, parse }] of columns!.entries()) {
        const text = fields[index]!;
        row[name] = text === null ? null : parse(text);
      }
      this.#statements[this.#next]!.rows.push(row);
    } catch (error) {
      this.#unreadable ??= { error };
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
    if (this.#unreadable === undefined) this.#answer(this.#statements.length);
    else for (const statement of this.#statements) statement.reject(this.#unreadable.error);
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
    for (const { tag, rows, resolve } of this.#statements.slice(0, until)) resolve({ tag, rows });
  }
}

/**
 * Whether an error is the server's of the statement that it came for, so that those after it are skipped. One that ends the
 * connection may be a pooler's, which knows nothing of what the server did (class 08).
 */
function isOfOneStatement(error: unknown): boolean {
  const { severity, code = '' } = error as { severity?: string; code?: string };
  return error instanceof pg.DatabaseError && severity === 'ERROR' && !code.startsWith('08');
}

interface Field {
  readonly name: string;
  readonly dataTypeID: number;
}

/** The driver's own connection as it is; `@types/pg` has it as it was. */
interface Wire {
  readonly stream: { cork(): void; uncork(): void };
  parse(message: { text: string; name: string }): void;
  bind(message: { statement: string; values: readonly unknown[] }): void;
  describe(message: { type: 'P'; name: string }): void;
  execute(message: object): void;
  sync(): void;
  sendCopyFail(reason: string): void;
}
