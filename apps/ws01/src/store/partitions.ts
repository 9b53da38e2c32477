import { type Kysely, sql } from 'kysely';
import { isPostgres } from './engine-of.ts';
import { lockName } from './row-lock.ts';
import type { Store } from './store.ts';
import type { Instant, Tables } from './tables/tables.ts';

/**
 * On PostgreSQL the audit trail is partitioned by month, by the ids of its entries, which begin
 * with their time (UUIDv7). So a purge drops a whole partition, at once and without any work on the
 * others.
 *
 * audit_until_202612: the entries from before the partitioning, and the rest of that month
 * audit_202701 …: one partition per month
 * audit_other: the default partition
 */
export const AUDIT = 'audit';
const OTHER = 'audit_other';
const MONTH = /^audit_\d{6}$/;

/** Number of months whose partitions are created in advance. */
const AHEAD = 3;

/**
 * Timeouts of creating and dropping partitions, which wait for readers of the trail; nobody should
 * wait for them; ms.
 */
const WRITE_LIMITS = { busyTimeout: 500, workTimeout: 60_000 };

/** The lock of processes that create or drop partitions. */
const LOCK = 'audit partitions';

/** The partitions of the trail; none if it is not partitioned. */
export interface AuditPartitions {
  /** Partitions in which all entries are older than an instant. */
  readonly ended: readonly string[];
  /** Partitions with some older entries, and those that are not of one month. */
  readonly mixed: readonly string[];
}

/** Returns the partitioned table of a partition; the table itself if it is not one. */
export function wholeOf(table: string): string {
  return table === OTHER || /^audit_(?:until_)?\d{6}$/.test(table) ? AUDIT : table;
}

/** Returns the partitions of the trail relative to an instant. */
export async function auditPartitions(
  db: Kysely<Tables>,
  before: Instant,
): Promise<AuditPartitions> {
  const names = await partitionsOf(db);
  return {
    ended: names.filter((name) => endOf(name) <= before),
    mixed: names.filter((name) => endOf(name) > before && !MONTH.test(name)),
  };
}

async function partitionsOf(db: Kysely<Tables>): Promise<readonly string[]> {
  if (!isPostgres(db)) return [];
  const { rows } = await sql<{ name: string }>`select relname as name from pg_inherits
    join pg_class on pg_class.oid = inhrelid where inhparent = to_regclass(${AUDIT}) order by relname`.execute(
    db,
  );
  return rows.map(({ name }) => name);
}

/**
 * Creates the partitions of this month and the next ones, if the trail is partitioned, and moves
 * entries into them that are in the default partition. Several processes may call it at once.
 */
export async function makeAuditPartitions(store: Store, now: Instant): Promise<void> {
  if (store.engine !== 'postgres') return;
  const there = new Set(await store.read(partitionsOf));
  // Without the default partition the trail is not partitioned.
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

/**
 * Drops a partition of the audit trail.
 * @returns the number of its entries; 0 if another process has dropped it.
 */
export function dropAuditPartition(store: Store, name: string): Promise<number> {
  return withAuditPartition(store, name, async (tx) => {
    const { rows } = await sql<{
      entries: number;
    }>`select count(*) as entries from ${sql.table(name)}`.execute(tx);
    await sql`drop table ${sql.table(name)}`.execute(tx);
    return Number(rows[0]!.entries);
  });
}

/**
 * Runs work on a partition while no process can drop it.
 * @returns the result of `work`; 0 if the partition no longer exists.
 */
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

/** Returns the lowest id of an instant; ids of earlier instants are lower. */
export function idOf(at: Instant): string {
  const time = at.toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}`;
}

/** Returns the start of an instant's month, in UTC. */
export function monthOf(at: Instant): Instant {
  const date = new Date(at);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth());
}

export function monthAfter(at: Instant): Instant {
  const date = new Date(at);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1);
}

/** Returns `yyyyMM` of a month, given its start. */
export function stampOf(start: Instant): string {
  return new Date(start).toISOString().slice(0, 7).replace('-', '');
}

const nameOf = (start: Instant): string => `audit_${stampOf(start)}`;

/** Returns the end of a partition's last month; infinity if it has none. */
function endOf(name: string): Instant {
  const [, year, month] = /^audit_(?:until_)?(\d{4})(\d{2})$/.exec(name) ?? [];
  return year === undefined ? Number.POSITIVE_INFINITY : Date.UTC(Number(year), Number(month));
}
