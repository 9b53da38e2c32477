import type { CompiledQuery, DatabaseConnection, QueryResult } from 'kysely';
import { onBehalfOf } from '../../turns/caller.ts';
import type { Turns } from '../../turns/turns.ts';
import { refuseStream } from '../refuse-stream.ts';
import { WorkTimeoutError, withinTime } from '../write-limits.ts';
import type { PostgresConnection } from './connection.ts';
import { WaitingRoom } from './waiting-room.ts';

/**
 * Maximum number of queries in one flight: they run one after another, and further flights on other
 * connections.
 */
const QUERIES = 16;

/** A query that waits for its flight. */
interface PendingQuery {
  readonly query: CompiledQuery;
  readonly caller: string;
  readonly deadline: number;
  readonly resolve: (result: QueryResult<never>) => void;
  readonly reject: (reason: unknown) => void;
  answered: boolean;
}

export interface SharedReadsDeps {
  /** Lends a connection, again and again if work collides with others. */
  readonly lend: (use: (connection: PostgresConnection) => Promise<unknown>) => Promise<unknown>;
  /** The queue for connections, which these queries share with other work. */
  readonly turns: Turns;
  /** Timeout of a flight; ms. */
  readonly timeout: number;
}

/**
 * Runs the queries of one turn of the event loop, of all calls, in one round trip: each process
 * wakes up once for many. They wait for each other's answers, so they are quick ones.
 */
export class SharedReads implements DatabaseConnection {
  readonly #deps: SharedReadsDeps;
  readonly #waiting: WaitingRoom<PendingQuery>;
  /** Whether a flight is about to take queries. */
  #boarding = false;

  constructor(deps: SharedReadsDeps) {
    this.#deps = deps;
    this.#waiting = new WaitingRoom(deps.turns);
  }

  executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    return new Promise<QueryResult<R>>((resolve, reject) => {
      const waits = this.#waiting.length >= QUERIES * this.#deps.turns.free;
      this.#waiting.add(
        { query, resolve: resolve as PendingQuery['resolve'], reject, answered: false },
        waits,
      );
      if (this.#boarding) return;
      this.#boarding = true;
      // Queries of other sockets in the same event-loop turn join.
      setImmediate(() => onBehalfOf('', () => void this.#depart()));
    });
  }

  readonly streamQuery = refuseStream;

  async #depart(): Promise<void> {
    let batch: readonly PendingQuery[] | undefined;
    try {
      await this.#fly(() => {
        batch ??= this.#board();
        return batch;
      });
    } catch (error) {
      const [first, ...others] = (batch ?? this.#board()).filter(({ answered }) => !answered);
      first?.reject(error);
      // Neither without a connection nor after the timeout would another flight do better.
      const isOfAll = batch === undefined || error instanceof WorkTimeoutError;
      for (const pending of others) {
        if (isOfAll) pending.reject(error);
        else this.#fly(() => [pending]).catch(pending.reject);
      }
    }
  }

  /** Takes queries for a flight; for those that have no place in it the next one departs. */
  #board(): readonly PendingQuery[] {
    const batch = this.#waiting.take(QUERIES);
    this.#boarding = this.#waiting.length > 0;
    if (this.#boarding) void this.#depart();
    return batch;
  }

  #fly(board: () => readonly PendingQuery[]): Promise<unknown> {
    const { lend, timeout } = this.#deps;
    return lend((connection) => {
      // After a collision it flies again: what was answered must not fail the others now.
      const unanswered = board().filter(({ answered }) => !answered);
      const answers = unanswered.map(async (pending) => {
        const result = await connection.executeQuery<never>(pending.query);
        pending.answered = true;
        pending.resolve(result);
      });
      return withinTime(all(answers), timeout, 'A query');
    });
  }
}

/** Waits for all answers. @throws the error of the first one that has failed. */
async function all(answers: readonly Promise<void>[]): Promise<void> {
  const failed = (await Promise.allSettled(answers)).find((answer) => answer.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}
