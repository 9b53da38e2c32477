import { type Kysely, sql } from 'kysely';
import { deleteExpired } from '../../store/delete-expired.ts';
import {
  AUDIT,
  auditPartitions,
  dropAuditPartition,
  withAuditPartition,
} from '../../store/partitions.ts';
import { prepare } from '../../store/prepared.ts';
import type { Store } from '../../store/store.ts';
import type {
  Instant,
  LinkVisitSourcesTable,
  LinkVisitsTable,
  Tables,
} from '../../store/tables/tables.ts';
import { recordContents } from '../articles/history.ts';
import { lockArticles } from '../articles/rows.ts';
import { CLOCK_SLACK_MS, idBefore } from '../audit/audit.ts';
import { addVisits } from '../links/rows.ts';
import { addSources } from '../links/visit-sources.ts';
import { removeBefore, removeInBatches } from '../shared/batches.ts';

/** Largest number of rows deleted in one transaction, so that other writes do not wait long. */
const BATCH = 500;
const BATCH_CONTENTS = 100;
const BATCH_DAYS = 100;

/** Largest number of sources of a kind in the sum of a month: the largest possible for a day. */
const MONTH_SOURCES = 1_000;

/** The partitions of the audit trail, if it has any, with the id before which entries expire. */
const partsOf = (db: Kysely<Tables>, before: Instant) =>
  auditPartitions(db, before - CLOCK_SLACK_MS);

/**
 * Deletes entries of the audit trail from before an instant. If the trail is partitioned by month,
 * a partition is dropped when all its entries have expired.
 */
export async function purgeAudit(store: Store, before: Instant): Promise<number> {
  const { ended, mixed } = await store.read((db) => partsOf(db, before));
  let removed = 0;
  for (const name of ended) removed += await dropAuditPartition(store, name);
  const id = idBefore(before);
  if (mixed.length === 0) {
    return removeBefore(store, deleteAudit, id);
  }
  for (const name of mixed) {
    const table = sql.table(name);
    const remove = async (tx: Kysely<Tables>) => {
      const { numAffectedRows = 0n } = await sql`delete from ${table} where id in
        (select id from ${table} where id < ${id} order by id limit ${BATCH})`.execute(tx);
      return Number(numAffectedRows);
    };
    for (let gone = BATCH; gone === BATCH; removed += gone)
      gone = await withAuditPartition(store, name, remove);
  }
  return removed;
}

/** Counts what {@link purgeAudit} would delete: entries, and partitions that it would drop. */
export async function countAudit(
  db: Kysely<Tables>,
  before: Instant,
): Promise<{ rows: number; tables: readonly string[] }> {
  const { ended, mixed } = await partsOf(db, before);
  let rows = 0;
  for (const name of ended) rows += await entriesIn(db, name);
  for (const name of mixed.length === 0 ? [AUDIT] : mixed)
    rows += await entriesIn(db, name, idBefore(before));
  return { rows, tables: ended };
}

async function entriesIn(db: Kysely<Tables>, name: string, before?: string): Promise<number> {
  const until = before === undefined ? sql`` : sql`where id < ${before}`;
  const { rows } = await sql<{
    entries: number;
  }>`select count(*) as entries from ${sql.table(name)} ${until}`.execute(db);
  return Number(rows[0]!.entries);
}

const deleteAudit = prepare((db, { before, most }: { before: string; most: number }) =>
  db
    .deleteFrom('audit')
    .where('id', 'in', (eb) =>
      eb.selectFrom('audit').select('id').where('id', '<', before).orderBy('id').limit(most),
    ),
);

/** Deletes events from before an instant, with their deliveries to webhooks. */
export function purgeEvents(store: Store, before: Instant): Promise<number> {
  return removeInBatches(
    store,
    async (tx, most) => {
      const old = await firstEvents.all(tx, { before: idBefore(before), most });
      const ids = old.map(({ id }) => id);
      if (ids.length === 0) return 0;
      const deliveries = await tx
        .deleteFrom('webhook_deliveries')
        .where('event_id', 'in', ids)
        .returning('id')
        .execute();
      const gone = deliveries.map(({ id }) => id);
      for (let start = 0; start < gone.length; start += BATCH) {
        await tx
          .deleteFrom('outbox')
          .where('id', 'in', gone.slice(start, start + BATCH))
          .execute();
      }
      await tx.deleteFrom('events').where('id', 'in', ids).execute();
      return ids.length;
    },
    BATCH,
  );
}

const firstEvents = prepare((db, { before, most }: { before: string; most: number }) =>
  db
    .selectFrom('events')
    .select('id')
    .where('id', '<', before)
    // Those after it wait for their number, or to be queued for webhooks.
    .where('seq', '<=', (eb) =>
      eb.selectFrom('event_sequence').select('last').where('event_sequence.id', '=', 1),
    )
    .orderBy('id')
    .limit(most),
);

/**
 * Deletes creations from the ledger of counts. Ids grow with time, so it stops at the first one to
 * keep.
 */
export async function purgePostings(store: Store, before: Instant): Promise<number> {
  return removeInBatches(
    store,
    async (tx, most) => {
      const first = await firstPostings.all(tx, { most });
      const young = first.findIndex(({ at }) => at > before);
      const old = young < 0 ? first : first.slice(0, young);
      const last = old.at(-1);
      if (last === undefined) return 0;
      return deletePostings.run(tx, { upTo: last.id });
    },
    BATCH,
  );
}

const firstPostings = prepare((db, { most }: { most: number }) =>
  db.selectFrom('postings').select(['id', 'at']).orderBy('id').limit(most),
);

const deletePostings = prepare((db, { upTo }: { upTo: number }) =>
  db.deleteFrom('postings').where('id', '<=', upTo),
);

/** Deletes verifications of phone numbers; calls use only those of the last 30 minutes. */
export function purgeVerifications(store: Store, before: Instant): Promise<number> {
  return removeBefore(store, deleteVerifications, before);
}

const deleteVerifications = deleteExpired(
  'phone_verifications',
  ['user_id', 'phone'],
  'verified_at',
);

/** Deletes old revisions of articles; the audit trail still shows who wrote each. */
export function purgeRevisions(store: Store, before: Instant): Promise<number> {
  return removeInBatches(
    store,
    async (tx, most) => {
      const old = await oldRevisions.all(tx, { before, most });
      if (old.length === 0) return 0;
      const articles = await lockArticles(tx, [...new Set(old.map(({ guid }) => guid))]);
      await recordContents(tx, articles);
      let removed = 0;
      for (const revision of old) removed += await deleteRevision.run(tx, revision);
      return removed;
    },
    BATCH_CONTENTS,
  );
}

const oldRevisions = prepare((db, { before, most }: { before: Instant; most: number }) =>
  db
    .selectFrom('article_revisions')
    .select(['article_guid as guid', 'revision'])
    .where('recorded_at', '<=', before)
    .orderBy('recorded_at')
    .limit(most),
);

const deleteRevision = prepare((db, { guid, revision }: { guid: string; revision: number }) =>
  db
    .deleteFrom('article_revisions')
    .where('article_guid', '=', guid)
    .where('revision', '=', revision),
);

/** Condition for a row of a single day, not the sum of a month; written as in the index. */
export const SINGLE_DAY = sql<boolean>`substr(day, 9, 2) <> '01'`;

/**
 * Sums visits by day, and their sources, up to sums by month, stored as the first day of the month.
 * The total of each link stays the same.
 * @param before `yyyy-MM-01`; earlier months are summed up.
 * @returns the number of rows summed up.
 */
export function sumVisits(store: Store, before: string): Promise<number> {
  return removeInBatches(
    store,
    async (tx, most) => {
      const days = await tx
        .selectFrom('link_visits')
        .selectAll()
        .where(SINGLE_DAY)
        .where('day', '<', before)
        .orderBy('day')
        .orderBy('code')
        .limit(most)
        .execute();
      const months = new Map<string, LinkVisitsTable>();
      const sources = new Map<string, LinkVisitSourcesTable>();
      let removed = 0;
      for (const row of days) {
        // Another process may have taken this row first.
        if ((await deleteDay.run(tx, row)) === 0) continue;
        removed++;
        const day = `${row.day.slice(0, 8)}01`;
        const sum = months.get(`${row.code} ${day}`) ?? {
          code: row.code,
          day,
          visits: 0,
          bots: 0,
          heads: 0,
        };
        for (const { kind, name, visits } of await takeSources(tx, row)) {
          const id = `${row.code} ${day} ${kind} ${name}`;
          const { visits: others = 0 } = sources.get(id) ?? {};
          sources.set(id, { code: row.code, day, kind, name, visits: others + visits });
        }
        const { visits, bots, heads } = row;
        months.set(`${row.code} ${day}`, {
          ...sum,
          visits: sum.visits + visits,
          bots: sum.bots + bots,
          heads: sum.heads + heads,
        });
      }
      await addVisits(tx, [...months.values()]);
      if (sources.size > 0)
        await addSources(tx, [...sources.values()].toSorted(oftenFirst), MONTH_SOURCES);
      return removed;
    },
    BATCH_DAYS,
  );
}

const oftenFirst = (one: LinkVisitSourcesTable, other: LinkVisitSourcesTable) =>
  other.visits - one.visits;

function takeSources(tx: Kysely<Tables>, { code, day }: Pick<LinkVisitsTable, 'code' | 'day'>) {
  return tx
    .deleteFrom('link_visit_sources')
    .where('code', '=', code)
    .where('day', '=', day)
    .returning(['kind', 'name', 'visits'])
    .execute();
}

const deleteDay = prepare((db, { code, day }: Pick<LinkVisitsTable, 'code' | 'day'>) =>
  db.deleteFrom('link_visits').where('code', '=', code).where('day', '=', day),
);

/** Deletes the records of backups that started before an instant. */
export async function purgeBackupRecords(store: Store, before: Instant): Promise<number> {
  const [result] = await store.write((tx) =>
    tx.deleteFrom('backups').where('started_at', '<=', before).execute(),
  );
  return Number(result?.numDeletedRows ?? 0);
}
