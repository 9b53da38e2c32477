import type { Context } from 'hono';
import { html } from 'hono/html';
import type { Item } from '../api/kind.ts';
import type { ApiClient, ItemPage } from './api-client.ts';
import type { Kind } from './catalog.ts';
import { type Content, type Html, time } from './layout.ts';
import { orUndefined } from './or-undefined.ts';
import { segmentOf } from './paths.ts';
import { type Picture, picturesOf } from './pictures.ts';
import { SEEN, seenFrame } from './seen.ts';
import { dataTable } from './tables.ts';
import { cut } from './text.ts';
import { type ConsoleEnv, HOME } from './visit.ts';

type C = Context<ConsoleEnv>;

/** What an editor needs besides the record: its pictures, and what stands beside the form. */
export interface BesideForm {
  readonly pictures: readonly Picture[];
  readonly aside: Content;
}

/** Reads what stands beside the form of a record: what visitors see of it, and what it said before. */
export async function besideOf(c: C, api: ApiClient, kind: Kind, key: string): Promise<BesideForm> {
  if (!(kind.name in SEEN)) return { pictures: [], aside: '' };
  const [pictures, earlier] = await Promise.all([
    picturesOf(api, key),
    kind.name === 'articles' ? revisionsOf(api, key) : [],
  ]);
  return { pictures, aside: html`${seenPart(c, kind.name, key)}${revisions(c, key, earlier)}` };
}

/** What visitors see, or will see. */
export const seenPart = (c: C, kind: string, key?: string): Html =>
  html`<section aria-labelledby="seen"><h2 id="seen">${c.get('visit').translate('desk.seen')}</h2>
${seenFrame(c, kind, key)}</section>`;

/** Reads the latest contents of an article, the present one first. */
export async function revisionsOf(api: ApiClient, key: string): Promise<readonly Item[]> {
  const path = `/articles/${segmentOf(key)}/revisions?limit=50`;
  return (await orUndefined(api.get<ItemPage>(path)))?.items ?? [];
}

/** The revisions of an article, each with a link to its changes. */
export function revisions(c: C, key: string, items: readonly Item[]): Content {
  const { translate } = c.get('visit');
  const guid = segmentOf(key);
  if (items.length === 0) return '';
  return html`<section aria-labelledby="revisions"><h2 id="revisions">${translate('detail.revisions')}</h2>
${dataTable(
  translate('detail.revisions'),
  [translate('field.revision'), translate('field.caption'), translate('detail.replaced')],
  items.map(({ revision, caption, replacedAt }) => [
    html`<a href="${HOME}/articles/${guid}/revisions/${String(revision)}">
${translate('detail.revision', { number: String(revision) })}</a>`,
    cut(String(caption), 120),
    replacedAt === null ? translate('detail.now') : time(replacedAt as string),
  ]),
)}
<p><a href="${HOME}/articles/${guid}/revisions.csv">${translate('list.csv')}</a></p></section>`;
}

/** The form of an edit, with what stands beside it. */
export const editor = ({ aside }: BesideForm, form: Html): Html =>
  aside === '' ? form : html`<div class="columns">${form}<aside>${aside}</aside></div>`;
