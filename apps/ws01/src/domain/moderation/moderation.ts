import type { Kysely } from 'kysely';
import { Ws01Error } from '../../contract/errors.ts';
import { say } from '../../contract/sentence.ts';
import { lockRows } from '../../store/row-lock.ts';
import type { Instant, Moderated, Tables } from '../../store/tables/tables.ts';
import { setAdvertModeration } from '../adverts/rows.ts';
import { setArticleModeration } from '../articles/rows.ts';
import { type Actor, doneBy, recordAudit } from '../audit/audit.ts';
import { lockLink } from '../images/listing/linked.ts';
import { refreshImage } from '../images/moderated.ts';
import { changeBy, changeTally } from '../reviews/tally.ts';
import { isPublic } from '../shared/moderated.ts';
import { closeReports } from './reports.ts';

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
 * Holds a record until it is released: public lists omit it, its images answer 410, a held review does not count. Its
 * author cannot undo that.
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
 * Removes a record. An article is moved to the trash, and purged like others; other records are kept, but hidden. Only
 * {@link restore} or an admin restores it.
 * @returns whether anything changed.
 * @throws {Ws01Error} `NotFound`
 */
export function remove(tx: Kysely<Tables>, call: ModerationCall): Promise<boolean> {
  return moderate(tx, call, 'remove', (present, at) => ({
    ...present,
    removed_at: present.removed_at ?? at,
    deleted_at: present.deleted_at ?? at,
  }));
}

/** As {@link remove}, for what waited for approval: the trail says that it was refused. */
export function reject(tx: Kysely<Tables>, call: ModerationCall): Promise<boolean> {
  return moderate(tx, call, 'reject', (present, at) => ({
    ...present,
    removed_at: present.removed_at ?? at,
    deleted_at: present.deleted_at ?? at,
  }));
}

/**
 * Restores a removed record, or an article from the trash, no matter who moved it there. A hold is kept.
 * @returns whether anything changed.
 * @throws {Ws01Error} `NotFound`, also when it has been purged.
 */
export function restore(tx: Kysely<Tables>, call: ModerationCall): Promise<boolean> {
  return moderate(tx, call, 'restore', (present) => ({
    ...present,
    removed_at: null,
    deleted_at: null,
  }));
}

/** What settles the reports of readers. */
const DECIDES: ReadonlySet<string> = new Set(['hold', 'remove', 'reject']);

/** What a moderator decides about; only articles have a trash. */
type Standing = Moderated & { readonly deleted_at: Instant | null };

async function moderate(
  tx: Kysely<Tables>,
  call: ModerationCall,
  verb: 'hold' | 'release' | 'remove' | 'reject' | 'restore',
  decide: (present: Standing, at: Instant) => Standing,
): Promise<boolean> {
  const { kind, key, at, by, reason } = call;
  const record = RECORDS[kind];
  const present = await record.lock(tx, key);
  if (present === undefined)
    throw new Ws01Error('NotFound', say`There is no ${{ kind }} with the key ${{ key }}.`);
  const next = decide(present, at);
  if (DECIDES.has(verb)) await closeReports(tx, kind, key, at);
  const isSame = (['held_at', 'removed_at', 'deleted_at'] as const).every(
    (column) => next[column] === present[column],
  );
  if (isSame) return false;
  await record.set(tx, key, next, at);
  await record.changed?.(tx, key, present, next);
  await recordAudit(tx, {
    at,
    ...doneBy(by),
    action: `${kind}.${verb}`,
    target: { kind, key },
    details: reason === undefined ? {} : { reason },
  });
  return true;
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
    lock: async (tx, key) =>
      withoutTrash(
        await tx
          .selectFrom('adverts')
          .select(['held_at', 'removed_at'])
          .where('guid', '=', key)
          .$call(lockRows(tx))
          .executeTakeFirst(),
      ),
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
      return withoutTrash(
        await tx
          .selectFrom('images')
          .select(['held_at', 'removed_at'])
          .where('guid', '=', key)
          .$call(lockRows(tx))
          .executeTakeFirst(),
      );
    },
    set: (tx, key, { held_at, removed_at }) =>
      tx.updateTable('images').set({ held_at, removed_at }).where('guid', '=', key).execute(),
    changed: (tx, key) => refreshImage(tx, key),
  },
  review: {
    lock: async (tx, key) =>
      withoutTrash(
        await tx
          .selectFrom('reviews')
          .select(['held_at', 'removed_at'])
          .where('id', '=', key)
          .$call(lockRows(tx))
          .executeTakeFirst(),
      ),
    set: (tx, key, { held_at, removed_at }) =>
      tx.updateTable('reviews').set({ held_at, removed_at }).where('id', '=', key).execute(),
    changed: recount,
  },
};

function withoutTrash(standing: Moderated | undefined): Standing | undefined {
  return standing === undefined ? undefined : { ...standing, deleted_at: standing.removed_at };
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
