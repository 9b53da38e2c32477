import { html } from 'hono/html';
import { MEDIA_PATH } from '../domain/values/image-url.ts';
import { browserOf } from './account.ts';
import type { ItemPage } from './api-client.ts';
import type { Extra } from './details.ts';
import { mailExtra, smsExtra } from './inbox.ts';
import { time } from './layout.ts';
import { visits } from './link-visits.ts';
import { orUndefined } from './or-undefined.ts';
import { segmentOf } from './paths.ts';
import { dataTable } from './tables.ts';
import { actionFor, tag, wordFor } from './values.ts';
import { type ConsoleDeps, HOME } from './visit.ts';

/** The additional parts of pages, by kind. */
export function extrasOf(deps: ConsoleDeps): Readonly<Record<string, Extra>> {
  return {
    articles: async (c, api, item) =>
      html`${await pictures(c, api, item)}${await revisions(c, api, item)}`,
    adverts: pictures,
    images: picture,
    links: visits,
    mails: mailExtra(deps),
    sms: smsExtra,
    codes: timeline,
    users: async (c, api, item) =>
      html`${await verifiedPhones(c, api, item)}${await person(c, api, item)}`,
    admins: sessions,
    webhooks: deliveries,
  };
}

/** The revisions of an article, each with a link to its changes. */
const revisions: Extra = async (c, api, item) => {
  const { translate } = c.get('visit');
  const guid = segmentOf(String(item.guid));
  const page = await orUndefined(api.get<ItemPage>(`/articles/${guid}/revisions?limit=50`));
  if (page === undefined || page.items.length === 0) return '';
  return html`<section aria-labelledby="revisions"><h2 id="revisions">${translate('detail.revisions')}</h2>
${dataTable(
  translate('detail.revisions'),
  [translate('field.revision'), translate('field.caption'), translate('detail.replaced')],
  page.items.map(({ revision, caption, replacedAt }) => [
    html`<a href="${HOME}/articles/${guid}/revisions/${String(revision)}">${translate('detail.revision', { number: String(revision) })}</a>`,
    String(caption),
    replacedAt === null ? translate('detail.now') : time(replacedAt as string),
  ]),
)}
<p><a href="${HOME}/articles/${guid}/revisions.csv">${translate('list.csv')}</a></p></section>`;
};

/** Maximum number of images on a record's page; the list of images has all. */
const PICTURES = 12;

/** The images of a record, as thumbnails with links to their pages. */
export const pictures: Extra = async (c, api, item) => {
  const { translate } = c.get('visit');
  const found = await orUndefined(
    api.get<ItemPage>(
      `/images?linkGuid=${encodeURIComponent(String(item.guid))}&limit=${PICTURES}`,
    ),
  );
  const shown = (found?.items ?? []).filter(({ iconUrl }) => typeof iconUrl === 'string');
  if (shown.length === 0) return '';
  return html`<ul class="thumbs" aria-label="${translate('kind.images')}">${shown.map(
    ({ fileGuid, iconUrl }) =>
      html`<li><a href="${HOME}/images/${segmentOf(String(fileGuid))}"><img src="${pathOf(String(iconUrl))}" alt="${translate('kind.images')}: ${String(fileGuid)}" loading="lazy"></a></li>`,
  )}</ul>`;
};

/** The path of an image below the service: pages may load images of their own host only. */
const pathOf = (url: string): string => url.slice(url.lastIndexOf(`${MEDIA_PATH}/`));

const picture: Extra = (c, _api, item) => {
  const { translate } = c.get('visit');
  const url = [item.url, item.imageUrl, item.previewUrl].find(
    (one) => typeof one === 'string' && one !== '',
  );
  if (typeof url !== 'string') return '';
  return html`<p><img class="picture" src="${pathOf(url)}" alt="${String(item.caption ?? translate('kind.images'))}"></p>`;
};

/** The phone numbers that a user verified, and when last. */
const verifiedPhones: Extra = async (c, api, item) => {
  const { translate } = c.get('visit');
  const page = await orUndefined(
    api.get<Pick<ItemPage, 'items'>>(`/users/${segmentOf(String(item.id))}/verifications`),
  );
  const items = page?.items ?? [];
  if (items.length === 0) return '';
  const columns = ['phone', 'verifiedAt'] as const;
  return html`<section aria-labelledby="verified"><h2 id="verified">${translate('detail.verified')}</h2>
${dataTable(
  translate('detail.verified'),
  columns.map((name) => translate(`field.${name}`)),
  items.map(({ phone, verifiedAt }) => [String(phone), time(verifiedAt as string)]),
)}</section>`;
};

/** Maximum number of steps in a timeline. */
const STEPS = 50;

/** The steps of the codes for the same number and user, the newest first. */
const timeline: Extra = async (c, api, { id, userId, phone }) => {
  const { translate } = c.get('visit');
  if (userId === null) return '';
  const page = await api.get<ItemPage>(
    `/codes?userId=${encodeURIComponent(String(userId))}&limit=${STEPS}`,
  );
  const steps = page.items.filter((item) => item.phone === phone);
  if (steps.length < 2) return '';
  return html`<section aria-labelledby="timeline"><h2 id="timeline">${translate('detail.timeline')}</h2>
${dataTable(
  translate('detail.timeline'),
  [
    translate('field.at'),
    translate('field.step'),
    translate('field.attempt'),
    translate('field.address'),
  ],
  steps.map(({ id: own, at, step, attempt, address }) => [
    own === id
      ? time(at as string)
      : html`<a href="${HOME}/codes/${segmentOf(String(own))}">${time(at as string)}</a>`,
    tag(translate, String(step)),
    attempt === null ? '–' : String(attempt),
    String(address ?? '–'),
  ]),
)}</section>`;
};

/** The data stored about a person, for roles that may export and erase it. */
const person: Extra = async (c, api, item) => {
  const { translate } = c.get('visit');
  if (c.get('admin').role !== 'owner') return '';
  const path = `/users/${segmentOf(String(item.id))}`;
  const found = await orUndefined(
    api.get<{ items: readonly { table: string; rows: number; fate: string }[] }>(`${path}/data`),
  );
  if (found === undefined) return '';
  return html`<section aria-labelledby="stored"><h2 id="stored">${translate('detail.stored')}</h2>
${dataTable(
  translate('detail.stored'),
  [translate('detail.table'), translate('field.count'), translate('detail.erasure')],
  found.items.map(({ table, rows, fate }) => [
    wordFor(translate, 'field', table),
    String(rows),
    wordFor(translate, 'value', fate),
  ]),
)}
<p><a class="button" href="${HOME}${path}/export.json" download>${translate('detail.export')}</a></p></section>`;
};

/** Deliveries on the page of a webhook; the list of deliveries has all. */
const DELIVERIES = 10;

/** The latest deliveries to a webhook. */
const deliveries: Extra = async (c, api, { id }) => {
  const { translate } = c.get('visit');
  const query = `webhookId=${encodeURIComponent(String(id))}`;
  const { items } = await api.get<ItemPage>(`/deliveries?${query}&limit=${DELIVERIES}`);
  const title = wordFor(translate, 'kind', 'deliveries');
  if (items.length === 0) return '';
  return html`<section aria-labelledby="deliveries"><h2 id="deliveries">${title}</h2>
${dataTable(
  title,
  ['type', 'status', 'answerStatus', 'attempts', 'createdAt'].map((name) =>
    wordFor(translate, 'field', name),
  ),
  items.map((item) => [
    html`<a href="${HOME}/deliveries/${segmentOf(String(item.id))}">${actionFor(translate, String(item.type))}</a>`,
    tag(translate, String(item.status)),
    String(item.answerStatus ?? '–'),
    String(item.attempts),
    time(item.createdAt as string),
  ]),
)}
<p><a href="${HOME}/deliveries?${query}">${translate('search.all', { kind: title })}</a></p></section>`;
};

/** The sessions of an admin. */
const sessions: Extra = async (c, api, item) => {
  const { translate } = c.get('visit');
  const path = `/admins/${segmentOf(String(item.id))}/sessions`;
  const { items } = await api.get<{
    items: readonly Record<'address' | 'agent' | 'createdAt' | 'seenAt', string>[];
  }>(path);
  if (items.length === 0) return '';
  return html`<section aria-labelledby="sessions"><h2 id="sessions">${translate('admins.sessions')}</h2>
${dataTable(
  translate('admins.sessions'),
  [
    translate('account.browser'),
    translate('account.address'),
    translate('account.since'),
    translate('account.seen'),
  ],
  items.map(({ address, agent, createdAt, seenAt }) => [
    browserOf(agent),
    address,
    time(createdAt),
    time(seenAt),
  ]),
)}</section>`;
};
