import type { Kysely } from 'kysely';
import { Ws01Error } from '../../contract/errors.ts';
import { say } from '../../contract/sentence.ts';
import { lockRows } from '../../store/row-lock.ts';
import type { Instant, Moderated, Tables } from '../../store/tables/tables.ts';
import { setAdvertModeration } from '../adverts/rows.ts';
import { setArticleModeration } from '../articles/rows.ts';
import { type Actor, auditAct } from '../audit/audit.ts';
import { lockLink } from '../images/listing/linked.ts';
import { refreshImage } from '../images/moderated.ts';
import { changeBy, changeTally } from '../reviews/tally.ts';
import { isPublic } from '../shared/moderated.ts';
import { closeReports, openAgain } from './reports.ts';

/** The kinds of records that moderators look after. */
export type ModeratedKind = 'article' | 'advert' | 'image' | 'review';

/** What a moderator wants of one record. */
export interface ModerationCall {
  readonly kind: ModeratedKind;
  /** The canonical key of the record; of a review its id. */
  readonly key: string;
  /** The moderator; `undefined` for an operator on the machine itself. */
  readonly by: Actor | undefined;
  /** For the audit trail; `undefined` for none. */
  readonly reason: string | undefined;
  readonly at: Instant;
}

/**
 * Holds a record until it is released: public lists omit it, its images answer 410, a held review
 * does not count. Its author cannot undo that.
 * @returns whether anything changed.
 * @throws {Ws01Error} `NotFound`
 */
export function hold(tx: Kysely<Tables>, call: ModerationCall): Promise<boolean> {
  return moderate(tx, call, 'hold', (present, at) => ({
    ...present,
    held_at: present.held_at ?? at,
  }));
}

/** Ends a {@link hold}. @returns whether it was held. @throws {Ws01Error} `NotFound` */
export function release(tx: Kysely<Tables>, call: ModerationCall): Promise<boolean> {
  return moderate(tx, call, 'release', (present) => ({ ...present, held_at: null }));
}

/**
 * Removes a record. An article is moved to the trash, and purged like others; other records are
 * kept, but hidden. Only {@link restore} or an admin restores it.
 * @returns whether anything changed.
 * @throws {Ws01Error} `NotFound`
 */
export function remove(tx: Kysely<Tables>, call: ModerationCall): Promise<boolean> {
  return moderate(tx, call, 'remove', removed);
}

/** As {@link remove}, for what waited for approval: the trail says that it was refused. */
export function reject(tx: Kysely<Tables>, call: ModerationCall): Promise<boolean> {
  return moderate(tx, call, 'reject', removed);
}

function removed({ removed_at, deleted_at, ...others }: Standing, at: Instant): Standing {
  return { ...others, removed_at: removed_at ?? at, deleted_at: deleted_at ?? at };
}

/**
 * Restores a removed record, or an article from the trash, no matter who moved it there; but one
 * that was in the trash when it was removed is back in the trash. A hold is kept.
 * @returns whether anything changed.
 * @throws {Ws01Error} `NotFound`, also when it has been purged.
 */
export function restore(tx: Kysely<Tables>, call: ModerationCall): Promise<boolean> {
  return moderate(tx, call, 'restore', ({ removed_at, deleted_at, ...present }) => {
    const wasInTrash = removed_at !== null && deleted_at !== removed_at;
    return { ...present, removed_at: null, deleted_at: wasInTrash ? deleted_at : null };
  });
}

/** What settles the reports of readers. */
const DECIDES: ReadonlySet<string> = new Set(['hold', 'remove', 'reject']);

/** What a verb takes back, by the column with the instant of it: what it settled waits again. */
const TAKES_BACK = { release: 'held_at', restore: 'removed_at' } as const;

type Verb = 'hold' | 'release' | 'remove' | 'reject' | 'restore' | 'purge';

/** What a moderator decides about; only articles have a trash. */
type Standing = Moderated & { readonly deleted_at: Instant | null };

async function moderate(
  tx: Kysely<Tables>,
  call: ModerationCall,
  verb: Exclude<Verb, 'purge'>,
  decide: (present: Standing, at: Instant) => Standing,
): Promise<boolean> {
  const { kind, key, at } = call;
  const record = RECORDS[kind];
  const present = assertFound(call, await record.lock(tx, key));
  const next = decide(present, at);
  if (DECIDES.has(verb)) await closeReports(tx, kind, key, at);
  const decidedAt = verb === 'release' || verb === 'restore' ? present[TAKES_BACK[verb]] : null;
  if (decidedAt !== null) await openAgain(tx, kind, key, decidedAt);
  const isSame = (['held_at', 'removed_at', 'deleted_at'] as const).every(
    (column) => next[column] === present[column],
  );
  if (isSame) return false;
  await record.set(tx, key, next, at);
  await record.changed?.(tx, key, present, next);
  await auditModeration(tx, call, verb);
  return true;
}

/** @throws {Ws01Error} `NotFound` */
export function assertFound<Row>({ kind, key }: ModerationCall, row: Row | undefined): Row {
  if (row !== undefined) return row;
  throw new Ws01Error('NotFound', say`There is no ${{ kind }} with the key ${{ key }}.`);
}

/** Writes into the audit trail what a moderator did to a record. */
export async function auditModeration(
  tx: Kysely<Tables>,
  { kind, key, by, at, reason }: ModerationCall,
  verb: Verb,
): Promise<void> {
  await auditAct(tx, `${kind}.${verb}`, key, at, by, { reason });
}

/** How moderation works on one kind of record. */
interface ModeratedRecord {
  /** The record unchanged, held until the write ends; `undefined` when there is none. */
  lock(tx: Kysely<Tables>, key: string): Promise<Standing | undefined>;
  set(tx: Kysely<Tables>, key: string, standing: Standing, at: Instant): Promise<unknown>;
  /** Brings in line what depends on the record, where writing it does not. */
  changed?(tx: Kysely<Tables>, key: string, before: Standing, after: Standing): Promise<unknown>;
}

const RECORDS: Readonly<Record<ModeratedKind, ModeratedRecord>> = {
  article: {
    lock: (tx, key) =>
      tx
        .selectFrom('articles')
        .select(['held_at', 'removed_at', 'deleted_at'])
        .where('guid', '=', key)
        .$call(lockRows(tx))
        .executeTakeFirst(),
    set: (tx, key, standing, updated_at) =>
      setArticleModeration.run(tx, { guid: key, ...standing, updated_at }),
  },
  advert: {
    lock: (tx, key) => lockWithoutTrash(tx, 'adverts', 'guid', key),
    set: (tx, key, standing) => setAdvertModeration.run(tx, { guid: key, ...standing }),
  },
  image: {
    // The record that an image belongs to is locked first by every write of images.
    lock: async (tx, key) => {
      const image = await tx
        .selectFrom('images')
        .select('link_guid')
        .where('guid', '=', key)
        .executeTakeFirst();
      if (image?.link_guid != null) lockLink(tx, image.link_guid);
      return lockWithoutTrash(tx, 'images', 'guid', key);
    },
    set: (tx, key, { held_at, removed_at }) =>
      tx.updateTable('images').set({ held_at, removed_at }).where('guid', '=', key).execute(),
    changed: (tx, key) => refreshImage(tx, key),
  },
  review: {
    lock: (tx, key) => lockWithoutTrash(tx, 'reviews', 'id', key),
    set: (tx, key, { held_at, removed_at }) =>
      tx.updateTable('reviews').set({ held_at, removed_at }).where('id', '=', key).execute(),
    changed: recount,
  },
};

/** What is removed counts as deleted where there is no trash. */
export async function lockWithoutTrash(
  tx: Kysely<Tables>,
  table: 'adverts' | 'images' | 'reviews',
  keyColumn: 'guid' | 'id',
  key: string,
): Promise<Standing | undefined> {
  return tx
    .selectFrom(table)
    .select(['held_at', 'removed_at', 'removed_at as deleted_at'])
    .where(keyColumn, '=', key)
    .$call(lockRows(tx))
    .executeTakeFirst();
}

/** Counts a review that becomes public, and stops counting one that is withdrawn. */
async function recount(
  tx: Kysely<Tables>,
  id: string,
  before: Standing,
  after: Standing,
): Promise<void> {
  if (isPublic(before) === isPublic(after)) return;
  const review = await tx
    .selectFrom('reviews')
    .select(['subject', 'positive', 'rating'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  await changeTally(
    tx,
    review.subject,
    isPublic(after) ? changeBy(review, undefined) : changeBy(undefined, review),
  );
}
