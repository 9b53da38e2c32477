import { type Context, Hono } from 'hono';
import { html } from 'hono/html';
import type { Item } from '../api/kind.ts';
import { Ws01Error } from '../contract/errors.ts';
import { mayActAs } from '../contract/roles.ts';
import { secondsOf, webhookHeaders } from '../domain/webhooks/signature.ts';
import { type ApiClient, apiFor } from './api-client.ts';
import type { Kind } from './catalog.ts';
import { csvDownload } from './csv.ts';
import type { Extra } from './details.ts';
import { emptyPart } from './empty.ts';
import { exportOfKinds } from './export-pages.ts';
import { BODY_POLICY } from './guard.ts';
import { icon } from './icons.ts';
import { labelled } from './labelled.ts';
import type { Translate } from './language.ts';
import { ago, type ConsolePageDeps, type Content, type Html, toTheSecond } from './layout.ts';
import {
  chips,
  type Filtered,
  filterForm,
  fromInbox,
  ownQuery,
  queryOf,
  rangeLinks,
} from './list-filters.ts';
import { liveBox, livePart } from './live.ts';
import { mailHealth } from './mail-health.ts';
import { type Names, nameAt, namesOf } from './names.ts';
import { orUndefined } from './or-undefined.ts';
import { segmentOf } from './paths.ts';
import { readOn } from './read-on.ts';
import { replyPart } from './replies.ts';
import { groundOf, hasRemotePicture, heightOf, plainText, SHOWN_CHARS } from './seen.ts';
import { dataTable } from './tables.ts';
import { cut } from './text.ts';
import type { TextKey } from './texts/en.ts';
import { tag, wordFor } from './values.ts';
import { type ConsoleDeps, type ConsoleEnv, HOME } from './visit.ts';
import { sandboxNotices } from './warnings.ts';

type C = Context<ConsoleEnv>;

/** Messages of each kind on the page; the lists have all. */
const SHOWN = 50;

/** The page of all outgoing mails and text messages, newest first. */
export function inboxRoutes(deps: ConsolePageDeps): Hono<ConsoleEnv> {
  const { kindsByName, show } = deps;
  const kinds = ['mails', 'sms'].filter((name) => kindsByName.has(name));
  const inbox = filteredInbox(kinds.map((name) => kindsByName.get(name)!));
  const app = new Hono<ConsoleEnv>();
  for (const path of ['/inbox', '/inbox.csv']) {
    app.use(path, async (c, next) => {
      const { role } = c.get('admin');
      if (kinds.every((kind) => mayActAs(role, kindsByName.get(kind)!.role))) return next();
      throw new Ws01Error('Forbidden', 'Your role does not allow this.');
    });
  }
  app.get('/inbox', async (c) => {
    const { translate } = c.get('visit');
    const look = () => newestOf(apiFor(deps, c), kinds, queryOf(c, inbox, deps.clock()));
    const watched = livePart(deps, c, {
      look,
      part: async () => messagePart(deps, c, inbox, await look()),
    });
    if (watched !== undefined) return watched;
    const newest = await look();
    const box = { id: 'list', seen: newest, hasRecords: true };
    const { messages, further } = newest;
    const isNone = messages.length === 0 && further.length === 0;
    const isBare = isNone && Object.keys(ownQuery(c)).length === 0;
    const health = await mailHealth(c, apiFor(deps, c), deps.clock());
    const content = html`${sandboxNotices(deps, c, kinds)}${health}${isBare ? '' : filterForm(c, inbox)}
${liveBox(c, await messagePart(deps, c, inbox, newest), box)}`;
    return show(c, { title: translate('nav.inbox'), content, records: true });
  });

  app.get('/inbox.csv', (c) => {
    const columns = new Set(kinds.flatMap((name) => Object.keys(kindsByName.get(name)!.fields)));
    const pages = exportOfKinds(deps, c, kinds, queryOf(c, inbox, deps.clock()));
    return csvDownload(deps, c, { name: 'inbox', columns: ['list', ...columns], pages });
  });

  app.get('/mails/:key/body', async (c) => {
    const item = await apiFor(deps, c).get(`/mails/${segmentOf(c.req.param('key'))}`);
    if (typeof item.body !== 'string')
      throw new Ws01Error('Forbidden', 'Your role does not allow this.');
    const isHtml = await deps.isHtml(item.body);
    // After it, so that a declaration of its type stays the first.
    const body = isHtml ? `${item.body}${await groundOf(c, item.body)}` : item.body;
    return c.body(body, 200, {
      'Content-Type': `text/${isHtml ? 'html' : 'plain'}; charset=utf-8`,
      'Content-Security-Policy': BODY_POLICY,
    });
  });
  return app;
}

interface Message {
  readonly kind: string;
  readonly item: Item;
}

/** The messages of some kinds, as one list. */
interface Inbox extends Filtered {
  readonly kinds: readonly string[];
}

/** What the inbox is narrowed by: what all its kinds have. */
function filteredInbox(kinds: readonly Kind[]): Inbox {
  const [first, ...others] = kinds;
  const shared = Object.entries(first?.filters ?? {}).filter(([name]) =>
    others.every(({ filters }) => name in filters),
  );
  return {
    ...{ name: 'inbox', hasSearch: true, sorts: [], sort: '' },
    filters: Object.fromEntries(shared),
    kinds: kinds.map(({ name }) => name),
  };
}

/** What a look at the kinds of messages found. */
interface Newest {
  /** The newest first. */
  readonly messages: readonly Message[];
  /** The kinds that have more to look through. */
  readonly further: readonly string[];
  /** Whether there are older ones. */
  readonly hasOlder: boolean;
}

/** The newest messages of some kinds that meet a filter. */
async function newestOf(
  api: ApiClient,
  kinds: readonly string[],
  query: URLSearchParams,
): Promise<Newest> {
  const pages = await Promise.all(
    kinds.map(async (kind) => {
      const page = await orUndefined(readOn(api, `/${kind}`, query, SHOWN));
      const messages = (page?.items ?? []).map((item): Message => ({ kind, item }));
      const last = messages.at(-1);
      return {
        messages,
        further: page?.isPart ? [kind] : [],
        // Before it others of the kind are left out: of another kind none are shown either.
        since: page?.next == null || last === undefined ? '' : createdAt(last),
      };
    }),
  );
  const since =
    pages
      .map((page) => page.since)
      .toSorted()
      .at(-1) ?? '';
  return {
    messages: pages
      .flatMap(({ messages }) => messages)
      .filter((message) => createdAt(message) >= since)
      .sort((one, other) => (createdAt(one) < createdAt(other) ? 1 : -1)),
    further: pages.flatMap(({ further }) => further),
    hasOlder: since !== '',
  };
}

const createdAt = ({ item }: Message) => String(item.createdAt);

/** The messages, with what they are narrowed by and a way to take them along. */
async function messagePart(
  deps: ConsoleDeps,
  c: C,
  inbox: Inbox,
  { messages, further, hasOlder }: Newest,
): Promise<Html> {
  const { translate } = c.get('visit');
  const own = new URLSearchParams(ownQuery(c));
  const isFiltered = own.size > 0;
  if (messages.length === 0 && further.length > 0)
    return html`${chips(c, inbox)}${lookOn(c, further, own)}<p id="records" tabindex="-1"></p>`;
  const ranges = (said: string) =>
    html`<div class="above">${rangeLinks(c, inbox)}<p class="hint">${said}</p></div>`;
  if (messages.length === 0)
    return isFiltered
      ? html`${chips(c, inbox)}${ranges('')}<p class="empty" id="records" tabindex="-1">${translate('list.empty')}</p>`
      : emptyPart(c, inbox.name);
  const items = messages.map(({ item }) => item);
  const names = await namesOf(apiFor(deps, c), items);
  const count = messages.length;
  const said = translate(hasOlder ? 'inbox.newest' : 'list.count', { count });
  const wayTo = (name: string) => {
    const text = translate('search.all', { kind: wordFor(translate, 'kind', name) });
    return html`<li><a href="${HOME}/${name}${isFiltered ? `?${own}` : ''}">${text}</a></li>`;
  };
  const records = messageTable(c, messages, names);
  return html`${chips(c, inbox)}${lookOn(c, further, own)}${ranges(said)}
<div id="records" tabindex="-1">${records}</div>
<p><a href="${HOME}/inbox.csv${isFiltered ? `?${own}` : ''}">${icon('app', 'csv')}${translate('list.csv')}</a></p>
<ul class="chips">${inbox.kinds.map(wayTo)}</ul>`;
}

/** Leads to the lists of the kinds that have more to look through: they go on. */
function lookOn(c: C, kinds: readonly string[], query: URLSearchParams): Content {
  if (kinds.length === 0) return '';
  const { translate } = c.get('visit');
  const links = kinds.map(
    (kind) =>
      html`<li><a href="${HOME}/${kind}?${query}">${wordFor(translate, 'kind', kind)}</a></li>`,
  );
  return html`<div class="notice">${translate('search.part')}<ul>${links}</ul></div>`;
}

function messageTable(c: C, messages: readonly Message[], names: Names): Html {
  const { translate } = c.get('visit');
  const columns = [
    ...(['field.subject', 'field.status', 'field.receiverEmail'] as const),
    ...(['inbox.reply', 'field.createdAt'] as const),
  ];
  return dataTable(
    translate('nav.inbox'),
    columns.map((column) => translate(column)),
    messages.map(({ kind, item }) => messageRow(c, kind, item, names)),
    [],
    [columns.indexOf('field.receiverEmail'), columns.indexOf('field.createdAt')],
  );
}

function messageRow(c: C, kind: string, item: Item, names: Names): Content[] {
  const { translate } = c.get('visit');
  const path = `${HOME}/${kind}/${segmentOf(String(item.id))}?${fromInbox(c)}`;
  const title = kind === 'sms' ? codeTitle(translate, item, names) : item.subject;
  return [
    html`<a href="${path}">${cut(String(title || translate('inbox.noSubject')), 120)}</a>`,
    tag(translate, String(item.status)),
    String(item.receiverEmail ?? item.phone ?? ''),
    String(item.lastReply ?? '–'),
    ago(item.createdAt as string),
  ];
}

/** What a text message is: each has the code of a user, or of a number alone. */
function codeTitle(translate: Translate, item: Item, names: Names): string {
  const name = nameAt(names, 'userId', item) ?? item.userId ?? item.phone;
  return translate('inbox.code', { name: String(name) });
}

/** Shows a mail as its recipient sees it, its source, and its delivery. */
export function mailExtra(deps: ConsoleDeps): Extra {
  return async (c, _api, item, { suppression }) => {
    const { translate } = c.get('visit');
    if (typeof item.body !== 'string') return deliveryOf(c, item);
    const suppressed = suppressedPart(c, suppression);
    const source = await deps.composeMail({
      messageId: String(item.messageId),
      date: Date.parse(String(item.createdAt)),
      to: { name: String(item.receiverName ?? ''), address: String(item.receiverEmail) },
      replyTo:
        item.replyTo === null
          ? undefined
          : { name: String(item.replyName ?? ''), address: String(item.replyTo) },
      subject: String(item.subject ?? ''),
      body: item.body,
    });
    const end = source.indexOf('\r\n\r\n');
    return html`${sandboxNotices(deps, c, ['mails'])}${suppressed}${deliveryOf(c, item)}
<section aria-labelledby="rendered"><h2 id="rendered">${translate('inbox.rendered')}</h2>
${hasRemotePicture(item.body) ? html`<p class="hint">${translate('inbox.blocked')}</p>` : ''}
${await renderedBody(deps, c, item, item.body)}</section>
<details><summary>${translate('inbox.headers')}</summary><pre tabindex="0">${source.slice(0, end)}</pre></details>
<details><summary>${translate('inbox.source')}</summary><pre tabindex="0">${source}</pre></details>`;
  };
}

/** The body of a mail: plain text within the page, markup and a long text in a frame. */
async function renderedBody(
  { isHtml }: Pick<ConsoleDeps, 'isHtml'>,
  c: C,
  item: Item,
  body: string,
): Promise<Html> {
  const isApart = body.length > SHOWN_CHARS || (await isHtml(body));
  if (!isApart) return html`<div class="seen">${plainText(c, body)}</div>`;
  const { translate } = c.get('visit');
  const title = labelled(translate, translate('inbox.rendered'), String(item.subject ?? ''));
  const src = `${HOME}/mails/${segmentOf(String(item.id))}/body`;
  return html`<iframe class="preview" sandbox="" title="${title}" src="${src}"${heightOf(body, 0)}></iframe>`;
}

/**
 * Says that nothing is sent to an address any more, whatever one does with a mail to it, and leads
 * to where that ends.
 */
function suppressedPart(c: C, suppression: Item | undefined): Content {
  if (suppression === undefined) return '';
  const { translate } = c.get('visit');
  const address = String(suppression.address);
  return html`<p class="notice">${translate('inbox.addressSuppressed')} <a
href="${HOME}/suppressions/${segmentOf(address)}">${address}</a></p>`;
}

/** Shows the delivery of a message and the gateway's reply. */
export const smsExtra: Extra = (c, _api, item) => deliveryOf(c, item, 'inbox.means.refused');

/** States of a delivery that is not there yet, and of one that failed. */
const OPEN: ReadonlySet<string> = new Set(['queued', 'deferred', 'failed', 'bounced']);

/** The webhook of a delivery; `undefined` of one that was removed, or that one may not see. */
const webhookOf = (api: ApiClient, { webhookId }: Item) =>
  orUndefined(api.get(`/webhooks/${segmentOf(String(webhookId))}`));

/** Says why the last attempt of a webhook, or of a delivery, failed; nothing where none has. */
export function failureOf(c: C, { lastReply }: Item): Content {
  if (typeof lastReply !== 'string' || lastReply === '') return '';
  const { translate } = c.get('visit');
  const text = labelled(translate, translate('webhook.failure'), replyPart(c, lastReply));
  return html`<p class="notice">${text}</p>`;
}

/** Shows the delivery of an event to a webhook, with each attempt that is kept. */
export const deliveryExtra: Extra = async (c, api, item) => {
  const tries = Object.entries((item.tries ?? {}) as Readonly<Record<string, string>>);
  const steps = tries.map(([at, said]) => html`<li>${toTheSecond(at)} ${replyPart(c, said)}</li>`);
  const isOpen = OPEN.has(String(item.status));
  const webhook = isOpen && !item.lastReply ? await webhookOf(api, item) : undefined;
  const failure = isOpen ? failureOf(c, webhook ?? item) : '';
  const attempts = deliveryOf(c, item, 'inbox.means.notTaken', steps.reverse());
  return html`${failure}${attempts}${sentPart(c, item, tries[0]?.[0])}`;
};

/** Bodies of calls that are longer are folded; UTF-16 code units. */
const FOLDED_CHARS = 1_000;

/** What an attempt sends, without its signature, which is a credential. @param at when the last one was. */
function sentPart(c: C, { eventId, body }: Item, at: string | undefined): Content {
  if (at === undefined || typeof body !== 'string') return '';
  const { translate } = c.get('visit');
  const signature = `v1,… (${translate('webhook.signature')})`;
  const headers = webhookHeaders(String(eventId), secondsOf(Date.parse(at)), signature);
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const shownBody = html`<pre tabindex="0" lang="en">${body}</pre>`;
  return html`<section aria-labelledby="sent"><h2 id="sent">${translate('webhook.sent')}</h2>
<pre tabindex="0" lang="en">${lines.join('\n')}</pre>
${body.length <= FOLDED_CHARS ? shownBody : html`<details><summary>${translate('webhook.body')}</summary>${shownBody}</details>`}</section>`;
}

/** @param tries steps with the attempts, where they are kept. */
function deliveryOf(
  c: C,
  item: Item,
  bounced: TextKey = 'inbox.means.bounced',
  tries: readonly Html[] = [],
): Html {
  const { translate, sendsMail } = c.get('visit');
  const attempts = Number(item.attempts ?? 0);
  const status = String(item.status);
  const isOverdue = status === 'kept' && 'receiverEmail' in item && sendsMail;
  const usual = status === 'bounced' ? bounced : meaningOf(status);
  const meaning = isOverdue ? 'inbox.means.keptBefore' : usual;
  const replied = replyPart(c, String(item.lastReply));
  const reply =
    item.lastReply && tries.length === 0
      ? html`<li>${labelled(translate, translate('inbox.reply'), replied)}</li>`
      : '';
  const finished = item.finishedAt ? toTheSecond(item.finishedAt as string) : '';
  const next = item.nextAttemptAt
    ? html`<li>${translate('inbox.next')} ${toTheSecond(item.nextAttemptAt as string)}</li>`
    : '';
  return html`<section aria-labelledby="delivery"><h2 id="delivery">${translate('inbox.delivery')}</h2>
<ol class="steps">
<li>${translate('inbox.asked')} ${toTheSecond(item.createdAt as string)}</li>
${attempts === 0 ? '' : html`<li>${translate('inbox.attempts', { count: attempts })}</li>`}
${tries}
${reply}
<li>${tag(translate, status)} ${finished} ${translate(meaning)}</li>
${next}
</ol></section>`;
}

const MEANINGS = {
  queued: 'inbox.means.queued',
  sending: 'inbox.means.sending',
  deferred: 'inbox.means.deferred',
  kept: 'inbox.means.kept',
  sent: 'inbox.means.sent',
  failed: 'inbox.means.failed',
  cancelled: 'inbox.means.cancelled',
  suppressed: 'inbox.means.suppressed',
} as const;

function meaningOf(status: string) {
  return MEANINGS[status as keyof typeof MEANINGS] ?? 'inbox.means.queued';
}
