import { DAY_MS } from '@ws01/asmx/time';
import { type Kysely, type SelectQueryBuilder, sql } from 'kysely';
import { Ws01Error } from '../../contract/errors.ts';
import { integerOf } from '../../contract/lexical.ts';
import { say } from '../../contract/sentence.ts';
import type { OperationHandlers } from '../../contract/service.ts';
import { type PreparedQuery, prepare } from '../../store/prepared.ts';
import type { Store } from '../../store/store.ts';
import {
  type Instant,
  POSTING_KINDS,
  type PostingKind,
  type Tables,
} from '../../store/tables/tables.ts';
import type { CallContext, Clock } from '../context.ts';
import { actingUser, originOf } from '../shared/ownership.ts';
import { requiredUser } from '../users/users.ts';
import { networkOf } from '../values/internet-address.ts';

/** Dependencies of the operations that count. */
export interface CountDeps {
  readonly store: Store;
  readonly clock: Clock;
  /** IANA name of the time zone in which days start at midnight. */
  readonly timeZone: string;
}

/** Longest period of a count, in days of 24 h (semantics 5.12). */
const MAX_DAYS = 3_650;

/**
 * Operations 12 and 16: the number of posts, in decimal digits. It comes from the ledger of
 * creations, so it includes records deleted since. It is `0` for an unknown user or address.
 *
 * A user token counts only its own user, and only the address that it calls from, since only
 * trusted callers may name another address (semantics 2, ip).
 */
export function countOperations({
  store,
  clock,
  timeZone,
}: CountDeps): Pick<OperationHandlers<CallContext>, 'countUserPosted' | 'countIpPosted'> {
  return {
    countUserPosted: async (params, { caller: { caller } }) => {
      const user = requiredUser(caller, params.userId, 'userId');
      const since = sinceOf(params.lastFewDays, clock(), timeZone);
      const kind = kindOf(params.level);
      actingUser(caller, user, 'userId');
      return String(await countPostings(store, 'user_id', user, since, kind));
    },

    countIpPosted: async (params, { caller: context }) => {
      const network = networkOf(originOf(context, params.IP).address);
      const since = sinceOf(params.lastFewDays, clock(), timeZone);
      const kind = kindOf(params.level);
      return String(await countPostings(store, 'network', network, since, kind));
    },
  };
}

/**
 * The start of the period to count: N × 24 h before now; for 0 or an empty text, the last midnight.
 *
 * @param now ms since 1970-01-01T00:00:00Z.
 * @param timeZone IANA name; if a clock change skips midnight, the day starts with the first
 *   instant after it.
 * @throws {Ws01Error} `InvalidParameter` when the text is not a whole number from 0 to
 *   {@link MAX_DAYS}.
 */
export function sinceOf(lastFewDays: string | undefined, now: Instant, timeZone: string): Instant {
  const days = integerOf(lastFewDays, 'lastFewDays');
  if (days < 0 || days > MAX_DAYS) {
    throw new Ws01Error(
      'InvalidParameter',
      say`lastFewDays is ${{ days }}; give a whole number of days from 0 to ${{ most: MAX_DAYS }}.`,
      {
        parameter: 'lastFewDays',
      },
    );
  }
  return days > 0 ? now - days * DAY_MS : startOfDay(now, timeZone);
}

function startOfDay(now: Instant, timeZone: string): Instant {
  return Temporal.Instant.fromEpochMilliseconds(now).toZonedDateTimeISO(timeZone).startOfDay()
    .epochMilliseconds;
}

/** The words and numbers for `level`; `undefined` means every kind. */
const LEVELS: ReadonlyMap<string, PostingKind | undefined> = new Map<
  string,
  PostingKind | undefined
>([
  ['', undefined],
  ['0', undefined],
  ['all', undefined],
  ...Object.entries(POSTING_KINDS).flatMap(([name, kind]): [string, PostingKind][] => [
    [name, kind],
    [String(kind), kind],
  ]),
]);

/** @returns the kind to count, `undefined` for all. @throws {Ws01Error} `InvalidParameter` */
function kindOf(level: string | undefined): PostingKind | undefined {
  const word = (level ?? '').trim().toLowerCase();
  if (!LEVELS.has(word)) {
    const known = ['all', ...Object.keys(POSTING_KINDS)]
      .map((name, number) => `${name} (${number})`)
      .join(', ');
    throw new Ws01Error('InvalidParameter', `level is none of the known ones; give ${known}.`, {
      parameter: 'level',
    });
  }
  return LEVELS.get(word);
}

type PosterColumn = 'user_id' | 'network';

/**
 * Counting up to this many rows takes a millisecond and runs at once; a larger count runs as a
 * scan.
 */
const FEW = 10_000;

/**
 * Counts the records created by one poster.
 *
 * @param column the column that identifies the poster.
 * @param since the first instant of the period.
 * @param kind `undefined` for all.
 */
async function countPostings(
  store: Store,
  column: PosterColumn,
  poster: string,
  since: Instant,
  kind: PostingKind | undefined,
): Promise<number> {
  const count = async (db: Kysely<Tables>, most: number): Promise<number> => {
    const row =
      kind === undefined
        ? await countOfAll[column].first(db, { poster, since, most })
        : await countOfKind[column].first(db, { poster, since, most, kind });
    return Number(row?.count ?? 0);
  };
  const few = await store.browse((db) => count(db, FEW + 1));
  return few <= FEW ? few : store.scan((db) => count(db, Number.MAX_SAFE_INTEGER));
}

interface Span {
  readonly poster: string;
  readonly since: Instant;
  /** Counting stops at this number. */
  readonly most: number;
}

type CountQuery<Params extends object> = Readonly<
  Record<PosterColumn, PreparedQuery<Params, { count: unknown }>>
>;

const countOfKind: CountQuery<Span & { kind: PostingKind }> = {
  user_id: prepareKind('user_id'),
  network: prepareKind('network'),
};

const countOfAll: CountQuery<Span> = {
  user_id: prepareAll('user_id'),
  network: prepareAll('network'),
};

function prepareKind(column: PosterColumn) {
  return prepare((db, { poster, since, kind, most }: Span & { kind: PostingKind }) =>
    countOf(
      db,
      db
        .selectFrom('postings')
        .select('at')
        .where(column, '=', poster)
        .where('at', '>=', since)
        .where('kind', '=', kind),
      most,
    ),
  );
}

/** A row for each kind. */
const KINDS = sql<{ kind: PostingKind }>`(values ${sql.join(
  Object.values(POSTING_KINDS).map((kind) => sql`(${sql.lit(kind)})`),
)})`;

/**
 * The join with the kinds lets the index of poster, kind and instant answer, with one range for
 * each kind. `kind in (…)` would return the same, but SQLite builds a table for such a list in each
 * call. In SQLite, a cross join keeps the written order of the tables.
 */
function prepareAll(column: PosterColumn) {
  return prepare((db, { poster, since, most }: Span) =>
    countOf(
      db,
      db
        .with('kinds(kind)', () => KINDS)
        .selectFrom('kinds')
        .crossJoin('postings')
        .select('postings.at')
        .where(`postings.${column}`, '=', poster)
        .where('postings.at', '>=', since)
        .whereRef('postings.kind', '=', 'kinds.kind'),
      most,
    ),
  );
}

function countOf(
  db: Kysely<Tables>,
  postings: SelectQueryBuilder<Tables, never, { at: Instant }>,
  most: number,
) {
  return db
    .selectFrom(postings.limit(most).as('found'))
    .select((eb) => eb.fn.countAll().as('count'));
}
