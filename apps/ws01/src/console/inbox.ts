import { type Context, Hono } from 'hono';
import { html } from 'hono/html';
import { Ws01Error } from '../contract/errors.ts';
import { apiFor, type Item, type ItemPage } from './api-client.ts';
import type { Desk } from './desk.ts';
import type { Extra } from './details.ts';
import { type Content, type Html, type Show, time } from './layout.ts';
import { orNone } from './or-none.ts';
import { dataTable } from './tables.ts';
import { tag, wordFor } from './values.ts';
import { type ConsoleDeps, type ConsoleEnv, HOME } from './visit.ts';

type C = Context<ConsoleEnv>;

/** Messages of each kind on the page; the lists have all. */
const SHOWN = 50;

/** The policy of a mail's body: it runs no scripts, loads nothing and sends nothing. */
const BODY_POLICY =
  "default-src 'none'; img-src data:; style-src 'unsafe-inline'; frame-ancestors 'self'; base-uri 'none'; form-action 'none'; sandbox";

/** The page of all outgoing mails and text messages, newest first. */
export function inboxRoutes(deps: ConsoleDeps, desk: Desk, show: Show): Hono<ConsoleEnv> {
  const app = new Hono<ConsoleEnv>();
  app.get('/inbox', async (c) => {
    const { say } = c.get('visit');
    const api = apiFor(deps, c);
    const kinds = ['mails', 'sms'].filter((name) => desk.has(name));
    const pages = await Promise.all(
      kinds.map(async (kind) => {
        const page = await orNone(api.get<ItemPage>(`/${kind}?limit=${SHOWN}`));
        return (page?.items ?? []).map((item) => ({ kind, item }));
      }),
    );
    const messages = pages
      .flat()
      .sort((one, other) => (String(one.item.createdAt) < String(other.item.createdAt) ? 1 : -1));
    const content = html`${sandboxNotices(deps, c)}
${
  messages.length === 0
    ? html`<p>${say('inbox.empty')}</p>`
    : dataTable(
        say('nav.inbox'),
        [
          say('field.subject'),
          say('field.status'),
          say('field.receiverEmail'),
          say('inbox.reply'),
          say('field.createdAt'),
        ],
        messages.map(({ kind, item }) => messageRow(c, kind, item)),
      )
}
<p>${kinds.map((kind) => html`<a href="${HOME}/${kind}">${say('search.all', { kind: wordFor(say, 'kind', kind) })}</a> `)}</p>`;
    return show(c, { title: say('nav.inbox'), content });
  });

  app.get('/mails/:key/body', async (c) => {
    const item = await apiFor(deps, c).get(`/mails/${encodeURIComponent(c.req.param('key'))}`);
    if (typeof item.body !== 'string') throw new Ws01Error('Forbidden', c.get('visit').say('error.forbidden'));
    const isHtml = await deps.isHtml(item.body);
    return c.body(item.body, 200, {
      'Content-Type': `text/${isHtml ? 'html' : 'plain'}; charset=utf-8`,
      'Content-Security-Policy': BODY_POLICY,
    });
  });
  return app;
}

function sandboxNotices({ gateways }: ConsoleDeps, c: C): Content {
  const { say } = c.get('visit');
  return html`${gateways.mail ? '' : html`<p class="notice">${say('inbox.mailSandbox')}</p>`}${gateways.sms ? '' : html`<p class="notice">${say('inbox.smsSandbox')}</p>`}`;
}

function messageRow(c: C, kind: string, item: Item): Content[] {
  const { say } = c.get('visit');
  const title =
    kind === 'sms' ? `${say('kind.sms')}: ${String(item.phone)}` : String(item.subject || say('inbox.noSubject'));
  return [
    html`<a href="${HOME}/${kind}/${encodeURIComponent(String(item.id))}">${title}</a>`,
    tag(say, String(item.status)),
    String(item.receiverEmail ?? item.phone ?? ''),
    String(item.lastReply ?? '–'),
    time(item.createdAt as string),
  ];
}

/** Shows a mail as its recipient sees it, its source, and its delivery. */
export function mailExtra(deps: ConsoleDeps): Extra {
  return async (c, _api, item) => {
    const { say } = c.get('visit');
    if (typeof item.body !== 'string') return deliveryOf(c, item);
    const source = await deps.composeMail({
      messageId: String(item.messageId),
      date: Date.parse(String(item.createdAt)),
      to: { name: String(item.receiverName ?? ''), address: String(item.receiverEmail) },
      replyTo:
        item.replyTo === null ? undefined : { name: String(item.replyName ?? ''), address: String(item.replyTo) },
      subject: String(item.subject ?? ''),
      body: item.body,
    });
    const end = source.indexOf('\r\n\r\n');
    return html`${deps.gateways.mail ? '' : html`<p class="notice">${say('inbox.mailSandbox')}</p>`}
${deliveryOf(c, item)}
<section aria-labelledby="rendered"><h2 id="rendered">${say('inbox.rendered')}</h2>
<iframe class="preview" sandbox="" title="${say('inbox.rendered')}: ${String(item.subject ?? '')}" src="${HOME}/mails/${encodeURIComponent(String(item.id))}/body"></iframe></section>
<details><summary>${say('inbox.headers')}</summary><pre tabindex="0">${source.slice(0, end)}</pre></details>
<details><summary>${say('inbox.source')}</summary><pre tabindex="0">${source}</pre></details>`;
  };
}

/** Shows the delivery of a message and the gateway's reply. */
export const smsExtra: Extra = (c, _api, item) => deliveryOf(c, item);

function deliveryOf(c: C, item: Item): Html {
  const { say } = c.get('visit');
  const attempts = Number(item.attempts ?? 0);
  return html`<section aria-labelledby="delivery"><h2 id="delivery">${say('inbox.delivery')}</h2>
<ol class="steps">
<li>${say('inbox.asked')} ${time(item.createdAt as string)}</li>
${attempts === 0 ? '' : html`<li>${say('inbox.attempts', { count: attempts })}</li>`}
${item.lastReply ? html`<li>${say('inbox.reply')}: <q>${String(item.lastReply)}</q></li>` : ''}
<li>${tag(say, String(item.status))} ${item.finishedAt ? time(item.finishedAt as string) : ''} ${say(meaningOf(String(item.status)))}</li>
${item.nextAttemptAt ? html`<li>${say('inbox.next')} ${time(item.nextAttemptAt as string)}</li>` : ''}
</ol></section>`;
}

const MEANINGS = {
  queued: 'inbox.means.queued',
  sending: 'inbox.means.sending',
  deferred: 'inbox.means.deferred',
  kept: 'inbox.means.kept',
  sent: 'inbox.means.sent',
  bounced: 'inbox.means.bounced',
  failed: 'inbox.means.failed',
  cancelled: 'inbox.means.cancelled',
  suppressed: 'inbox.means.suppressed',
} as const;

function meaningOf(status: string) {
  return MEANINGS[status as keyof typeof MEANINGS] ?? 'inbox.means.queued';
}
