import { columns, prepare } from '../../store/prepared.ts';
import { lockRows } from '../../store/row-lock.ts';
import {
  type ImageFilesTable,
  type ImagesTable,
  type Instant,
  VISIBILITY,
  type Visibility,
} from '../../store/tables/tables.ts';
import { words } from '../../store/words.ts';

/** The prepared queries that write images. Each runs inside a write. */

/** The attributes of an image besides its key, origin and visibility. */
export type ImageAttributes = Pick<
  ImagesTable,
  | 'hash'
  | 'bytes'
  | 'link_guid'
  | 'linked_category'
  | 'category'
  | 'category_key'
  | 'category_order'
  | 'is_icon'
  | 'icon_at'
  | 'ip'
  | 'claimed_ip'
  | 'token_id'
  | 'search_text'
> & {
  readonly visibility: Visibility;
};

type NewFile = Omit<ImageFilesTable, 'deleted_at'>;

/** Inserts a file, unless one with the same bytes exists; changes one row or none. */
export const insertFile = prepare((db, row: NewFile) =>
  db
    .insertInto('image_files')
    .values(valuesOf(row))
    .onConflict((conflict) => conflict.column('hash').doNothing()),
);

/** Inserts a file; fails if one with the same bytes exists. */
export const insertNewFile = prepare((db, row: NewFile) =>
  db.insertInto('image_files').values(valuesOf(row)),
);

function valuesOf(row: NewFile): ImageFilesTable {
  return {
    ...columns(row, 'hash stored_as format served_format width height frames bytes stored_at'),
    deleted_at: null,
  };
}

/** Returns the file with a hash and locks it. */
export const lockFile = prepare((db, { hash }: Pick<ImageFilesTable, 'hash'>) =>
  db
    .selectFrom('image_files')
    .select(['hash', 'stored_as', 'deleted_at'])
    .where('hash', '=', hash)
    .$call(lockRows(db)),
);

/** Returns the file of an image and locks it. */
export const lockFileOfImage = prepare((db, { guid }: Pick<ImagesTable, 'guid'>) =>
  db
    .selectFrom('image_files')
    .select('stored_as')
    .where('hash', '=', (eb) => eb.selectFrom('images').select('hash').where('guid', '=', guid))
    .$call(lockRows(db)),
);

/** Returns another image with the same content, if there is one. */
export const imageWithFileOf = prepare((db, { guid }: Pick<ImagesTable, 'guid'>) =>
  db
    .selectFrom('images')
    .select('guid')
    .where('hash', '=', (eb) =>
      eb.selectFrom('images as one').select('one.hash').where('one.guid', '=', guid),
    )
    .where('guid', '!=', guid)
    .limit(1),
);

/** Returns the committed file with a hash. */
export const fileByHash = prepare((db, { hash }: Pick<ImageFilesTable, 'hash'>) =>
  db.selectFrom('image_files').selectAll().where('hash', '=', hash),
);

/** Stores a deleted file again, under a new name. */
export const reviveFile = prepare(
  (db, row: Pick<ImageFilesTable, 'hash' | 'stored_as' | 'stored_at'>) =>
    db
      .updateTable('image_files')
      .set({ stored_as: row.stored_as, stored_at: row.stored_at, deleted_at: null })
      .where('hash', '=', row.hash),
);

export const setFileDeleted = prepare((db, row: { hash: string; deleted_at: Instant }) =>
  db.updateTable('image_files').set({ deleted_at: row.deleted_at }).where('hash', '=', row.hash),
);

/** Returns an image with a content, if there is one. */
export const imageWithHash = prepare((db, { hash }: Pick<ImagesTable, 'hash'>) =>
  db.selectFrom('images').select('guid').where('hash', '=', hash).limit(1),
);

/**
 * Returns the file with a hash, and the key of an image with it that no moderator has hidden, if
 * there is one.
 */
export const fileToShow = prepare((db, { hash }: Pick<ImageFilesTable, 'hash'>) =>
  db
    .selectFrom('image_files')
    .select(words('stored_as format served_format width height frames stored_at deleted_at'))
    .select((eb) =>
      eb
        .selectFrom('images')
        .select('images.guid')
        .whereRef('images.hash', '=', 'image_files.hash')
        .where('images.visibility', '!=', VISIBILITY.withdrawn)
        .limit(1)
        .as('visible_guid'),
    )
    .where('image_files.hash', '=', hash),
);

/** Returns the image with a key and locks it. */
export const lockImage = prepare((db, { guid }: Pick<ImagesTable, 'guid'>) =>
  db.selectFrom('images').selectAll().where('guid', '=', guid).$call(lockRows(db)),
);

/** Returns the committed image with a key. */
export const imageByGuid = prepare((db, { guid }: Pick<ImagesTable, 'guid'>) =>
  db
    .selectFrom('images')
    .select(['owner', 'hash', 'link_guid', 'removed_at'])
    .where('guid', '=', guid),
);

/** The columns of an image's attributes. */
const attributesOf = (row: ImageAttributes) =>
  columns(
    row,
    'hash bytes link_guid linked_category category category_key category_order',
    'is_icon icon_at visibility ip claimed_ip token_id search_text',
  );

/** Inserts the image; fails if its key is in use. */
export const insertImage = prepare(
  (db, row: ImageAttributes & Pick<ImagesTable, 'guid' | 'owner' | 'created_at'>) =>
    db.insertInto('images').values({
      guid: row.guid,
      owner: row.owner,
      ...attributesOf(row),
      created_at: row.created_at,
      updated_at: row.created_at,
    }),
);

export const updateImage = prepare(
  (db, row: ImageAttributes & Pick<ImagesTable, 'guid' | 'updated_at'>) =>
    db
      .updateTable('images')
      .set({ ...attributesOf(row), removed_at: null, updated_at: row.updated_at })
      .where('guid', '=', row.guid),
);

export const setIcon = prepare((db, row: Pick<ImagesTable, 'guid' | 'is_icon' | 'icon_at'>) =>
  db
    .updateTable('images')
    .set({ is_icon: row.is_icon, icon_at: row.icon_at })
    .where('guid', '=', row.guid),
);

/** Deletes an image; returns what else is kept of it. */
export const deleteImage = prepare((db, { guid }: Pick<ImagesTable, 'guid'>) =>
  db
    .deleteFrom('images')
    .where('guid', '=', guid)
    .returning(words('id hash link_guid visibility is_icon token_id ip updated_at')),
);
