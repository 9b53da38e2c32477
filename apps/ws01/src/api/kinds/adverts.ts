import { sql } from 'kysely';
import { canonicalKey } from '../../domain/values/keys.ts';
import type { AdvertsTable } from '../../store/tables/tables.ts';
import { at, column, equals, type Fields, type Kind } from '../kind.ts';
import { flag, instant, nullable, text, word } from '../schema.ts';
import {
  byCreation,
  createdBetween,
  moderatedFields,
  moderationFilter,
  stateOf,
} from './shared.ts';

/** Condition: the advert is public. */
export const PUBLIC_ADVERT = sql<boolean>`adverts.held_at is null and adverts.removed_at is null`;

/** The content of an advert, as the API shows it to all roles. */
export function advertContent<Row extends AdvertsTable>(): Fields<Row> {
  return {
    title: column(text('Headline.'), 'title'),
    detail: column(text('Text of the advert; may be empty.'), 'detail'),
    linkTxt: column(text('Text of the link; may be empty.'), 'link_txt'),
    linkUrl: column(text('Where it leads; may be empty.'), 'link_url'),
    showDeadLine: at(
      nullable(instant('Shown as current until then; null for always.')),
      'deadline',
    ),
    isCurrent: {
      schema: flag('Whether now is before that.'),
      of: ({ deadline }, { now }) => deadline === null || now < deadline,
    },
    postAtCategoryGuid: column(nullable(text('Category where it is shown.')), 'category_key'),
    isImage: {
      schema: flag('Whether it is an image advert.'),
      of: ({ is_image }) => is_image === 1,
    },
  };
}

const fields: Fields<AdvertsTable> = {
  guid: column(text('The key.'), 'guid'),
  createUserId: column(nullable(text('The publisher.')), 'owner'),
  ...advertContent<AdvertsTable>(),
  imgGuid: column(nullable(text('Key of its image.')), 'img_guid'),
  state: {
    schema: word('What moderators said of it.', 'published', 'held', 'removed'),
    of: (row) => stateOf(row, 'published'),
  },
  ...moderatedFields<AdvertsTable>(),
  ip: column(text('The observed address of the client that created it.'), 'ip'),
};

export const ADVERTS: Kind<AdvertsTable> = {
  name: 'adverts',
  title: 'Advert',
  key: { name: 'guid', column: 'adverts.guid', canonical: canonicalKey },
  from: 'adverts',
  columns: `adverts.guid, owner, title, detail, link_txt, link_url, deadline, category_key, is_image, img_guid, ip,
    created_at, updated_at, held_at, removed_at`,
  orders: {
    created: byCreation('adverts', 'guid'),
  },
  sort: '-created',
  filters: {
    createUserId: equals(text('Only those of this publisher.'), 'adverts.owner', canonicalKey),
    postAtCategoryGuid: equals(
      text('Only those of this category.'),
      'adverts.category_key',
      canonicalKey,
    ),
    state: moderationFilter('adverts', { sql: PUBLIC_ADVERT, indexed: false }),
    ...createdBetween('adverts.created_at'),
  },
  search: {
    description: 'Only those with these words in title, key, publisher, category, link or address.',
    members: {
      title: 'adverts.title',
      guid: 'adverts.guid',
      createUserId: 'adverts.owner',
      postAtCategoryGuid: 'adverts.category_key',
      linkUrl: 'adverts.link_url',
      ip: 'adverts.ip',
    },
  },
  fields,
};
