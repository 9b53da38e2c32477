import type { Context } from 'hono';
import { html } from 'hono/html';
import type { Item } from '../api/kind.ts';
import { mayActAs } from '../contract/roles.ts';
import { WS01 } from '../contract/service.ts';
import { LOOKED_AT } from '../records/persons.ts';
import { TAGS } from '../web/language.ts';
import { API_DOCS_PATH } from '../web/own-paths.ts';
import { browserOf } from './account.ts';
import type { ApiClient, ItemPage } from './api-client.ts';
import { backupPart } from './backup-part.ts';
import { codeStory } from './code-story.ts';
import type { Extra } from './details.ts';
import { revisions } from './editor.ts';
import { deliveryExtra, failureOf, mailExtra, smsExtra } from './inbox.ts';
import { labelled } from './labelled.ts';
import { ago, type Content, time } from './layout.ts';
import { visits } from './link-visits.ts';
import { orUndefined } from './or-undefined.ts';
import { segmentOf } from './paths.ts';
import { imagePath, picturesOf, thumbnails, uploadForm } from './pictures.ts';
import { isFramed, SHOWN_CHARS, seenFrame, seenText, writtenOf } from './seen.ts';
import { dataTable } from './tables.ts';
import { actionFor, shown, tag, wordFor } from './values.ts';
import { type ConsoleDeps, type ConsoleEnv, HOME } from './visit.ts';

type C = Context<ConsoleEnv>;

/** The additional parts of pages, by kind. */
export function extrasOf(deps: ConsoleDeps): Readonly<Record<string, Extra>> {
  return {
    articles: async (c, api, item, record) =>
      html`${await content(deps, c, api, 'articles', item)}${revisions(c, String(item.guid), record.revisions)}`,
    adverts: (c, api, item) => content(deps, c, api, 'adverts', item),
    images: picture,
    links: visits,
    mails: mailExtra(deps),
    sms: smsExtra,
    deliveries: deliveryExtra,
    codes: codeStory(deps),
    users: async (c, api, item, record) =>
      html`${await ofPerson(c, api, String(item.id))}${await verifiedPhones(c, api, item, record)}${await person(c, api, item, record)}`,
    admins: sessions,
    webhooks: deliveries,
    failures: causeIn(deps),
    backups: backupPart,
  };
}

const KEYED = {
  articles: { name: 'articles', key: 'guid' },
  adverts: { name: 'adverts', key: 'guid' },
} as const;

/** What visitors see of a record, its pictures, and a form for another one. */
async function content(
  deps: ConsoleDeps,
  c: C,
  api: ApiClient,
  kind: 'articles' | 'adverts',
  item: Item,
): Promise<Content> {
  const key = String(item.guid);
  const mayUpload = c.get('admin').role === 'owner';
  const written = writtenOf(kind, item);
  // A page that is kept up to date is sent again and again: a long text is not in it.
  const isLong = written.length > SHOWN_CHARS;
  const isApart = isLong || (await isFramed(deps, kind, item));
  const text = isLong ? seenFrame(c, kind, key) : await seenText(deps, c, KEYED[kind], item);
  const boxed = text === '' || isApart ? text : html`<div class="seen">${text}</div>`;
  const linked = { linkGuid: key, back: `${HOME}/${kind}/${segmentOf(key)}` };
  return html`${boxed}${thumbnails(c, await picturesOf(api, key))}
${mayUpload ? upload(c, 'picture.add', linked) : ''}`;
}

/** The form for a picture, folded until one wants it. */
const upload = (
  c: C,
  what: 'picture.add' | 'picture.replace',
  fields: Readonly<Record<string, string>>,
): Content =>
  html`<details id="upload"><summary>${c.get('visit').translate(what)}</summary>
${uploadForm(c, fields)}</details>`;

const picture: Extra = (c, _api, item) => {
  const { translate } = c.get('visit');
  const another =
    c.get('admin').role === 'owner'
      ? upload(c, 'picture.replace', { fileGuid: String(item.fileGuid) })
      : '';
  return html`<p><img class="picture" src="${imagePath(item, 'full')}"
alt="${translate('kind.images')}"></p>${another}`;
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

/**
 * The lists that have records of a person, by the filter that finds them there, and who reads them.
 */
const OF_PERSON = [
  ...([
    ['articles', 'createUserId', 'reader'],
    ['adverts', 'createUserId', 'reader'],
    ['images', 'owner', 'reader'],
    ['reviews', 'userId', 'reader'],
    ['links', 'userId', 'reader'],
  ] as const),
  ...([
    ['mails', 'sender', 'owner'],
    ['sms', 'userId', 'owner'],
    ['codes', 'userId', 'owner'],
    ['failures', 'userId', 'owner'],
  ] as const),
];

/** Numbers above are "more than". */
const MANY = 10_000;

/**
 * Counts what a person wrote, and what went to them or failed, with links; what there is none of is
 * left out.
 */
async function ofPerson(c: C, api: ApiClient, key: string): Promise<Content> {
  const { translate } = c.get('visit');
  const kinds = OF_PERSON.filter(([, , role]) => mayActAs(c.get('admin').role, role));
  const links = await Promise.all(
    kinds.map(async ([kind, filter]) => {
      const query = `${filter}=${encodeURIComponent(key)}`;
      const path = `/${kind}?${query}&limit=1&total=true`;
      const { items = [], total = null } = (await orUndefined(api.get<ItemPage>(path))) ?? {};
      if (items.length === 0) return '';
      const many = total !== null && total > MANY ? `${MANY}+` : total;
      const word = translate(`kind.${kind}`);
      const text = many === null ? word : labelled(translate, word, html`<strong>${many}</strong>`);
      return html`<li><a class="chip" href="${HOME}/${kind}?${query}">${text}</a></li>`;
    }),
  );
  if (links.every((link) => link === '')) return '';
  return html`<section aria-labelledby="theirs"><h2 id="theirs">${translate('detail.theirs')}</h2>
<ul class="chips">${links}</ul></section>`;
}

/** Asks a page of a user for the count of what is stored. */
const COUNTED = 'stored';

/**
 * The data stored about a person, for roles that may export and erase it; counted when that is
 * asked for.
 */
const person: Extra = async (c, api, item) => {
  const { translate } = c.get('visit');
  if (c.get('admin').role !== 'owner') return '';
  const path = `/users/${segmentOf(String(item.id))}`;
  const counted =
    c.req.query(COUNTED) === undefined
      ? html`<p><a class="button"
href="${HOME}${path}?${COUNTED}=count#stored">${translate('detail.count')}</a></p>`
      : await storedRows(c, api, path);
  return html`<section aria-labelledby="stored"><h2 id="stored">${translate('detail.stored')}</h2>
${counted}
<p><a class="button" href="${HOME}${path}/export.json" download>${translate('detail.export')}</a></p></section>`;
};

async function storedRows(c: C, api: ApiClient, path: string): Promise<Content> {
  const { translate } = c.get('visit');
  const { items, more } = await api.get<{
    items: readonly { table: string; rows: number; fate: string }[];
    more: boolean;
  }>(`${path}/data`);
  const table = dataTable(
    translate('detail.stored'),
    [translate('detail.table'), translate('field.count'), translate('detail.erasure')],
    items.map(({ table, rows, fate }) => [
      wordFor(translate, 'field', table),
      rows > LOOKED_AT.rows ? `> ${LOOKED_AT.rows}` : String(rows),
      wordFor(translate, 'value', fate),
    ]),
    [1],
  );
  return more ? html`<p class="notice">${translate('detail.mayBeMore')}</p>${table}` : table;
}

/**
 * Where the parameters of a call that failed are explained, and the others that failed likewise.
 */
function causeIn({ servicePath }: ConsoleDeps): Extra {
  return async (c, api, { binding, error, operation, userId, moreAlike }) => {
    const { translate, language } = c.get('visit');
    const alike = new URLSearchParams(
      Object.entries({ operation, error, userId }).flatMap(([name, value]) =>
        typeof value === 'string' ? [[name, value]] : [],
      ),
    );
    const counted = await orUndefined(api.get<ItemPage>(`/failures?${alike}&total=true&limit=1`));
    const count = Number(counted?.total ?? 0);
    const others = html`<a href="${HOME}/failures?${alike}">${translate('failure.alike', { count })}</a>`;
    const isOperation = WS01.operations.some(({ name }) => name === operation);
    const apiHelp = binding === 'api' ? API_DOCS_PATH : undefined;
    const help = isOperation
      ? `${servicePath}?lang=${TAGS[language]}&op=${String(operation)}`
      : apiHelp;
    const more = Number(moreAlike ?? 0);
    const unlisted = translate('failure.moreAlike', { count: more });
    return html`${more === 0 ? '' : html`<p>${unlisted}</p>`}<ul class="chips">
${help === undefined ? '' : html`<li><a href="${help}">${translate('detail.operationHelp')}</a></li>`}
${count > 1 ? html`<li>${others}</li>` : ''}</ul>`;
  };
}

/** The latest deliveries to a webhook. */
const deliveries: Extra = (c, _api, item, { deliveries: items }) => {
  const { id } = item;
  const { translate, language } = c.get('visit');
  const query = `webhookId=${encodeURIComponent(String(id))}`;
  const title = wordFor(translate, 'kind', 'deliveries');
  if (items.length === 0) return '';
  return html`${failureOf(c, item)}<section aria-labelledby="deliveries"><h2 id="deliveries">${title}</h2>
${dataTable(
  title,
  ['type', 'status', 'lastReply', 'createdAt'].map((name) => wordFor(translate, 'field', name)),
  items.map((item) => [
    html`<a href="${HOME}/deliveries/${segmentOf(String(item.id))}">${actionFor(translate, String(item.type))}</a>`,
    tag(translate, String(item.status)),
    shown({ translate, language, short: true }, 'lastReply', undefined, item.lastReply),
    ago(item.createdAt as string),
  ]),
  [],
  [3],
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
