import type { Kysely } from 'kysely';
import { Ws01Error } from '../../contract/errors.ts';
import type { AdminSessionsTable } from '../../store/tables/admins.ts';
import type { BackupsTable, OutboxKind, Tables } from '../../store/tables/tables.ts';
import { auditAct } from '../audit/audit.ts';
import { cancel, type MessageChange } from '../outbox/change.ts';
import type { AskedRestore } from './restores.ts';

/** Rows of twenty values per statement; SQLite allows 32,766 values. */
const BATCH = 500;

/** What holds on, whatever a backup says. */
export interface KeptFromBefore {
  /** The backups that the database before knew: they are where they were. */
  readonly backups: readonly BackupsTable[];
  /** Whoever is signed in. */
  readonly sessions: readonly Pick<AdminSessionsTable, 'hash'>[];
}

/** What the service writes to a database that it restores. */
interface AfterRestore {
  readonly asked: AskedRestore;
  /** Where the backup is. */
  readonly from: string;
  /** The name of the backup of what was there before. */
  readonly undo: string;
  readonly kept: KeptFromBefore;
  readonly at: number;
}

/**
 * Completes a database that the service restores, before it takes its place: the service starts at
 * once, so that nobody can do it in between.
 * @returns how many messages that waited are cancelled.
 * @throws {Ws01Error} `Forbidden` when the admin who asks is no owner in it.
 */
export async function settleRestored(
  tx: Kysely<Tables>,
  { asked, from, undo, kept: { backups, sessions }, at }: AfterRestore,
): Promise<number> {
  await assertOwner(tx, asked.by.admin);
  await tx.deleteFrom('backups').execute();
  for (let start = 0; start < backups.length; start += BATCH)
    await tx
      .insertInto('backups')
      .values(backups.slice(start, start + BATCH))
      .execute();
  await endSessions(tx, sessions);
  const change = { by: asked.by, at };
  const cancelled =
    (await cancelWaiting(tx, 'mail', change)) + (await cancelWaiting(tx, 'sms', change));
  const details = { from, undo, cancelled };
  await auditAct(tx, 'database.restore', undefined, at, asked.by, details);
  return cancelled;
}

/** An owner who was added after the backup would shut the door behind themselves. */
async function assertOwner(tx: Kysely<Tables>, admin: string | undefined): Promise<void> {
  if (admin === undefined) return;
  const known = await tx
    .selectFrom('admins')
    .select('role')
    .where('name', '=', admin)
    .executeTakeFirst();
  if (known?.role === 'owner') return;
  throw new Ws01Error(
    'Forbidden',
    'In the backup you are no owner, so you could not sign in afterwards; use the commands.',
  );
}

/** Ends the sessions that were ended since: a cookie that somebody kept must not open again. */
async function endSessions(tx: Kysely<Tables>, kept: KeptFromBefore['sessions']): Promise<void> {
  const names = new Set(kept.map(({ hash }) => Buffer.from(hash).toString('hex')));
  const restored = await tx.selectFrom('admin_sessions').select('hash').execute();
  for (const { hash } of restored) {
    if (names.has(Buffer.from(hash).toString('hex'))) continue;
    await tx.deleteFrom('admin_sessions').where('hash', '=', hash).execute();
  }
}

/**
 * Cancels what waited to be sent when the backup was made: most of it was sent since. Each can be
 * sent after all.
 */
async function cancelWaiting(
  tx: Kysely<Tables>,
  kind: Exclude<OutboxKind, 'webhook'>,
  change: Omit<MessageChange, 'id'>,
): Promise<number> {
  // Whoever sent these when the backup was made has ended.
  await tx
    .updateTable('outbox')
    .set({ state: 'queued', lease: null })
    .where('kind', '=', kind)
    .where('state', '=', 'sending')
    .execute();
  const waiting = await tx
    .selectFrom('outbox')
    .select(['id', 'state'])
    .where('kind', '=', kind)
    .where('state', 'in', ['queued', 'deferred'])
    .execute();
  for (const { id, state } of waiting) await cancel(tx, kind, { id, ...change }, state);
  return waiting.length;
}
