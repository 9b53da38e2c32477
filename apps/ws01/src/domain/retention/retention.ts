import { DAY_MS } from '@ws01/asmx/time';
import { type Kysely, type SelectQueryBuilder, sql } from 'kysely';
import { ARTICLES, REVISIONS } from '../../records/articles.ts';
import { BACKUPS } from '../../records/backups.ts';
import { POSTINGS } from '../../records/counts.ts';
import { IMAGES } from '../../records/images.ts';
import { PHONE_VERIFICATIONS } from '../../records/phones.ts';
import type { RecordOf } from '../../records/record.ts';
import { REPORTS } from '../../records/reports.ts';
import type { Store } from '../../store/store.ts';
import type { Instant, OutboxKind, Tables } from '../../store/tables/tables.ts';
import { purgeTrash } from '../articles/purge.ts';
import { idBefore } from '../audit/audit.ts';
import { BACKUP_RECORDS_MS } from '../backup/records.ts';
import { countCounts, countFailed, purgeCounts, purgeFailed } from '../calls/purge.ts';
import { purgeRemovedImages } from '../images/purge.ts';
import { giveUpKept, purgeMails } from '../mail/purge.ts';
import { purgeReports } from '../moderation/reports.ts';
import { purgeSms } from '../sms/admin.ts';
import {
  countAudit,
  purgeAudit,
  purgeBackupRecords,
  purgeEvents,
  purgePostings,
  purgeRevisions,
  purgeVerifications,
  SINGLE_DAY,
  sumVisits,
} from './tables.ts';

/** The retention period of each kind of row, in days. */
export interface RetentionDays {
  /** Articles in the trash (semantics 5.15). */
  readonly trash: number;
  readonly removedImages: number;
  readonly revisions: number;
  /** At least as long as counts reach back (semantics 5.12). */
  readonly postings: number;
  readonly visits: number;
  readonly verifications: number;
  readonly unsentMails: number;
  readonly mails: number;
  readonly texts: number;
  /** What readers report. */
  readonly reports: number;
  readonly audit: number;
  readonly events: number;
  readonly callCounts: number;
  readonly failedCalls: number;
}

/** What a purge would delete. */
interface Doomed {
  readonly rows: number;
  /** Tables (partitions) that would be dropped, on PostgreSQL. */
  readonly tables: readonly string[];
}

/** A purge: the deletion of one kind of expired rows. */
export interface Purge {
  readonly name: string;
  readonly days: number;
  /** Counts what it would delete now. Reads only. */
  readonly count: (db: Kysely<Tables>, now: Instant) => Promise<Doomed>;
  /**
   * Deletes expired rows in batches; several processes may run it at once.
   * @returns the number of rows deleted.
   */
  readonly run: (store: Store, now: Instant) => Promise<number>;
}

/**
 * All purges, in order: those that write audit entries come before the purge of the audit trail.
 */
export function purgesOf(kept: RetentionDays): readonly Purge[] {
  return [
    aged(ARTICLES, 'trash', kept.trash, (store, before, now) =>
      purgeTrash(store, now, Number.POSITIVE_INFINITY, now - before),
    ),
    aged(IMAGES, 'removed-images', kept.removedImages, purgeRemovedImages),
    aged(REVISIONS, 'revisions', kept.revisions, purgeRevisions),
    aged(POSTINGS, 'postings', kept.postings, purgePostings),
    purge(
      'visits',
      kept.visits,
      (db, before) =>
        rowsOf(db.selectFrom('link_visits').where(SINGLE_DAY).where('day', '<', monthOf(before))),
      (store, before) => sumVisits(store, monthOf(before)),
    ),
    aged(PHONE_VERIFICATIONS, 'verifications', kept.verifications, purgeVerifications),
    purge(
      'unsent-mails',
      kept.unsentMails,
      (db, before) =>
        rowsOf(messages(db, 'mail').where('state', '=', 'kept').where('created_at', '<=', before)),
      giveUpKept,
    ),
    purge('mails', kept.mails, finished('mail'), purgeMails),
    purge('texts', kept.texts, finished('sms'), purgeSms),
    aged(REPORTS, 'reports', kept.reports, purgeReports),
    purge('audit', kept.audit, countAudit, purgeAudit),
    purge(
      'events',
      kept.events,
      (db, before) => rowsOf(db.selectFrom('events').where('id', '<', idBefore(before))),
      purgeEvents,
    ),
    purge('call-counts', kept.callCounts, countCounts, purgeCounts),
    purge('failed-calls', kept.failedCalls, countFailed, purgeFailed),
    aged(BACKUPS, 'backup-records', BACKUP_RECORDS_MS / DAY_MS, purgeBackupRecords),
  ];
}

type Run = (store: Store, before: Instant, now: Instant) => Promise<number>;

/**
 * A purge of what is older than some days: `count` and `run` get the instant before which it
 * expires.
 */
function purge(
  name: string,
  days: number,
  count: (
    db: Kysely<Tables>,
    before: Instant,
    now: Instant,
  ) => Promise<{ rows: unknown; tables?: readonly string[] }>,
  run: Run,
): Purge {
  const keptFor = days * DAY_MS;
  return {
    name,
    days,
    count: async (db, now) => {
      const { rows, tables = [] } = await count(db, now - keptFor, now);
      return { rows: Number(rows), tables };
    },
    run: (store, now) => run(store, now - keptFor, now),
  };
}

/** A purge of the rows of a record that are as old as its column for the purge says. */
function aged<Name extends string>(
  { table, expires }: Pick<RecordOf<never>, 'table'> & { expires: Readonly<Record<Name, string>> },
  name: Name,
  days: number,
  run: Run,
): Purge {
  const count = async (db: Kysely<Tables>, before: Instant) => {
    const counted = sql<{ rows: unknown }>`select count(*) as rows from ${sql.table(table)}
      where ${sql.ref(expires[name])} <= ${before}`;
    return (await counted.execute(db)).rows[0]!;
  };
  return purge(name, days, count, run);
}

/** Counts messages that were finished long ago. */
const finished = (kind: OutboxKind) => (db: Kysely<Tables>, before: Instant) =>
  rowsOf(messages(db, kind).where('finished_at', '<=', before));

function messages(db: Kysely<Tables>, kind: OutboxKind) {
  return db.selectFrom('outbox').where('kind', '=', kind);
}

/** The first day of an instant's month, in UTC. */
const monthOf = (at: Instant): string => `${new Date(at).toISOString().slice(0, 8)}01`;

function rowsOf<Table extends keyof Tables>(query: SelectQueryBuilder<Tables, Table, object>) {
  return query.select((eb) => eb.fn.countAll().as('rows')).executeTakeFirstOrThrow();
}
