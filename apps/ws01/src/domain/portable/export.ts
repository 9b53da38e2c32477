import { createHash, type Hash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { type Kysely, type RawBuilder, sql } from 'kysely';
import { makeFolder, sync, writeDurably } from '../../adapters/files/durable.ts';
import type { FileStore } from '../../adapters/files/file-store.ts';
import { Ws01Error } from '../../contract/errors.ts';
import { formatInstant } from '../../contract/lexical.ts';
import { whereAll } from '../../records/conditions.ts';
import type { Store } from '../../store/store.ts';
import type { Instant, Tables } from '../../store/tables/tables.ts';
import type { OnProgress } from '../shared/progress.ts';
import { ExportedFiles, namedFiles } from './exported-files.ts';
import { columnsOf } from './import-rows.ts';
import type { Kind } from './kinds.ts';
import { FORMAT, FORMAT_VERSION, KINDS } from './kinds.ts';
import { type ExportManifest, MANIFEST } from './manifest.ts';
import { type Row, toJson } from './record.ts';

/** Rows per query, and the total size of their long texts; bytes. */
const PAGE = 2_000;
const PAGE_BYTES = 8 * 1024 * 1024;

/** The columns with long texts. */
const LONG: Readonly<Partial<Record<keyof Tables, string>>> = {
  articles: 'content',
  article_revisions: 'content',
  adverts: 'detail',
  mails: 'body',
};

/** Maximum number of passes over the files; each pass copies only what has been added since. */
const PASSES = 10;

export interface ExportDeps {
  readonly store: Store;
  /** The image files; `undefined` to leave them out. */
  readonly files: FileStore | undefined;
  /** An empty folder. */
  readonly folder: string;
  /** Only what was written since then, and kinds that do not know when; absent: everything. */
  readonly since?: Instant | undefined;
  readonly now: number;
  readonly onProgress: OnProgress;
  readonly signal: AbortSignal;
}

export interface ExportReport {
  readonly records: Readonly<Record<string, number>>;
  readonly images: { readonly files: number; readonly bytes: number };
  /** Image files that are missing or have changed, by hash. */
  readonly damaged: ReadonlyMap<string, string>;
}

/**
 * Exports all portable data into a folder, as a consistent snapshot of a running service. It is
 * durable when it resolves, and only its owner can read it.
 * @throws {DependencyError}
 * @throws {Ws01Error} `Busy` when images change faster than they can be copied.
 * @throws a system error when the folder cannot be written; the signal's reason.
 */
export async function exportFolder(deps: ExportDeps): Promise<ExportReport> {
  const { store, folder, files, signal, since } = deps;
  const images = files === undefined ? undefined : new ExportedFiles(files, folder);
  // Most files are copied before the snapshot is taken.
  await images?.copyAll(await store.read((db) => namedFiles(db, since)), deps);
  for (let pass = 1; pass <= PASSES; pass++) {
    const report = await store.snapshot(async (db) => {
      // Before the records, because a service deletes a file with its last image.
      if (images !== undefined && !(await images.copyAll(await namedFiles(db, since), deps)))
        return undefined;
      return writeAll(db, deps, images);
    });
    if (report !== undefined) {
      await sync(folder);
      return report;
    }
    signal.throwIfAborted();
  }
  throw new Ws01Error(
    'Busy',
    'Images come and go faster than they can be copied; try again later.',
  );
}

async function writeAll(
  db: Kysely<Tables>,
  { folder, now, onProgress, signal, since }: ExportDeps,
  images: ExportedFiles | undefined,
): Promise<ExportReport> {
  const written: Record<string, { records: number; bytes: number; sha256: string }> = {};
  await makeFolder(folder);
  for (const kind of KINDS) {
    const total = await countRows(db, kind, since);
    const file = await RecordFile.create(join(folder, `${kind.name}.jsonl`));
    try {
      for await (const rows of readRows(db, kind, [], since)) {
        signal.throwIfAborted();
        await file.write(kind, rows);
        onProgress(file.records, total, unitsOf(kind));
      }
      written[kind.name] = await file.finish();
    } finally {
      await file.close();
    }
  }
  const totals = (await images?.keepNamed()) ?? { files: 0, bytes: 0 };
  const manifest: ExportManifest = {
    format: FORMAT,
    version: FORMAT_VERSION,
    createdAt: formatInstant(now),
    files: written,
    images: totals,
  };
  await writeDurably(join(folder, MANIFEST), `${JSON.stringify(manifest, undefined, 2)}\n`, 'wx');
  return {
    records: Object.fromEntries(
      Object.entries(written).map(([kind, { records }]) => [kind, records]),
    ),
    images: totals,
    damaged: images?.damaged ?? new Map(),
  };
}

/**
 * Yields all rows of a kind in pages, in the order of the key.
 * @param also columns besides those of the fields.
 * @param since only those written since then; of kinds that do not know when, all.
 */
export async function* readRows(
  db: Kysely<Tables>,
  kind: Kind,
  also: readonly string[] = [],
  since?: Instant,
): AsyncGenerator<Row[]> {
  let last: Row | undefined;
  for (;;) {
    const size = await pageSize(db, kind, last, since);
    if (size === 0) return;
    const rows = await rowsAfter(
      db,
      kind,
      [...columnsOf(kind), ...also].map((column) => sql.ref(column)),
      last,
      size,
      since,
    );
    yield rows.map((row) => exported(kind, row));
    last = rows.at(-1);
  }
}

/** Returns the size of the next page: as many rows as fit in memory, at least one. */
async function pageSize(
  db: Kysely<Tables>,
  kind: Kind,
  last: Row | undefined,
  since: Instant | undefined,
): Promise<number> {
  const long = LONG[kind.table];
  const size = long === undefined ? sql`0` : sql`octet_length(${sql.ref(long)})`;
  const rows = await rowsAfter(db, kind, [sql`${size} as size`], last, PAGE, since);
  let bytes = 0;
  for (const [at, row] of rows.entries()) {
    bytes += row.size as number;
    if (bytes > PAGE_BYTES) return Math.max(at, 1);
  }
  return rows.length;
}

async function rowsAfter(
  db: Kysely<Tables>,
  kind: Kind,
  columns: readonly RawBuilder<unknown>[],
  last: Row | undefined,
  most: number,
  since: Instant | undefined,
): Promise<Row[]> {
  const key = kind.key.map((column) => sql.ref(column));
  const conditions = conditionsOf(kind, since);
  if (last !== undefined) {
    conditions.push(
      sql`(${sql.join(key)}) > (${sql.join(kind.key.map((column) => sql.val(last[column])))})`,
    );
  }
  const { rows } = await sql<Row>`select ${sql.join(columns)} from ${sql.table(kind.table)}
    ${whereAll(conditions)}
    order by ${sql.join(key)} limit ${most}`.execute(db);
  return rows;
}

/** Counts the records of a kind; with `since` those written since then. */
export async function countRows(db: Kysely<Tables>, kind: Kind, since?: Instant): Promise<number> {
  const { rows } = await sql<{ total: number }>`select count(*) as total
    from ${sql.table(kind.table)} ${whereAll(conditionsOf(kind, since))}`.execute(db);
  return rows[0]!.total;
}

/** Columns that say when something of a record was written. */
const WRITTEN = [
  ...['created_at', 'updated_at', 'recorded_at', 'stored_at', 'at', 'finished_at'],
  ...['held_at', 'removed_at', 'deleted_at', 'disabled_at', 'revoked_at'],
];

function conditionsOf({ table, fields }: Kind, since: Instant | undefined): RawBuilder<unknown>[] {
  const conditions = table === 'outbox' ? [sql`kind = 'mail'`] : [];
  const written = fields.filter(({ column }) => WRITTEN.includes(column));
  if (since !== undefined && written.length > 0) {
    const later = written.map(({ column }) => sql`${sql.ref(column)} >= ${since}`);
    conditions.push(sql`(${sql.join(later, sql` or `)})`);
  }
  return conditions;
}

/** Messages that are being sent must be sent again elsewhere. */
function exported({ table }: Kind, row: Row): Row {
  if (table === 'outbox' && row.state === 'sending') return { ...row, state: 'queued' };
  return row;
}

/** What the records of a kind are called in progress messages: `image files`. */
export function unitsOf({ name }: Kind): string {
  return name.replaceAll('-', ' ');
}

/** Returns a record as a line. */
export function lineOf(kind: Kind, row: Row): string {
  return `${JSON.stringify(toJson(kind, row))}\n`;
}

/** A file of records. */
class RecordFile {
  readonly #handle: FileHandle;
  readonly #hash: Hash = createHash('sha256');
  #bytes = 0;
  records = 0;

  private constructor(handle: FileHandle) {
    this.#handle = handle;
  }

  static async create(path: string): Promise<RecordFile> {
    return new RecordFile(await open(path, 'wx', 0o600));
  }

  async write(kind: Kind, rows: readonly Row[]): Promise<void> {
    const bytes = Buffer.from(rows.map((row) => lineOf(kind, row)).join(''));
    this.#hash.update(bytes);
    await this.#handle.write(bytes);
    this.#bytes += bytes.length;
    this.records += rows.length;
  }

  async finish(): Promise<{ records: number; bytes: number; sha256: string }> {
    await this.#handle.sync();
    return { records: this.records, bytes: this.#bytes, sha256: this.#hash.digest('hex') };
  }

  async close(): Promise<void> {
    await this.#handle.close();
  }
}
