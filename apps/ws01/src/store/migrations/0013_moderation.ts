import { type Kysely, sql } from 'kysely';
import type { Tables } from '../tables/tables.ts';
import { type Columns, required } from './columns.ts';
import type { Migration } from './migration.ts';

/**
 * What a moderator holds back or removes, of every kind of record, and what of the images the public may see. The
 * indexes of lists have only what lists show.
 */
export const moderation: Migration = {
  name: '0013_moderation',
  async up(db, columns) {
    for (const table of ['articles', 'adverts', 'images', 'reviews'] as const) {
      await db.schema.alterTable(table).addColumn('held_at', columns.instant).execute();
      await db.schema.alterTable(table).addColumn('removed_at', columns.instant).execute();
    }
    await addAdvertTimes(db, columns);
    await addVisibility(db, columns);
    await db.schema
      .createIndex('audit_by_target')
      .on('audit')
      .columns(['target_key', 'id'])
      .execute();
  },
};

/** Articles that the public does not see: drafts, pending and hidden ones, and those in the trash. */
const HIDDEN_ARTICLES = sql`(select guid from articles where status in (1, 2, 3) or deleted_at is not null)`;

async function addAdvertTimes(db: Kysely<Tables>, { instant }: Columns): Promise<void> {
  await db.schema
    .alterTable('adverts')
    .addColumn('updated_at', instant, (column) => column.notNull().defaultTo(0))
    .execute();
  await sql`update adverts set updated_at = created_at`.execute(db);
  const indexes = {
    adverts_by_owner: ['owner', 'created_at', 'guid'],
    adverts_by_title: ['owner', 'title_key', 'guid', 'deadline', 'category_key'],
  } as const;
  for (const [name, indexed] of Object.entries(indexes)) {
    await db.schema.dropIndex(name).execute();
    await db.schema
      .createIndex(name)
      .on('adverts')
      .columns([...indexed])
      .where(sql<boolean>`held_at is null and removed_at is null`)
      .execute();
  }
}

async function addVisibility(db: Kysely<Tables>, { flag, instant }: Columns): Promise<void> {
  await db.schema
    .alterTable('images')
    .addColumn('visibility', flag, (column) => required(column).defaultTo(0))
    .execute();
  await db.schema.alterTable('images').addColumn('icon_at', instant).execute();
  await sql`update images set icon_at = updated_at where is_icon = 1`.execute(db);
  await sql`update images set visibility = 1, linked_category = null
    where link_guid in ${HIDDEN_ARTICLES} and link_guid not in (select guid from adverts)`.execute(
    db,
  );
  await sql`delete from image_search where rowid in (select id from images where visibility = 1)`.execute(
    db,
  );
  await forgetHiddenCaptions(db);
  await sql`delete from image_totals`.execute(db);
  await sql`insert into image_totals (shard, images, icons)
    select id % 16, count(*), sum(is_icon) from images where visibility = 0 group by id % 16`.execute(
    db,
  );
  const indexes = {
    images_by_creation: ['created_at', 'guid'],
    images_by_icon: ['is_icon', 'created_at', 'guid'],
    images_by_size: ['bytes', 'guid'],
    images_in_category_order: ['category_order', 'guid'],
    images_by_category: ['category_key', 'created_at', 'guid', 'bytes'],
    images_by_linked_category: ['linked_category', 'created_at', 'guid', 'bytes', 'category_key'],
  } as const;
  for (const [name, indexed] of Object.entries(indexes)) {
    await db.schema.dropIndex(name).execute();
    await db.schema
      .createIndex(name)
      .on('images')
      .columns([...indexed])
      .where(sql<boolean>`visibility = 0`)
      .execute();
  }
  await db.schema
    .createIndex('images_by_marking')
    .on('images')
    .columns(['icon_at', 'guid'])
    .where(sql<boolean>`visibility = 0 and is_icon = 1`)
    .execute();
}

/**
 * Images that are shown for an advert's sake, whose key a hidden article has as well, were found by the caption of that
 * one, too: the line between key and title.
 */
async function forgetHiddenCaptions(db: Kysely<Tables>): Promise<void> {
  const { rows } = await sql<{ id: number; search_text: string }>`select id, search_text from images
    where link_guid in ${HIDDEN_ARTICLES} and link_guid in (select guid from adverts)`.execute(db);
  for (const { id, search_text } of rows) {
    const lines = search_text.split('\n');
    const kept = lines.length === 4 ? [...lines.slice(0, 2), lines[3]] : lines;
    await sql`update images set search_text = ${kept.join('\n')}, linked_category = null where id = ${id}`.execute(
      db,
    );
  }
}
