import { sql } from 'kysely';
import { tallyOf } from '../../domain/reviews/tally.ts';
import { ADVERT_CONTENT, ADVERTS, PUBLIC_ADVERT } from '../../records/adverts.ts';
import { ARTICLES, PUBLIC_ARTICLE } from '../../records/articles.ts';
import { IMAGE_CONTENT, IMAGES, type ImageRow } from '../../records/images.ts';
import { type Members, worked } from '../../records/record.ts';
import * as types from '../../records/types.ts';
import {
  type AdvertsTable,
  type ArticlesTable,
  type ReviewTalliesTable,
  VISIBILITY,
} from '../../store/tables/tables.ts';
import { type Kind, kindOf } from '../kind.ts';
import { integer, nullable, number, object } from '../schema.ts';

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

const SUMS = 'votes, positive, marks, ratings';

/** A rating comes with each public record; its sums are looked up. */
const rated = <Row extends Rated>(kind: Kind<Row>): Kind<Row> => ({
  ...kind,
  fields: { ...kind.fields, rating: { schema: RATING, of: ratingOf } },
});

const tallies = (subject: string) =>
  ({ table: 'review_tallies', on: `review_tallies.subject = ${subject}`, optional: true }) as const;

/** Those of a record's members with these names. */
function pick<Row>(members: Members<Row>, ...names: readonly string[]): Members<Row> {
  return Object.fromEntries(names.map((name) => [name, members[name]!]));
}

export type PublicArticle = ArticlesTable &
  Rated & { readonly excerpt: string; readonly icon_path: string | null };

/** Published articles, as everyone may read them. */
export const PUBLIC_ARTICLES: Kind<PublicArticle> = rated(
  kindOf<PublicArticle>({
    table: 'articles',
    name: 'public/articles',
    title: 'PublicArticle',
    key: 'guid',
    members: {
      ...pick<PublicArticle>(ARTICLES.members, 'guid', 'caption'),
      excerpt: worked(
        types.text(),
        `The first ${EXCERPT_CHARS} characters of the text.`,
        ({ excerpt }) => excerpt,
      ),
      ...pick<PublicArticle>(
        ARTICLES.members,
        'content',
        'categoryGuid',
        'contactPhone',
        'isPinned',
      ),
      iconUrl: worked(
        types.text(),
        'Its icon, small.',
        ({ icon_path }, { baseUrl }) => (icon_path === null ? null : `${baseUrl}${icon_path}`),
        { absent: null },
      ),
      ...pick<PublicArticle>(ARTICLES.members, 'fromUrl', 'createdAt', 'updatedAt'),
    },
    lookUp: tallies('articles.guid'),
    reads: `substr(articles.content, 1, ${EXCERPT_CHARS}) as excerpt, articles.pinned_until,
      (select shown.icon_path from v1_articles shown where shown.guid = articles.guid) as icon_path, ${SUMS}`,
    always: { sql: PUBLIC_ARTICLE, indexed: false },
    orders: ARTICLES.orders,
    sort: '-created',
    filters: { categoryGuid: ARTICLES.filters.categoryGuid },
  }),
);

type PublicAdvert = AdvertsTable & Rated & { readonly image_path: string | null };

/** Published adverts, as everyone may read them. */
export const PUBLIC_ADVERTS: Kind<PublicAdvert> = rated(
  kindOf<PublicAdvert>({
    table: 'adverts',
    name: 'public/adverts',
    title: 'PublicAdvert',
    key: 'guid',
    members: {
      ...pick<PublicAdvert>(ADVERTS.members, 'guid'),
      ...ADVERT_CONTENT,
      imageUrl: worked(
        types.text(),
        'Its image; null when there is none that may be seen.',
        ({ image_path }, { baseUrl }) => (image_path === null ? null : `${baseUrl}${image_path}`),
        { absent: null },
      ),
      ...pick<PublicAdvert>(ADVERTS.members, 'createdAt', 'updatedAt'),
    },
    lookUp: tallies('adverts.guid'),
    reads: `(select path from v1_images where v1_images.guid = adverts.img_guid) as image_path, ${SUMS}`,
    always: { sql: PUBLIC_ADVERT, indexed: false },
    orders: ADVERTS.orders,
    sort: '-created',
    filters: {
      postAtCategoryGuid: ADVERTS.filters.postAtCategoryGuid,
      current: {
        about: 'Only those that are current now, or that are not.',
        type: types.flag,
        condition: (value, now) => {
          const current = sql<boolean>`(adverts.deadline is null or adverts.deadline > ${now})`;
          return { sql: value === true ? current : sql<boolean>`not ${current}`, indexed: false };
        },
      },
    },
  }),
);

const { table, key, lookUp, reads, orders, sort, filters } = IMAGES;

/** Published images, as everyone may see them. */
export const PUBLIC_IMAGES: Kind<ImageRow> = kindOf<ImageRow>({
  name: 'public/images',
  title: 'PublicImage',
  ...{ table, key, lookUp, orders, sort },
  members: IMAGE_CONTENT,
  reads: `${reads}, images.hash, images.visibility`,
  always: { sql: sql<boolean>`images.visibility = ${VISIBILITY.listed}`, indexed: false },
  filters: { linkGuid: filters.linkGuid },
});
