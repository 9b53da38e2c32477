import type { CompiledQuery, DatabaseConnection, QueryResult } from 'kysely';
import { refuseStream } from '../refuse-stream.ts';
import type { SqliteConnection } from './connection.ts';

/** So many reads share a transaction at most: a loop of reads that waits for nothing else is one turn. */
const SHARED_READS = 64;

/**
 * Lets the reads of one turn, which is a callback of the event loop and all promises that it settles, share a
 * transaction. SQLite locks the file for each transaction and unlocks it, which are two calls to the kernel and cost
 * more than a look-up. Their snapshot is as new as it must be: a write is answered in a later turn than that of its
 * commit, and no request arrives during a turn.
 */
export class TurnReader implements DatabaseConnection {
  readonly #connection: SqliteConnection;
  /** Of this turn, or since the last {@link SHARED_READS}. */
  #reads = 0;
  #endsTurn = false;

  /** @param connection on which nobody else begins transactions. */
  constructor(connection: SqliteConnection) {
    this.#connection = connection;
  }

  /** A read that is alone does without a transaction of its own: it would cost as much as it saves. */
  executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    if (!this.#endsTurn) {
      this.#endsTurn = true;
      process.nextTick(this.#endTurn);
    }
    if (this.#reads === SHARED_READS) this.#endTransaction();
    this.#reads++;
    if (this.#reads === 2) this.#connection.run('begin');
    return this.#connection.executeQuery<R>(query);
  }

  readonly streamQuery = refuseStream;

  readonly #endTurn = (): void => {
    this.#endsTurn = false;
    this.#endTransaction();
  };

  #endTransaction(): void {
    if (this.#reads > 1 && this.#connection.inTransaction) this.#connection.run('commit');
    this.#reads = 0;
  }
}
