import { setTimeout as sleep } from 'node:timers/promises';
import { time } from '@ws01/asmx/time';
import { CompiledQuery, type QueryResult } from 'kysely';
import { isFailureOf } from '../../failure/dependency-error.ts';
import { WorkTimeoutError, withinTime } from '../write-limits.ts';
import type { PostgresConnection } from './connection.ts';
import type { Connections } from './connections.ts';
import { isCollision } from './errors.ts';

/** Timeout for a replica to report its position, and to reach the required one; ms. */
const TIMEOUT_MS = 250;

/** Pause between two such questions; ms. */
const PAUSE = 5;

/** How long an unreachable or silent replica is not used; ms. */
const LEFT_ALONE = 5_000;

/** A position in the primary's log, in PostgreSQL's form: `0/16B3748`. */
type Position = string;

interface ReplicaDeps {
  readonly replica: Connections;
  readonly primary: Connections;
  /** Timeout of a query in this process; ms. */
  readonly timeout: number;
}

/** Tables with permissions: queries on them always go to the primary. */
const CREDENTIALS = /"(?:tokens|token_networks|admins|admin_\w+|phone_codes|code_keys)"/;

/**
 * A standby that answers lists and counts. It answers only if it has replayed everything that any
 * node committed before the query: the primary reports its log position, the replica whether it has
 * replayed it. Otherwise, or if the replica is down, the primary answers.
 */
export class Replica {
  readonly #deps: ReplicaDeps;
  #restsUntil = 0;
  /** Whether it was behind at the last check; then queries do not wait for it. */
  #lags = false;
  /** Since when it has not had what it was asked for; on the steady clock, ms. */
  #behindSince: number | undefined;
  #asked: Promise<Position> | undefined;
  #asking: Promise<unknown> = Promise.resolve();
  /** Queries that the replica answered, and those that the primary answered in its place. */
  answered = 0;
  passedOver = 0;
  /** For how long it has been behind or away, as of the last query; ms. */
  behindMs = 0;

  constructor(deps: ReplicaDeps) {
    this.#deps = deps;
  }

  /**
   * Returns the primary's log position, which is after everything acknowledged so far. One request
   * serves all callers that arrive before it is sent.
   * @throws {DependencyError}
   */
  position(): Promise<Position> {
    this.#asked ??= this.#ask();
    return this.#asked;
  }

  /**
   * Returns the replica's answer; `undefined` if the primary must answer.
   * @throws the error of the query.
   */
  async query<R>(query: CompiledQuery, position: Position): Promise<QueryResult<R> | undefined> {
    const mayAsk = !CREDENTIALS.test(query.sql) && time.steady() >= this.#restsUntil;
    const answer = mayAsk ? await this.#query<R>(query, position) : undefined;
    if (answer === undefined) this.passedOver++;
    else this.answered++;
    return answer;
  }

  #note(isBehind: boolean): void {
    const now = time.steady();
    this.#behindSince = isBehind ? (this.#behindSince ?? now) : undefined;
    this.behindMs = now - (this.#behindSince ?? now);
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
        // Behind a pooler, only a transaction stays on one server.
        connection.begin(replica.limits, 'read only');
        try {
          const timeoutMs = this.#lags ? 0 : TIMEOUT_MS;
          this.#lags = !(await withinTime(
            reaches(connection, position, timeoutMs),
            2 * TIMEOUT_MS,
            'A replica',
          ));
          this.#note(this.#lags);
          if (this.#lags) return undefined;
          return await withinTime(connection.executeQuery<R>(query), timeout, 'A query');
        } finally {
          await withinTime(connection.rollback(), TIMEOUT_MS).catch(() => {});
        }
      });
    } catch (error) {
      // A query that the standby cancels for the primary's sake is a conflict, too.
      if (isCollision(error)) return undefined;
      if (!isFailureOf('database', error)) throw error;
      if (error.kind === 'unavailable' || error instanceof WorkTimeoutError) {
        this.#restsUntil = time.steady() + LEFT_ALONE;
        this.#note(true);
      }
      return undefined;
    }
  }
}

/**
 * Whether the server of a connection has replayed the log up to a position, or does so within
 * `timeoutMs`.
 */
async function reaches(
  connection: PostgresConnection,
  position: Position,
  timeoutMs: number,
): Promise<boolean> {
  const until = time.steady() + timeoutMs;
  for (;;) {
    const { rows } = await connection.executeQuery<{ there: boolean }>(
      CompiledQuery.raw(REACHES, [position]),
    );
    if (rows[0]!.there) return true;
    if (time.steady() >= until) return false;
    await sleep(PAUSE);
  }
}

const WHERE = CompiledQuery.raw('select pg_current_wal_flush_lsn() as position');

/** A server that is not a standby has everything. */
const REACHES = 'select not pg_is_in_recovery() or pg_last_wal_replay_lsn() >= $1::pg_lsn as there';
