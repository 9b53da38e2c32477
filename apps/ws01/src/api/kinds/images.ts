import { type Selectable, sql } from 'kysely';
import { CONTENT_TYPES, imageUrl, renditionFormat } from '../../domain/images/serving/urls.ts';
import { canonicalKey } from '../../domain/values/keys.ts';
import { type ImageFilesTable, type ImagesTable, VISIBILITY } from '../../store/tables/tables.ts';
import { column, equals, type Fields, type Kind } from '../kind.ts';
import { flag, integer, nullable, text, word } from '../schema.ts';
import { createdBetween, moderatedFields, moderationFilter, stateOf } from './shared.ts';

export type ImageRow = Selectable<ImagesTable> &
  Pick<ImageFilesTable, 'format' | 'served_format' | 'width' | 'height'>;

const fields: Fields<ImageRow> = {
  fileGuid: column(text('The key.'), 'guid'),
  linkGuid: column(nullable(text('Key of the record that it belongs to.')), 'link_guid'),
  category: column(text('Free text; may be empty.'), 'category'),
  isIcon: {
    schema: flag('Whether it is the icon of that record.'),
    of: ({ is_icon }) => is_icon === 1,
  },
  url: {
    schema: nullable(text('Where it is served; null when a moderator has withdrawn it.')),
    of: (row, { baseUrl }) => (isServed(row) ? imageUrl(baseUrl, row, 'full') : null),
  },
  iconUrl: {
    schema: nullable(text('Where it is served small.')),
    of: (row, { baseUrl }) => (isServed(row) ? imageUrl(baseUrl, row, 'icon') : null),
  },
  contentType: {
    schema: text('What it is served as.'),
    of: (row) => CONTENT_TYPES[renditionFormat(row, 'full')],
  },
  width: column(integer('Pixels.'), 'width'),
  height: column(integer('Pixels.'), 'height'),
  bytes: column(integer('Of the file as it was sent.'), 'bytes'),
  hash: column(
    text('SHA-256 of the file as it was sent; images with the same file have the same.'),
    'hash',
  ),
  owner: column(nullable(text('The owner.')), 'owner'),
  visibility: {
    schema: word(
      'Who may see it: everybody in lists, whoever has its URL, nobody.',
      ...Object.keys(VISIBILITY),
    ),
    of: ({ visibility }) => Object.keys(VISIBILITY)[visibility],
  },
  state: {
    schema: word('What moderators said of it.', 'published', 'held', 'removed'),
    of: (row) => stateOf(row, 'published'),
  },
  ...moderatedFields<ImageRow>(),
  ip: column(nullable(text('The address that it came from.')), 'ip'),
  claimedIp: column(
    nullable(text('The address that the call named and that is not believed.')),
    'claimed_ip',
  ),
  tokenId: {
    ...column<ImageRow>(nullable(text('The token that wrote it.')), 'token_id'),
    private: true,
  },
};

function isServed({ visibility }: ImageRow): boolean {
  return visibility !== VISIBILITY.withdrawn;
}

export const IMAGES: Kind<ImageRow> = {
  name: 'images',
  title: 'Image',
  key: { name: 'fileGuid', column: 'images.guid', canonical: canonicalKey },
  from: 'images',
  lookUp: { table: 'image_files', on: 'image_files.hash = images.hash' },
  columns: `images.guid, images.owner, images.hash, images.bytes, images.link_guid, images.category, images.is_icon,
    images.visibility, images.created_at, images.updated_at, images.held_at, images.removed_at, images.ip,
    images.claimed_ip, images.token_id, image_files.format, image_files.served_format, image_files.width,
    image_files.height`,
  orders: { created: [{ sql: 'images.id', type: 'number' }] },
  sort: '-created',
  filters: {
    owner: equals(text('Only those of this owner.'), 'images.owner', canonicalKey),
    linkGuid: equals(text('Only those of this record.'), 'images.link_guid', canonicalKey),
    state: moderationFilter('images', {
      sql: sql<boolean>`images.held_at is null and images.removed_at is null`,
      indexed: false,
    }),
    ...createdBetween('images.created_at'),
  },
  search: {
    description: 'Only those with these words in category, key, record, owner, hash or address.',
    members: {
      category: 'images.category',
      fileGuid: 'images.guid',
      linkGuid: 'images.link_guid',
      owner: 'images.owner',
      hash: 'images.hash',
      ip: 'images.ip',
    },
  },
  fields,
};
