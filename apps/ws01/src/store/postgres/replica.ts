import { setTimeout as sleep } from 'node:timers/promises';
import { CompiledQuery, type QueryResult } from 'kysely';
import { isFailureOf } from '../../failure/dependency-error.ts';
import { WorkTimeoutError, withinTime } from '../write-limits.ts';
import type { PostgresConnection } from './connection.ts';
import type { Connections } from './connections.ts';
import { isCollision } from './errors.ts';

/** Timeout for a replica to report its position, and to reach the required one; ms. */
const TIMEOUT_MS = 250;

/** How often it is asked again; ms. */
const PAUSE = 5;

/** For so long a replica that was away, or said nothing, is not asked; ms. */
const LEFT_ALONE = 5_000;

/** A place in the log of the primary, as PostgreSQL writes it: `0/16B3748`. */
type Position = string;

interface ReplicaDeps {
  readonly replica: Connections;
  readonly primary: Connections;
  /** How long this process waits for a query; ms. */
  readonly timeout: number;
}

/** Tables with permissions: queries on them always go to the primary. */
const CREDENTIALS = /"(?:tokens|token_networks|admins|admin_\w+|phone_codes|code_keys)"/;

/**
 * A standby that answers lists and counts. It answers only if it has replayed everything that any node committed before
 * the query: the primary reports its log position, the replica whether it has replayed it. Otherwise, or if the replica
 * is down, the primary answers.
 */
export class Replica {
  readonly #deps: ReplicaDeps;
  #restsUntil = 0;
  /** Whether it did not come as far as it should when it was asked last: nobody waits for it then. */
  #lags = false;
  #asked: Promise<Position> | undefined;
  #asking: Promise<unknown> = Promise.resolve();
  /** Queries that the replica answered, and those that it could have and the primary did. */
  answered = 0;
  passedOver = 0;

  constructor(deps: ReplicaDeps) {
    this.#deps = deps;
  }

  /**
   * How far the log of the primary is: everything that was acknowledged until now is before it. One question stands for all
   * who come before it is asked.
   * @throws {DependencyError}
   */
  position(): Promise<Position> {
    this.#asked ??= this.#ask();
    return this.#asked;
  }

  /**
   * The answer of the replica to a query; `undefined` when the primary has to give it.
   * @throws what is wrong with the query.
   */
  async query<R>(query: CompiledQuery, position: Position): Promise<QueryResult<R> | undefined> {
    const isForPrimary = CREDENTIALS.test(query.sql) || performance.now() < this.#restsUntil;
    const answer = isForPrimary ? undefined : await this.#query<R>(query, position);
    if (answer === undefined) this.passedOver++;
    else this.answered++;
    return answer;
  }

  async #ask(): Promise<Position> {
    await this.#asking;
    this.#asked = undefined;
    const { primary, timeout } = this.#deps;
    const asking = primary.lend((connection) =>
      withinTime(connection.executeQuery<{ position: Position }>(WHERE), timeout, 'A query'),
    );
    this.#asking = asking.catch(() => {});
    return (await asking).rows[0]!.position;
  }

  async #query<R>(query: CompiledQuery, position: Position): Promise<QueryResult<R> | undefined> {
    const { replica, timeout } = this.#deps;
    try {
      return await replica.lend(async (connection) => {
        // Behind a pooler only a transaction stays on one server.
        connection.begin(replica.limits, 'read only');
        try {
          const timeoutMs = this.#lags ? 0 : TIMEOUT_MS;
          this.#lags = !(await withinTime(reaches(connection, position, timeoutMs), 2 * TIMEOUT_MS, 'A replica'));
          if (this.#lags) return undefined;
          return await withinTime(connection.executeQuery<R>(query), timeout, 'A query');
        } finally {
          await withinTime(connection.rollback(), TIMEOUT_MS).catch(() => {});
        }
      });
    } catch (error) {
      // What the standby has to forget for the sake of the primary is a collision, too.
      if (isCollision(error)) return undefined;
      if (!isFailureOf('database', error)) throw error;
      if (error.kind === 'unavailable' || error instanceof WorkTimeoutError) {
        this.#restsUntil = performance.now() + LEFT_ALONE;
      }
      return undefined;
    }
  }
}

/** Whether the server of a connection has replayed the log up to a position, or soon has: within `timeoutMs` ms. */
async function reaches(connection: PostgresConnection, position: Position, timeoutMs: number): Promise<boolean> {
  const until = performance.now() + timeoutMs;
  for (;;) {
    const { rows } = await connection.executeQuery<{ there: boolean }>(CompiledQuery.raw(REACHES, [position]));
    if (rows[0]!.there) return true;
    if (performance.now() >= until) return false;
    await sleep(PAUSE);
  }
}

const WHERE = CompiledQuery.raw('select pg_current_wal_flush_lsn() as position');

/** A server that is no standby has everything. */
const REACHES = 'select not pg_is_in_recovery() or pg_last_wal_replay_lsn() >= $1::pg_lsn as there';
