import type { Kysely } from 'kysely';
import type { Store } from '../../store/store.ts';
import type { Instant, Tables } from '../../store/tables/tables.ts';
import { type ModeratedKind, remove } from '../moderation/moderation.ts';
import { isBelieved } from '../retention/absence.ts';
import type { JournalEntry } from './journal.ts';
import type { Kind, KindName } from './kinds.ts';

/**
 * Records that came with an import and that a later, full folder lacks: the old site has deleted
 * them.
 */

/** Kinds that are removed as a moderator would; the others stay, and are reported. */
const REMOVED: Readonly<Partial<Record<KindName, ModeratedKind>>> = {
  articles: 'article',
  adverts: 'advert',
  images: 'image',
};

const COMPARED: readonly KindName[] = ['users', 'articles', 'adverts', 'images', 'links'];

/** What already says that a record is gone. */
const GONE = ['deleted_at', 'removed_at', 'disabled_at'];

/** Keys per query, and removals per transaction. */
const PAGE = 500;

/**
 * So few may be deleted whatever their share, unless the folder has none at all: each can be
 * restored.
 */
const FEW = 20;

/** The records that a folder lacks. */
interface Missing {
  readonly keys: readonly string[];
  /** How many records the first import and later ones brought. */
  readonly of: number;
}

/**
 * Returns the records of a kind that were here at the first import and that the folder lacks.
 * @param isBrought whether the folder has a key.
 */
export async function missingFrom(
  db: Kysely<Tables>,
  kind: Kind,
  isBrought: (key: string) => boolean,
  firstImport: Instant | undefined,
): Promise<Missing> {
  const keys: string[] = [];
  let of = 0;
  if (firstImport === undefined || !COMPARED.includes(kind.name as KindName)) return { keys, of };
  let last = '';
  for (;;) {
    const page = await pageOf(db, kind, last, firstImport);
    if (page.length === 0) return { keys, of };
    of += page.length;
    keys.push(...page.filter((key) => !isBrought(key)));
    last = page.at(-1)!;
  }
}

async function pageOf(
  db: Kysely<Tables>,
  { table, key, fields }: Kind,
  after: string,
  before: Instant,
): Promise<string[]> {
  const column = key[0] as 'id';
  let page = db
    .selectFrom(table as 'users')
    .select(column)
    .where(column, '>', after)
    .where('created_at', '<', before);
  for (const gone of GONE) {
    if (fields.some(({ column }) => column === gone))
      page = page.where(gone as 'updated_at', 'is', null);
  }
  const rows = await page.orderBy(column).limit(PAGE).execute();
  return rows.map((row) => row[column]);
}

/** Whether missing records are removed: those of a kind unless they are many, or all. */
export type Removes = 'no' | 'few' | 'all';

/**
 * Returns what becomes of a kind's missing records, for the file of refused rows.
 * @param unread rows that could not be read: each may be one that seems to be missing.
 */
export function missingEntries(
  kind: Kind,
  missing: Missing,
  removes: Removes,
  unread: number,
): readonly JournalEntry[] {
  const why = keptBecause(kind, missing, removes, unread);
  const reason = `was brought by an import, and is not in this folder${why ?? ''}`;
  const was = why === undefined ? 'removed' : 'kept';
  return missing.keys.map((key) => ({ kind: kind.name, reasons: [reason], was, of: { key } }));
}

/** Returns the rest of a sentence; `undefined` when the records are removed. */
function keptBecause(
  kind: Kind,
  missing: Missing,
  removes: Removes,
  unread: number,
): string | undefined {
  if (REMOVED[kind.name as KindName] === undefined) return '';
  if (removes === 'no') return '; --remove-missing removes it';
  if (unread > 0) return '; none is removed while rows of its kind cannot be read';
  const { keys, of } = missing;
  const isFull = keys.length < of && isBelieved(keys.length, of, FEW);
  if (removes === 'all' || isFull) return undefined;
  return '; so many are missing that none is removed, unless you say --remove-missing all';
}

/** Removes records, as a moderator would: a restore brings each back. */
export async function removeMissing(
  store: Store,
  kind: Kind,
  keys: readonly string[],
  at: Instant,
): Promise<void> {
  const moderated = REMOVED[kind.name as KindName]!;
  const reason = 'not in the folder that was imported';
  for (let from = 0; from < keys.length; from += PAGE) {
    await store.write(async (tx) => {
      for (const key of keys.slice(from, from + PAGE))
        await remove(tx, { kind: moderated, key, by: undefined, reason, at });
    });
  }
}
