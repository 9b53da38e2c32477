import { createHash } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import { dropIndexes, restoreIndexes } from '../../store/absent-indexes.ts';
import { insertNew } from '../../store/bulk.ts';
import type { Store } from '../../store/store.ts';
import type { Instant, Tables } from '../../store/tables/tables.ts';
import { auditAct } from '../audit/audit.ts';
import { filesIdIn, setFilesId } from '../images/file-owner.ts';
import type { OnProgress } from '../shared/progress.ts';
import { countRows, lineOf, readRows, unitsOf } from './export.ts';
import { columnsOf, importRows, LONG_WRITE_LIMITS } from './import-rows.ts';
import type { Kind } from './kinds.ts';
import { KINDS } from './kinds.ts';
import type { Row } from './record.ts';
import type { ImportContext } from './rules/context.ts';

/** The target database is not empty, or the copy differs from the original. */
export class CopyError extends Error {
  override readonly name = 'CopyError';
}

export interface CopyDeps {
  readonly from: Store;
  readonly to: Store;
  readonly now: Instant;
  readonly onProgress: OnProgress;
  readonly signal: AbortSignal;
}

/** The copied records of a kind: their number, and SHA-256 over their export form. */
export interface CopiedKind {
  readonly records: number;
  readonly sha256: string;
}

/**
 * Copies all portable data from a snapshot of one database into another, empty one, and compares it
 * before the commit. Image files are not copied: both databases refer to the same ones.
 * @returns what was copied, by kind.
 * @throws {CopyError}
 * @throws {DependencyError}
 * @throws the signal's reason. The target database is then unchanged.
 */
export async function copyStore({
  from,
  to,
  now,
  onProgress,
  signal,
}: CopyDeps): Promise<Record<string, CopiedKind>> {
  return from.snapshot((db) =>
    to.write(async (tx) => {
      await assertEmpty(tx);
      const context: ImportContext = {
        brings: new Set(KINDS.map(({ name }) => name)),
        now,
        sendMail: true,
        intoEmpty: true,
      };
      const copied: Record<string, CopiedKind> = {};
      for (const kind of KINDS) {
        if (kind.table !== 'images') await dropIndexes(tx, kind.table, ['postings_by_record']);
        const total = await countRows(db, kind);
        let done = 0;
        const original = await digest(kind, readRows(db, kind, filesOf(kind)), async (rows) => {
          signal.throwIfAborted();
          await copyRows(tx, kind, rows, context);
          done += rows.length;
          onProgress(done, total, unitsOf(kind));
        });
        let compared = 0;
        const copy = await digest(kind, readRows(tx, kind), async (rows) => {
          compared += rows.length;
          onProgress(compared, total, `${unitsOf(kind)} compared`);
        });
        if (copy.records !== original.records || copy.sha256 !== original.sha256) {
          throw new CopyError(
            `${kind.name} came out otherwise: ${original.records} records ${original.sha256}, and ${copy.records} records ${copy.sha256} in the copy. Nothing was kept.`,
          );
        }
        copied[kind.name] = copy;
      }
      // The files stay where they are, and belong to the copy.
      const files = await filesIdIn(db);
      if (files !== undefined) await setFilesId(tx, files);
      onProgress(0, 0, 'building the indexes');
      await restoreIndexes(tx);
      const engines = { from: from.engine, to: to.engine };
      await auditAct(tx, 'data.copy', undefined, now, undefined, engines);
      return copied;
    }, LONG_WRITE_LIMITS),
  );
}

/** Columns of an image file that exports leave out, because they have no meaning elsewhere. */
function filesOf({ table }: Kind): readonly string[] {
  return table === 'image_files' ? ['stored_as'] : [];
}

async function copyRows(
  tx: Kysely<Tables>,
  kind: Kind,
  rows: readonly Row[],
  context: ImportContext,
): Promise<void> {
  if (kind.table === 'image_files') {
    await insertNew(tx, kind.table, [...columnsOf(kind), ...filesOf(kind)], kind.key, rows);
    return;
  }
  if (kind.table === 'outbox')
    for (const row of rows) Object.assign(row, { kind: 'mail', lease: null });
  const outcomes = await importRows(tx, kind, rows, context);
  const refused = outcomes.find((outcome) => typeof outcome === 'object');
  if (refused !== undefined)
    throw new CopyError(`A record of ${kind.name} was refused: ${refused.refused}.`);
}

async function digest(
  kind: Kind,
  pages: AsyncIterable<Row[]>,
  each: (rows: readonly Row[]) => Promise<void> = async () => {},
): Promise<CopiedKind> {
  const hash = createHash('sha256');
  let records = 0;
  for await (const rows of pages) {
    for (const row of rows) hash.update(lineOf(kind, row));
    records += rows.length;
    await each(rows);
  }
  return { records, sha256: hash.digest('hex') };
}

async function assertEmpty(tx: Kysely<Tables>): Promise<void> {
  for (const { table, name } of KINDS) {
    const { rows } = await sql`select 1 from ${sql.table(table)} limit 1`.execute(tx);
    if (rows.length > 0)
      throw new CopyError(`The database to copy into has ${name} already; name an empty one.`);
  }
}
