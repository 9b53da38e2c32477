import { type Kysely, sql } from 'kysely';
import { Ws01Error } from '../../contract/errors.ts';
import { say } from '../../contract/sentence.ts';
import { deleteExpired } from '../../store/delete-expired.ts';
import { prepare } from '../../store/prepared.ts';
import type { Store } from '../../store/store.ts';
import type { Instant, ReportsTable, Tables } from '../../store/tables/tables.ts';
import { type Actor, auditAct, recordAudit } from '../audit/audit.ts';
import { removeBefore } from '../shared/batches.ts';
import { networkOf } from '../values/internet-address.ts';
import { newKey } from '../values/keys.ts';

/** Of a record so many reports wait at most; what more readers say of it is not kept. */
const MOST_OPEN = 50;

/** What the public may see of each kind, and by which key. */
const SHOWN: Readonly<Record<ReportsTable['target_kind'], readonly [view: string, key: string]>> = {
  article: ['v1_articles', 'guid'],
  advert: ['v1_adverts', 'guid'],
  image: ['v1_images', 'guid'],
  review: ['v1_reviews', 'id'],
};

/** What a reader reports. */
export interface ReaderReport {
  readonly kind: ReportsTable['target_kind'];
  readonly key: string;
  readonly reason: ReportsTable['reason'];
  readonly detail: string;
  /** The observed address of the reader. */
  readonly address: string;
  readonly requestId: string;
  readonly at: Instant;
}

/**
 * Keeps what a reader reports of a published record (semantics 5.13). A second report by the same
 * reader changes the words of the first, unless a moderator has closed it.
 * @returns whether it changed what is kept.
 * @throws {Ws01Error} `NotFound` for what the public cannot see.
 */
export async function reportRecord(
  tx: Kysely<Tables>,
  { kind, key, reason, detail, address, requestId, at }: ReaderReport,
): Promise<boolean> {
  const [view, named] = SHOWN[kind];
  const { rows } =
    await sql`select 1 from ${sql.table(view)} where ${sql.ref(named)} = ${key}`.execute(tx);
  if (rows.length === 0)
    throw new Ws01Error('NotFound', say`There is no ${{ kind }} with the key ${{ key }}.`);
  const { open } = await tx
    .selectFrom('reports')
    .select((eb) => eb.fn.countAll().as('open'))
    .where('target_key', '=', key)
    .where('target_kind', '=', kind)
    .where('closed_at', 'is', null)
    .executeTakeFirstOrThrow();
  if (Number(open) >= MOST_OPEN) return false;
  const id = newKey();
  const row = await tx
    .insertInto('reports')
    .values({
      id,
      target_kind: kind,
      target_key: key,
      reporter: networkOf(address),
      reason,
      detail,
      created_at: at,
      closed_at: null,
    })
    .onConflict((conflict) =>
      conflict
        .columns(['target_kind', 'target_key', 'reporter'])
        .doUpdateSet({ reason, detail })
        .where('reports.closed_at', 'is', null)
        .where((eb) =>
          eb.or([eb('reports.reason', '<>', reason), eb('reports.detail', '<>', detail)]),
        ),
    )
    .returning('id')
    .executeTakeFirst();
  if (row === undefined) return false;
  if (row.id !== id) return true;
  const target = { kind: 'report', key: id };
  await recordAudit(tx, {
    at,
    tokenId: undefined,
    address,
    requestId,
    action: 'report.create',
    target,
  });
  return true;
}

/** A change of a report by a moderator. */
interface ReportChange {
  readonly key: string;
  readonly by: Actor | undefined;
  readonly reason: string | undefined;
  readonly at: Instant;
}

/**
 * Closes a report and the others of its record: the record stays as it is.
 * @returns whether it was open.
 * @throws {Ws01Error} `NotFound`
 */
export async function dismissReports(tx: Kysely<Tables>, change: ReportChange): Promise<boolean> {
  const report = await reportOf(tx, change.key);
  if (report.closed_at !== null) return false;
  await closeReports(tx, report.target_kind, report.target_key, change.at);
  await auditReport(tx, 'dismiss', change);
  return true;
}

/**
 * Undoes {@link dismissReports}: those that it closed wait again.
 * @throws {Ws01Error} `NotFound`
 */
export async function reopenReports(tx: Kysely<Tables>, change: ReportChange): Promise<boolean> {
  const { target_kind, target_key, closed_at } = await reportOf(tx, change.key);
  if (closed_at === null) return false;
  await openAgain(tx, target_kind, target_key, closed_at);
  await auditReport(tx, 'reopen', change);
  return true;
}

/** Has the reports of a record wait again that were closed at an instant. */
export async function openAgain(
  tx: Kysely<Tables>,
  kind: ReportsTable['target_kind'],
  key: string,
  closedAt: Instant,
): Promise<void> {
  await tx
    .updateTable('reports')
    .set({ closed_at: null })
    .where('target_key', '=', key)
    .where('target_kind', '=', kind)
    .where('closed_at', '=', closedAt)
    .execute();
}

/** Closes what readers reported of a record, because a moderator decided about it. */
export async function closeReports(
  tx: Kysely<Tables>,
  kind: ReportsTable['target_kind'],
  key: string,
  at: Instant,
): Promise<void> {
  await close.run(tx, { kind, key, at });
}

const close = prepare(
  (db, { kind, key, at }: { kind: ReportsTable['target_kind']; key: string; at: Instant }) =>
    db
      .updateTable('reports')
      .set({ closed_at: at })
      .where('target_key', '=', key)
      .where('target_kind', '=', kind)
      .where('closed_at', 'is', null),
);

async function reportOf(tx: Kysely<Tables>, id: string): Promise<ReportsTable> {
  const row = await tx.selectFrom('reports').selectAll().where('id', '=', id).executeTakeFirst();
  if (row !== undefined) return row;
  throw new Ws01Error('NotFound', say`There is no ${{ kind: 'report' }} ${{ key: id }}.`);
}

async function auditReport(
  tx: Kysely<Tables>,
  verb: 'dismiss' | 'reopen',
  { key, by, reason, at }: ReportChange,
): Promise<void> {
  await auditAct(tx, `report.${verb}`, key, at, by, { reason });
}

/** Deletes reports from before an instant, closed or not. */
export function purgeReports(store: Store, before: Instant): Promise<number> {
  return removeBefore(store, deleteReports, before);
}

const deleteReports = deleteExpired('reports', ['id'], 'created_at');
