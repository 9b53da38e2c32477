import { sql } from 'kysely';
import { LENGTHS } from '../contract/parameters.ts';
import type { AdvertsTable } from '../store/tables/tables.ts';
import { words } from '../store/words.ts';
import { MODERATED } from './common.ts';
import { byCreation, createdBetween, STANDING, standingFilter, stateOf } from './conditions.ts';
import { iconOf, iconUrl } from './images.ts';
import {
  EMPTY,
  type Listing,
  type Members,
  member,
  REQUIRED,
  type Travelling,
  worked,
} from './record.ts';
import * as types from './types.ts';

/** Condition: the advert is public. */
export const PUBLIC_ADVERT = sql<boolean>`adverts.held_at is null and adverts.removed_at is null`;

/** An advert, and what its small picture is made of. */
export type AdvertRow = AdvertsTable & { readonly icon: string | null };

/** What an advert says, as all roles and the public see it. */
export const ADVERT_CONTENT: Members<AdvertsTable> = {
  title: member('title', types.text(LENGTHS.caption), 'Headline.', EMPTY),
  detail: member('detail', types.text(LENGTHS.detail), 'Text of the advert; may be empty.', EMPTY),
  linkTxt: member('link_txt', types.text(LENGTHS.linkText), 'Text of the link; may be empty.', {
    ...EMPTY,
    portable: 'linkText',
  }),
  linkUrl: member('link_url', types.text(LENGTHS.url), 'Where it leads; may be empty.', EMPTY),
  showDeadLine: member('deadline', types.endOf, 'Shown as current until then; null for always.', {
    portable: 'deadline',
  }),
  isCurrent: worked(
    types.flag,
    'Whether now is before that.',
    ({ deadline }, { now }) => deadline === null || now < deadline,
  ),
  postAtCategoryGuid: member('category_key', types.key, 'Category where it is shown.', {
    portable: 'category',
  }),
  isImage: member('is_image', types.flag, 'Whether it is an image advert.', { absent: 0 }),
};

/** Adverts. */
export const ADVERTS = {
  table: 'adverts',
  name: 'adverts',
  title: 'Advert',
  key: 'guid',
  members: {
    guid: member('guid', types.key, 'The key.', REQUIRED),
    createUserId: member('owner', types.key, 'The publisher.', { portable: 'owner' }),
    ...ADVERT_CONTENT,
    imgGuid: member('img_guid', types.key, 'Key of its image.', {
      portable: 'image',
      view: 'image_guid',
    }),
    iconUrl,
    state: worked(STANDING, 'What moderators said of it.', (row) => stateOf(row, 'published')),
    ...MODERATED,
    ip: member('ip', types.address, 'The observed address of the client that created it.', EMPTY),
    retryKey: member(
      'retry_key',
      types.hex(32),
      'Recognises the call that made it for half a day.',
      { internal: true, changes: true },
    ),
  },
  reads: iconOf('adverts.guid', 'adverts.img_guid'),
  layout: {
    columns: ['title', 'state', 'createUserId', 'showDeadLine', 'createdAt'],
    called: ['title', 'guid'],
    picture: 'iconUrl',
  },
  orders: { created: byCreation('adverts', 'guid') },
  sort: '-created',
  filters: {
    createUserId: 'Only those of this publisher.',
    postAtCategoryGuid: 'Only those of this category.',
    state: standingFilter('adverts', { sql: PUBLIC_ADVERT, indexed: false }),
    ...createdBetween('adverts.created_at'),
  },
  searched: words('title detail guid createUserId postAtCategoryGuid linkTxt linkUrl ip'),
  portable: { file: 'adverts', about: 'Adverts.', key: ['guid'] },
  personal: { of: ({ id }) => sql<boolean>`owner = ${id}`, fate: 'deleted' },
} as const satisfies Listing<AdvertRow> & Travelling<AdvertRow>;
