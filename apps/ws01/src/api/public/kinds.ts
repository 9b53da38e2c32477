import { sql } from 'kysely';
import { tallyOf } from '../../domain/reviews/tally.ts';
import { canonicalKey } from '../../domain/values/keys.ts';
import {
  type AdvertsTable,
  type ArticlesTable,
  type ReviewTalliesTable,
  VISIBILITY,
} from '../../store/tables/tables.ts';
import { at, column, equals, type Field, type Fields, type Kind } from '../kind.ts';
import { advertContent, PUBLIC_ADVERT } from '../kinds/adverts.ts';
import { PUBLIC_ARTICLE } from '../kinds/articles.ts';
import { IMAGES, type ImageRow } from '../kinds/images.ts';
import { byCreation } from '../kinds/shared.ts';
import { flag, instant, integer, nullable, number, object, text } from '../schema.ts';

/** Length of the excerpt of an article in lists; characters. */
const EXCERPT_CHARS = 300;

type Rated = { readonly [Sum in keyof Omit<ReviewTalliesTable, 'subject'>]: number | null };

export const RATING = {
  ...object({
    positive: integer('Votes for.'),
    negative: integer('Votes against.'),
    score: number(
      'Lower bound of the 95 % confidence interval for the share of votes for: what to sort by.',
    ),
    averageMark: nullable(number('Mean of the marks; null without any.')),
    marks: integer('How many marks there are.'),
  }),
  title: 'Rating',
};

/** Returns the rating of a record from its published reviews. */
export function ratingOf({ votes, positive, marks, ratings }: Rated) {
  return tallyOf({
    votes: votes ?? 0,
    positive: positive ?? 0,
    marks: marks ?? 0,
    ratings: ratings ?? 0,
  });
}

function rating<Row extends Rated>(): Field<Row> {
  return { schema: RATING, of: ratingOf };
}

const SUMS = 'votes, positive, marks, ratings';

export type PublicArticle = ArticlesTable &
  Rated & { readonly excerpt: string; readonly icon_path: string | null };

const articleFields: Fields<PublicArticle> = {
  guid: column(text('The key.'), 'guid'),
  caption: column(text('Headline; may be empty.'), 'caption'),
  excerpt: column(text(`The first ${EXCERPT_CHARS} characters of the text.`), 'excerpt'),
  content: {
    ...column<PublicArticle>(text('Text of the article; may be empty.'), 'content'),
    detail: true,
  },
  categoryGuid: column(nullable(text('Category.')), 'category_key'),
  contactPhone: column(text('Phone number to show; may be empty.'), 'contact_phone'),
  isPinned: {
    schema: flag('Whether it is pinned to the top now.'),
    of: ({ pinned_until }, { now }) => pinned_until !== null && now < pinned_until,
  },
  iconUrl: {
    schema: nullable(text('Its icon, small.')),
    of: ({ icon_path }, { baseUrl }) => (icon_path === null ? null : `${baseUrl}${icon_path}`),
  },
  fromUrl: column(text('Where the article came from; may be empty.'), 'from_url'),
  rating: rating<PublicArticle>(),
  createdAt: at(instant('When it was created.'), 'created_at'),
  updatedAt: at(instant('When it was changed last.'), 'updated_at'),
};

/** Published articles, as everyone may read them. */
export const PUBLIC_ARTICLES: Kind<PublicArticle> = {
  name: 'public/articles',
  title: 'PublicArticle',
  key: { name: 'guid', column: 'articles.guid', canonical: canonicalKey },
  from: 'articles',
  lookUp: { table: 'review_tallies', on: 'review_tallies.subject = articles.guid', optional: true },
  columns: `articles.guid, articles.caption, substr(articles.content, 1, ${EXCERPT_CHARS}) as excerpt,
    articles.category_key, articles.contact_phone, articles.pinned_until, articles.from_url, articles.created_at,
    articles.updated_at, (select shown.icon_path from v1_articles shown where shown.guid = articles.guid) as icon_path,
    ${SUMS}`,
  detailColumns: 'articles.content',
  always: { sql: PUBLIC_ARTICLE, indexed: false },
  orders: {
    created: byCreation('articles', 'guid'),
  },
  sort: '-created',
  filters: {
    categoryGuid: equals(
      text('Only those of this category.'),
      'articles.category_key',
      canonicalKey,
    ),
  },
  fields: articleFields,
};

type PublicAdvert = AdvertsTable & Rated & { readonly image_path: string | null };

const advertFields: Fields<PublicAdvert> = {
  guid: column(text('The key.'), 'guid'),
  ...advertContent<PublicAdvert>(),
  imageUrl: {
    schema: nullable(text('Its image; null when there is none that may be seen.')),
    of: ({ image_path }, { baseUrl }) => (image_path === null ? null : `${baseUrl}${image_path}`),
  },
  rating: rating<PublicAdvert>(),
  createdAt: at(instant('When it was created.'), 'created_at'),
  updatedAt: at(instant('When it was changed last.'), 'updated_at'),
};

/** Published adverts, as everyone may read them. */
export const PUBLIC_ADVERTS: Kind<PublicAdvert> = {
  name: 'public/adverts',
  title: 'PublicAdvert',
  key: { name: 'guid', column: 'adverts.guid', canonical: canonicalKey },
  from: 'adverts',
  lookUp: { table: 'review_tallies', on: 'review_tallies.subject = adverts.guid', optional: true },
  columns: `adverts.guid, adverts.title, adverts.detail, adverts.link_txt, adverts.link_url, adverts.deadline,
    adverts.category_key, adverts.is_image, adverts.created_at, adverts.updated_at,
    (select path from v1_images where v1_images.guid = adverts.img_guid) as image_path, ${SUMS}`,
  always: { sql: PUBLIC_ADVERT, indexed: false },
  orders: {
    created: byCreation('adverts', 'guid'),
  },
  sort: '-created',
  filters: {
    postAtCategoryGuid: equals(
      text('Only those of this category.'),
      'adverts.category_key',
      canonicalKey,
    ),
    current: {
      schema: flag('Only those that are current now, or that are not.'),
      condition: (value, now) => {
        const current = sql<boolean>`(adverts.deadline is null or adverts.deadline > ${now})`;
        return { sql: value === true ? current : sql<boolean>`not ${current}`, indexed: false };
      },
    },
  },
  fields: advertFields,
};

const { key, from, lookUp, columns, orders, sort, filters, fields: imageFields } = IMAGES;
const { fileGuid, linkGuid, category, isIcon, url, iconUrl, contentType, width, height } =
  imageFields;

/** Published images, as everyone may see them. */
export const PUBLIC_IMAGES: Kind<ImageRow> = {
  name: 'public/images',
  title: 'PublicImage',
  ...{ key, from, lookUp, columns, orders, sort },
  always: { sql: sql<boolean>`images.visibility = ${VISIBILITY.listed}`, indexed: false },
  filters: { linkGuid: filters.linkGuid! },
  fields: {
    fileGuid,
    linkGuid,
    category,
    isIcon,
    url,
    iconUrl,
    contentType,
    width,
    height,
  } as Fields<ImageRow>,
};
