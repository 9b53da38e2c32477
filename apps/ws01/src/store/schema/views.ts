import { type Kysely, sql } from 'kysely';
import { isPostgres } from '../engine-of.ts';
import type { Tables } from '../tables/tables.ts';

/**
 * Creates what other programs read: views whose names and columns stay as they are, on both engines
 * alike (docs/views.md). A later change may add columns at the end of one, and views of another
 * version beside them.
 */
export async function createViews(db: Kysely<Tables>): Promise<void> {
  for (const [name, definition] of Object.entries(definitions(dialectOf(db)))) {
    await sql`create view ${sql.id(name)} as ${sql.raw(definition)}`.execute(db);
  }
}

/** Replaces a view whose columns stay; grants on it stay, too. */
export async function replaceView(db: Kysely<Tables>, name: string): Promise<void> {
  const definition = sql.raw(definitions(dialectOf(db))[name]!);
  if (isPostgres(db))
    return void (await sql`create or replace view ${sql.id(name)} as ${definition}`.execute(db));
  await sql`drop view ${sql.id(name)}`.execute(db);
  await sql`create view ${sql.id(name)} as ${definition}`.execute(db);
}

/** Expressions that the engines write otherwise. */
interface Dialect {
  /** An instant, ms since 1970, as RFC 3339 in UTC; `null` stays. */
  readonly instant: (column: string) => string;
  /** ms since 1970. */
  readonly now: string;
}

function dialectOf(db: Kysely<Tables>): Dialect {
  if (isPostgres(db)) {
    return {
      instant: (column) =>
        `to_char(to_timestamp(${column} / 1000.0) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`,
      now: 'cast(floor(extract(epoch from now()) * 1000) as bigint)',
    };
  }
  const rest = (column: string) => `((${column} % 1000 + 1000) % 1000)`;
  return {
    instant: (column) =>
      `strftime('%Y-%m-%dT%H:%M:%S', (${column} - ${rest(column)}) / 1000, 'unixepoch') || printf('.%03dZ', ${rest(column)})`,
    now: "cast(strftime('%s', 'now') as integer) * 1000",
  };
}

/**
 * A column of instants in both its forms: `…_at` to be read, `…_ms` to be sorted and compared by.
 */
function bothForms({ instant }: Dialect, column: string, name: string): string {
  return `${instant(column)} as ${name}_at, ${column} as ${name}_ms`;
}

/** Published is every status but draft, pending and hidden (semantics 5.6). */
const PUBLIC_ARTICLE = `articles.deleted_at is null and articles.held_at is null and articles.removed_at is null
  and articles.status not in (1, 2, 3)`;

const PUBLIC = 'held_at is null and removed_at is null';

/** The format of an icon. */
const ICON_FORMAT =
  "case files.format when 'gif' then 'png' when 'heic' then 'jpeg' else files.format end";

function definitions(written: Dialect): Record<string, string> {
  const { instant, now } = written;
  const times = (table: string) =>
    `${bothForms(written, `${table}.created_at`, 'created')}, ${bothForms(written, `${table}.updated_at`, 'updated')}`;
  return {
    v1_images: `select images.guid, images.owner, images.link_guid, images.category, images.is_icon,
      ${bothForms(written, 'images.icon_at', 'marked')},
      '/media/' || images.hash || '.' || ${extension('coalesce(files.served_format, files.format)')} as path,
      '/media/' || images.hash || '-icon.' || ${extension(ICON_FORMAT)} as icon_path,
      'image/' || coalesce(files.served_format, files.format) as content_type,
      files.width, files.height, images.bytes, ${times('images')}
      from images join image_files files on files.hash = images.hash where images.visibility = 0`,
    v1_articles: `select ${articleColumns(written)} from articles where ${PUBLIC_ARTICLE}`,
    v1_articles_all: `select ${articleColumns(written)},
      case when ${PUBLIC_ARTICLE} then 1 else 0 end as is_public,
      ${instant('articles.deleted_at')} as deleted_at, ${instant('articles.held_at')} as held_at,
      ${instant('articles.removed_at')} as removed_at from articles`,
    v1_revisions: `select article_guid, revision, caption, content, category_key as category, contact_phone,
      ${instant('pinned_until')} as pinned_until, icon_guid, status, from_url,
      ${bothForms(written, 'recorded_at', 'replaced')} from article_revisions`,
    v1_adverts: `select adverts.guid, adverts.owner, adverts.title, adverts.detail, adverts.link_txt as link_text,
      adverts.link_url, ${instant('adverts.deadline')} as deadline, adverts.deadline as deadline_ms,
      case when adverts.deadline is null or adverts.deadline > ${now} then 1 else 0 end as is_current,
      adverts.category_key as category, adverts.is_image, adverts.img_guid as image_guid,
      (select path from v1_images where v1_images.guid = adverts.img_guid) as image_path,
      ${times('adverts')} from adverts where ${PUBLIC}`,
    v1_users: `select id, registered as is_registered, name, email, first_name, last_name, zip_code, state, city, address,
      address2, cell_phone, ${instant('cell_phone_verified_at')} as cell_phone_verified_at, ${times('users')} from users`,
    v1_reviews: `select id, subject, case when voter like 'user:%' then substr(voter, 6) end as user_id,
      positive as is_positive, cast(rating as double precision) / 100 as mark, remark, ${times('reviews')}
      from reviews where ${PUBLIC}
      and (positive is not null or rating is not null or remark is not null)`,
    v1_review_tallies: `select subject, positive, votes - positive as negative, marks,
      case when marks > 0 then cast(ratings as double precision) / 100 / marks end as average_mark,
      ${wilson('cast(positive as double precision)', 'votes')} as score from review_tallies`,
    v1_links: `select code, target, user_id, ${instant('deadline')} as deadline, ${instant('disabled_at')} as disabled_at,
      case when disabled_at is null and (deadline is null or deadline > ${now}) then 1 else 0 end as is_live,
      coalesce((select sum(visits) from link_visits where link_visits.code = links.code), 0) as visits,
      ${bothForms(written, 'created_at', 'created')} from links`,
    v1_mails: `select mails.id, mails.sender, mails.receiver_name, mails.receiver_email, mails.subject,
      outbox.state as status, outbox.attempts, ${bothForms(written, 'mails.created_at', 'created')},
      ${instant('outbox.finished_at')} as finished_at, outbox.last_reply
      from mails join outbox on outbox.id = mails.id`,
  };
}

/** The icon is the image marked last; where none is marked, the one that the article names. */
function articleColumns(written: Dialect): string {
  return `articles.guid, articles.owner, articles.caption, articles.content, articles.category_key as category,
    articles.contact_phone, ${written.instant('articles.pinned_until')} as pinned_until,
    case when articles.pinned_until > ${written.now} then 1 else 0 end as is_pinned, articles.icon_guid,
    coalesce(
      (select icon_path from v1_images where v1_images.link_guid = articles.guid and is_icon = 1
        order by marked_ms desc, guid desc limit 1),
      (select icon_path from v1_images where v1_images.guid = articles.icon_guid)) as icon_path,
    articles.status, articles.from_url, articles.revision,
    ${bothForms(written, 'articles.created_at', 'created')}, ${bothForms(written, 'articles.updated_at', 'updated')}`;
}

function extension(format: string): string {
  return `(case ${format} when 'jpeg' then 'jpg' else ${format} end)`;
}

/** The lower bound of Wilson's interval of 95 %, as submitReview answers it. */
function wilson(positive: string, votes: string): string {
  const [z, zz] = ['1.959963984540054', '3.841458820694124'];
  const share = `(${positive} / ${votes})`;
  return `case when positive = 0 then 0.0 else (${share} + ${zz} / (2.0 * ${votes})
    - ${z} * sqrt((${share} * (1 - ${share}) + ${zz} / (4.0 * ${votes})) / ${votes})) / (1 + ${zz} / ${votes}) end`;
}
