import { type Selectable, sql } from 'kysely';
import { LENGTHS } from '../contract/parameters.ts';
import { CONTENT_TYPES, imageUrl, renditionFormat, srcsetOf } from '../domain/values/image-url.ts';
import {
  type ImageFilesTable,
  type ImageFormat,
  type ImagesTable,
  VISIBILITY,
} from '../store/tables/tables.ts';
import { MODERATED, writerMembers } from './common.ts';
import { byCreation, createdBetween, STANDING, standingFilter, stateOf } from './conditions.ts';
import { imagesOf } from './persons.ts';
import {
  EMPTY,
  type Listing,
  MADE,
  type Members,
  member,
  REQUIRED,
  type Travelling,
  worked,
} from './record.ts';
import * as types from './types.ts';

export type ImageRow = Selectable<ImagesTable> &
  Pick<ImageFilesTable, 'format' | 'served_format' | 'width' | 'height' | 'frames'>;

const isServed = ({ visibility }: ImageRow) => visibility !== VISIBILITY.withdrawn;

/** Where the small picture of a record is served, of what {@link iconOf} reads. */
export const iconUrl = worked<{ readonly icon: string | null }>(
  types.text(),
  'Where its picture is served small.',
  ({ icon }, { baseUrl }) => {
    if (icon === null) return null;
    const [hash = '', format] = icon.split(' ');
    return imageUrl(baseUrl, { hash, format: format as ImageFormat, served_format: null }, 'icon');
  },
  { absent: null },
);

/**
 * SQL for hash and format of a record's picture, as `icon`. That is the image that the record
 * names, or its listed icon that was marked last, or its first image; never one that a moderator
 * has withdrawn.
 * @param guid the column with the record's key. @param named the column with the key of the image
 *   that it names.
 */
export function iconOf(guid: string, named: string): string {
  const isServed = `images.visibility <> ${VISIBILITY.withdrawn}`;
  const isIcon = `images.visibility = ${VISIBILITY.listed} and images.is_icon = 1`;
  const wheres = [
    `${isServed} and images.guid = ${named}`,
    `${isIcon} and images.link_guid = ${guid} order by images.icon_at desc, images.guid desc`,
    `${isServed} and images.link_guid = ${guid} order by images.id`,
  ];
  const one = (where: string) => `(select images.hash || ' ' || files.format
    from images join image_files files on files.hash = images.hash where ${where} limit 1)`;
  return `coalesce(${wheres.map(one).join(', ')}) as icon`;
}

/** What people see of an image. */
export const IMAGE_CONTENT: Members<ImageRow> = {
  fileGuid: member('guid', types.key, 'The key.', { ...REQUIRED, portable: 'guid' }),
  linkGuid: member('link_guid', types.key, 'Key of the record that it belongs to.'),
  category: member('category', types.text(LENGTHS.category), 'Free text; may be empty.', EMPTY),
  isIcon: member('is_icon', types.flag, 'Whether it is the icon of that record.', { absent: 0 }),
  url: worked(
    types.text(),
    'Where it is served; null when a moderator has withdrawn it.',
    (row, { baseUrl }) => (isServed(row) ? imageUrl(baseUrl, row, 'full') : null),
    { absent: null },
  ),
  iconUrl: worked(
    types.text(),
    'Where it is served small.',
    (row, { baseUrl }) => (isServed(row) ? imageUrl(baseUrl, row, 'icon') : null),
    { absent: null },
  ),
  srcset: worked(
    types.text(),
    'Where it is served in the widths that screens have, as `srcset` of HTML; null for an animation.',
    (row, { baseUrl }) => (isServed(row) ? srcsetOf(imageUrl(baseUrl, row, 'full'), row) : null),
    { absent: null },
  ),
  contentType: worked(
    types.text(),
    'What it is served as.',
    (row) => CONTENT_TYPES[renditionFormat(row, 'full')],
  ),
  width: member('width', types.count, 'Pixels.', { ...REQUIRED, table: 'image_files' }),
  height: member('height', types.count, 'Pixels.', { ...REQUIRED, table: 'image_files' }),
};

/** Images. */
export const IMAGES = {
  table: 'images',
  name: 'images',
  title: 'Image',
  key: 'fileGuid',
  members: {
    ...IMAGE_CONTENT,
    bytes: member('bytes', types.bytesCount, 'Of the file as it was sent.', {
      ...MADE,
      portable: false,
    }),
    hash: member(
      'hash',
      types.hexDigits(32),
      'SHA-256 of the file as it was sent; images with the same file have the same.',
      MADE,
    ),
    owner: member('owner', types.key, 'The owner.'),
    visibility: member(
      'visibility',
      types.coded(VISIBILITY),
      'Who may see it: everybody in lists, whoever has its URL, nobody.',
      { ...MADE, portable: false },
    ),
    state: worked(STANDING, 'What moderators said of it.', (row) => stateOf(row, 'published')),
    ...MODERATED,
    iconAt: member('icon_at', types.instant, 'When it was marked as one.', {
      internal: true,
      view: 'marked_at',
    }),
    ...writerMembers('The address that it came from.'),
  },
  lookUp: { table: 'image_files', on: 'image_files.hash = images.hash' },
  reads: 'image_files.format, image_files.served_format, image_files.frames',
  layout: {
    columns: ['fileGuid', 'state', 'owner', 'linkGuid', 'createdAt'],
    called: ['fileGuid'],
    picture: 'iconUrl',
  },
  orders: { created: byCreation('images', 'guid') },
  sort: '-created',
  filters: {
    owner: 'Only those of this owner.',
    linkGuid: 'Only those of this record.',
    state: standingFilter('images', {
      sql: sql<boolean>`images.held_at is null and images.removed_at is null`,
      indexed: false,
    }),
    ...createdBetween('images.created_at'),
  },
  searched: ['category', 'fileGuid', 'linkGuid', 'owner', 'hash', 'ip'],
  portable: {
    file: 'images',
    about:
      'Images. `hash` names one of `image-files`; or `file` names a file, which must be what an upload may be.',
    key: ['guid'],
  },
  personal: {
    of: (person) => sql<boolean>`guid in (${imagesOf(person)})`,
    fate: 'deleted',
    given: ({ id }) => sql<boolean>`owner = ${id}`,
  },
  expires: { 'removed-images': 'removed_at' },
} as const satisfies Listing<ImageRow> & Travelling<ImageRow>;

const FORMAT = types.word('jpeg', 'png', 'gif', 'webp', 'avif', 'heic');

/** The files of images. */
export const IMAGE_FILES = {
  table: 'image_files',
  members: {
    hash: member('hash', types.hexDigits(32), 'SHA-256 of the file.', REQUIRED),
    format: member('format', FORMAT, 'Its format.', REQUIRED),
    servedFormat: member('served_format', FORMAT, 'Served as.'),
    width: member('width', types.count, 'Of one frame as shown; pixels.', REQUIRED),
    height: member('height', types.count, 'Of one frame as shown; pixels.', REQUIRED),
    frames: member('frames', types.count, 'Frames of an animation.', { absent: 1 }),
    bytes: member('bytes', types.bytesCount, 'Its size.', REQUIRED),
    storedAt: member('stored_at', types.instant, 'When it arrived.', {
      ...REQUIRED,
      changes: true,
    }),
    deletedAt: member(
      'deleted_at',
      types.instant,
      'No image has had it since then; there is no file.',
    ),
  },
  portable: {
    file: 'image-files',
    about:
      'The files of images, each once, by their contents. The file is `files/HASH` unless `file` says otherwise.',
    key: ['hash'],
  },
} as const satisfies Travelling<ImageFilesTable>;
