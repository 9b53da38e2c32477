import { sql } from 'kysely';
import { tallyOf } from '../../domain/reviews/tally.ts';
import { imageUrl, MEDIA_PATH, srcsetOf } from '../../domain/values/image-url.ts';
import { ADVERT_CONTENT, ADVERTS, type AdvertRow, PUBLIC_ADVERT } from '../../records/adverts.ts';
import { ARTICLES, type ArticleRow, PUBLIC_ARTICLE } from '../../records/articles.ts';
import { IMAGE_CONTENT, IMAGES, type ImageRow } from '../../records/images.ts';
import { type Members, worked } from '../../records/record.ts';
import * as types from '../../records/types.ts';
import {
  type ImageFormat,
  type ReviewTalliesTable,
  VISIBILITY,
} from '../../store/tables/tables.ts';
import { type Kind, kindOf } from '../kind.ts';
import { integer, nullable, number, object } from '../schema.ts';
import { excerptOf } from './excerpt.ts';

/** Length of the excerpt of an article in lists; characters. */
const EXCERPT_CHARS = 300;

/** What is read of a text for it: markup takes more than what is seen; characters. */
const EXCERPT_SOURCE_CHARS = 4_000;

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

export type PublicArticle = ArticleRow & Rated & { readonly excerpt: string };

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
        `The beginning of the text without markup, at most ${EXCERPT_CHARS} characters.`,
        ({ excerpt }) => excerptOf(excerpt, EXCERPT_CHARS),
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
        ({ icon }, { baseUrl }) => (icon === null ? null : `${baseUrl}${icon.split(' ')[0]}`),
        { absent: null },
      ),
      iconSrcset: worked(
        types.text(),
        'The picture of its icon in the widths that screens have, as `srcset` of HTML.',
        ({ icon }, { baseUrl }) => pictureOfIcon(icon, baseUrl)?.srcset ?? null,
        { absent: null },
      ),
      ...pick<PublicArticle>(ARTICLES.members, 'fromUrl', 'createdAt', 'updatedAt'),
    },
    lookUp: tallies('articles.guid'),
    reads: `substr(articles.content, 1, ${EXCERPT_SOURCE_CHARS}) as excerpt, articles.pinned_until,
      (select shown.icon_path || ' ' || coalesce(served_format, format) || ' ' || width || ' ' || frames
        from v1_articles shown join image_files on hash = ${hashIn('shown.icon_path')}
        where shown.guid = articles.guid) as icon, ${SUMS}`,
    always: { sql: PUBLIC_ARTICLE, indexed: false },
    orders: ARTICLES.orders,
    sort: '-created',
    filters: { categoryGuid: ARTICLES.filters.categoryGuid },
  }),
);

/** The hash of an image's file in its path, in SQL. */
function hashIn(path: string): string {
  return `substr(${path}, ${MEDIA_PATH.length + 2}, 64)`;
}

/**
 * Returns where the picture of an icon is served, and in which widths.
 * @param icon the icon's path, the picture's format, width and frames.
 */
export function pictureOfIcon(
  icon: string | null,
  baseUrl: string,
): { readonly url: string; readonly srcset: string | null } | undefined {
  if (icon === null) return undefined;
  const [path = '', format, width, frames] = icon.split(' ');
  const hash = path.slice(MEDIA_PATH.length + 1).slice(0, 64);
  const formats = { format: format as ImageFormat, served_format: null };
  const url = imageUrl(baseUrl, { hash, ...formats }, 'full');
  return { url, srcset: srcsetOf(url, { width: Number(width), frames: Number(frames) }) };
}

type PublicAdvert = AdvertRow & Rated;

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
        ({ icon }, { baseUrl }) => (icon === null ? null : `${baseUrl}${icon.split(' ')[0]}`),
        { absent: null },
      ),
      imageSrcset: worked(
        types.text(),
        'It in the widths that screens have, as `srcset` of HTML; null for an animation.',
        ({ icon }, { baseUrl }) => {
          if (icon === null) return null;
          const [path, width, frames] = icon.split(' ');
          return srcsetOf(`${baseUrl}${path}`, { width: Number(width), frames: Number(frames) });
        },
        { absent: null },
      ),
      ...pick<PublicAdvert>(ADVERTS.members, 'createdAt', 'updatedAt'),
    },
    lookUp: tallies('adverts.guid'),
    reads: `(select path || ' ' || files.width || ' ' || files.frames
      from v1_images join image_files files on files.hash = ${hashIn('path')}
      where v1_images.guid = adverts.img_guid) as icon, ${SUMS}`,
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
