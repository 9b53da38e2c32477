import { type Kysely, sql } from 'kysely';
import { isPostgres } from './engine-of.ts';
import { lockName } from './row-lock.ts';
import type { Store } from './store.ts';
import type { Instant, Tables } from './tables/tables.ts';

/**
 * On PostgreSQL the audit trail is a table for each month, by the ids of its entries, which begin with their time (UUIDv7): so
 * what has been kept long enough goes as a table, at once and without a trace in the others.
 *
 *     audit_until_202612   what was there when it was divided, and the rest of that month
 *     audit_202701 …       a month each
 *     audit_other          whatever belongs to no month that there is
 */
export const AUDIT = 'audit';
const OTHER = 'audit_other';
const MONTH = /^audit_\d{6}$/;

/** Months that are made before they begin. */
const AHEAD = 3;

/** Making and removing a table waits for those who read the trail, and nobody is to wait for that; ms. */
const WRITE_LIMITS = { busyTimeout: 500, workTimeout: 60_000 };

/** What those who make and remove tables of the trail wait for each other by. */
const LOCK = 'audit partitions';

/** The tables of the trail; none where it is undivided. */
export interface AuditPartitions {
  /** Of which everything was told before an instant. */
  readonly ended: readonly string[];
  /** In which some of it may be, and which hold no single month. */
  readonly mixed: readonly string[];
}

/** The table that another one is a part of; the table itself when it is none. */
export function wholeOf(table: string): string {
  return table === OTHER || /^audit_(?:until_)?\d{6}$/.test(table) ? AUDIT : table;
}

/** The tables of the trail as they are to an instant. */
export async function auditPartitions(db: Kysely<Tables>, before: Instant): Promise<AuditPartitions> {
  const names = await partitionsOf(db);
  return {
    ended: names.filter((name) => endOf(name) <= before),
    mixed: names.filter((name) => endOf(name) > before && !MONTH.test(name)),
  };
}

async function partitionsOf(db: Kysely<Tables>): Promise<readonly string[]> {
  if (!isPostgres(db)) return [];
  const { rows } = await sql<{ name: string }>`select relname as name from pg_inherits
    join pg_class on pg_class.oid = inhrelid where inhparent = to_regclass(${AUDIT}) order by relname`.execute(db);
  return rows.map(({ name }) => name);
}

/**
 * Makes the tables of this month and the next ones, where the trail is divided. What they are to hold and was written
 * elsewhere meanwhile goes into them. Several processes may do so at once.
 */
export async function makeAuditPartitions(store: Store, now: Instant): Promise<void> {
  if (store.engine !== 'postgres') return;
  const there = new Set(await store.read(partitionsOf));
  // Without the table for the rest nobody has divided the trail.
  if (!there.has(OTHER)) return;
  let start = monthOf(now);
  for (let month = 0; month <= AHEAD; month++, start = monthAfter(start)) {
    const isBeforeDivision = [...there].some(
      (name) => name.startsWith('audit_until_') && name.slice(-6) >= stampOf(start),
    );
    if (!isBeforeDivision && !there.has(nameOf(start))) await makePartition(store, start);
  }
}

function makePartition(store: Store, start: Instant): Promise<void> {
  const [name, from, to] = [sql.table(nameOf(start)), idOf(start), idOf(monthAfter(start))];
  return store.write(async (tx) => {
    lockName(tx, LOCK);
    if ((await partitionsOf(tx)).includes(nameOf(start))) return;
    await sql`lock table ${sql.table(OTHER)} in access exclusive mode`.execute(tx);
    await sql`create table ${name} (like ${sql.table(AUDIT)} including all)`.execute(tx);
    await sql`with moved as (delete from ${sql.table(OTHER)} where id >= ${from} and id < ${to} returning *)
      insert into ${name} select * from moved`.execute(tx);
    await sql`alter table ${sql.table(AUDIT)} attach partition ${name}
      for values from (${sql.lit(from)}) to (${sql.lit(to)})`.execute(tx);
  }, WRITE_LIMITS);
}

/** Drops a partition of the audit trail. @returns the number of its entries; 0 if another process has dropped it. */
export function dropAuditPartition(store: Store, name: string): Promise<number> {
  return withAuditPartition(store, name, async (tx) => {
    const { rows } = await sql<{ entries: number }>`select count(*) as entries from ${sql.table(name)}`.execute(tx);
    await sql`drop table ${sql.table(name)}`.execute(tx);
    return Number(rows[0]!.entries);
  });
}

/** Changes a table of the trail, which nobody removes meanwhile. @returns what `work` does; 0 when it is gone. */
export function withAuditPartition(
  store: Store,
  name: string,
  work: (tx: Kysely<Tables>) => Promise<number>,
): Promise<number> {
  return store.write(async (tx) => {
    lockName(tx, LOCK);
    return (await partitionsOf(tx)).includes(name) ? work(tx) : 0;
  }, WRITE_LIMITS);
}

/** The first id of an instant: those of earlier instants are before it. */
export function idOf(at: Instant): string {
  const time = at.toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}`;
}

/** When the month of an instant began, in UTC. */
export function monthOf(at: Instant): Instant {
  const date = new Date(at);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth());
}

export function monthAfter(at: Instant): Instant {
  const date = new Date(at);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1);
}

/** `yyyyMM` of the month that began at an instant. */
export function stampOf(start: Instant): string {
  return new Date(start).toISOString().slice(0, 7).replace('-', '');
}

const nameOf = (start: Instant): string => `audit_${stampOf(start)}`;

/** When the last month of a table ends; never where it has none. */
function endOf(name: string): Instant {
  const [, year, month] = /^audit_(?:until_)?(\d{4})(\d{2})$/.exec(name) ?? [];
  return year === undefined ? Number.POSITIVE_INFINITY : Date.UTC(Number(year), Number(month));
}
