import { type Context, Hono } from 'hono';
import { html } from 'hono/html';
import type { Item } from '../api/kind.ts';
import { mayActAs } from '../contract/roles.ts';
import { type ApiClient, apiFor, type ItemPage } from './api-client.ts';
import type { KindsByName } from './catalog.ts';
import { queueWith } from './desk-queue.ts';
import { firstDay } from './first-day.ts';
import { askedOf, historyOf, historyPart, isLive, rangeLinks } from './history.ts';
import { labelled } from './labelled.ts';
import { ago, type ConsolePageDeps, type Content, folded, time } from './layout.ts';
import { liveBox, livePart } from './live.ts';
import { mailHealth } from './mail-health.ts';
import { orUndefined } from './or-undefined.ts';
import { segmentOf } from './paths.ts';
import { queuePart } from './queue-part.ts';
import { readOn } from './read-on.ts';
import { dataTable } from './tables.ts';
import type { TextKey } from './texts/en.ts';
import { siteToday } from './today.ts';
import { toldOf } from './told.ts';
import { actionFor, shown, wordFor } from './values.ts';
import { type ConsoleDeps, type ConsoleEnv, HOME } from './visit.ts';
import { warning } from './warnings.ts';

type C = Context<ConsoleEnv>;

/** Records that may need attention: a kind and the filter that finds them. */
const ATTENTION: readonly {
  readonly kind: string;
  readonly query: string;
  readonly text: TextKey;
}[] = [
  { kind: 'articles', query: 'state=waiting', text: 'overview.pending' },
  { kind: 'articles', query: 'state=held', text: 'overview.heldArticles' },
  { kind: 'adverts', query: 'state=held', text: 'overview.heldAdverts' },
  { kind: 'reviews', query: 'state=held', text: 'overview.heldReviews' },
  { kind: 'reports', query: 'state=open', text: 'overview.reports' },
  { kind: 'mails', query: 'status=failed', text: 'overview.failedMails' },
  { kind: 'mails', query: 'status=bounced', text: 'overview.bouncedMails' },
  { kind: 'sms', query: 'status=failed', text: 'overview.failedSms' },
  { kind: 'webhooks', query: 'state=late', text: 'overview.lateWebhooks' },
  { kind: 'webhooks', query: 'state=disabled', text: 'overview.disabledWebhooks' },
];

/** Counts stop here; more is shown as "99+". */
const COUNTED = 99;

/** The start page: the health of the service and what needs attention. */
export function overviewRoutes(deps: ConsolePageDeps): Hono<ConsoleEnv> {
  const { kindsByName, show } = deps;
  const app = new Hono<ConsoleEnv>();
  app.get('/', async (c) => {
    const { translate } = c.get('visit');
    const api = apiFor(deps, c);
    const asked = askedOf(c);
    const watched = livePart(deps, c, {
      look: () => historyOf(api, asked),
      part: async () => historyPart(c, asked, await historyOf(api, asked)),
    });
    if (watched !== undefined) return watched;
    if (c.get('admin').role !== 'owner') {
      const content = await overviewOfContent(deps, c, api);
      return show(c, { title: translate('nav.overview'), content });
    }
    const [calls, attention, latest, backup, lost, first, today, mail] = await Promise.all([
      historyOf(api, asked),
      attentionList(c, api, kindsByName),
      latestChanges(c, api, kindsByName),
      lastBackup(deps, c, api),
      deps.lostCommits(),
      firstDay(deps, c),
      siteToday(c, api, deps.clock()),
      mailHealth(c, api, deps.clock()),
    ]);
    const shownCalls = historyPart(c, asked, calls);
    const follows = isLive(asked)
      ? html`${liveBox(c, shownCalls, { seen: calls })}
<noscript><p><a href="${HOME}">${translate('overview.reload')}</a></p></noscript>`
      : shownCalls;
    const isCalm = lost === undefined && backup.isSafe && mail === undefined;
    const nothing = isCalm ? html`<p>${translate('overview.nothing')}</p>` : '';
    const content = html`<section aria-labelledby="attention">
<h2 id="attention">${translate('overview.attention')}</h2>
${lossNotice(c, lost)}${mail}${attention ?? nothing}${backup.told}</section>
${first.list}
${today}
<section aria-labelledby="calls"><h2 id="calls">${translate('history.title')}</h2>
${rangeLinks(c, asked)}${follows}</section>
${latest}${first.wayBack}`;
    return show(c, { title: translate('nav.overview'), content, charts: true });
  });
  return app;
}

/** The overview of those who look after the content, and cannot mend the service: first of all what waits for them. */
async function overviewOfContent(
  { kindsByName, clock, lostCommits }: ConsolePageDeps,
  c: C,
  api: ApiClient,
): Promise<Content> {
  const { translate } = c.get('visit');
  const [lost, attention, queue, latest, today] = await Promise.all([
    lostCommits(),
    attentionList(c, api, kindsByName),
    queuePart(c, api, kindsByName),
    latestChanges(c, api, kindsByName),
    siteToday(c, api, clock()),
  ]);
  return html`<section aria-labelledby="attention"><h2 id="attention">${translate('overview.attention')}</h2>
${lossNotice(c, lost)}${attention ?? html`<p>${translate('overview.nothing')}</p>`}${queue}</section>
${today}
${latest}`;
}

async function attentionList(
  c: C,
  api: ApiClient,
  kindsByName: KindsByName,
): Promise<Content | undefined> {
  const { translate } = c.get('visit');
  const asked = ATTENTION.filter(({ kind, query }) => {
    const { role, filters } = kindsByName.get(kind) ?? {};
    const isSeen = role !== undefined && mayActAs(c.get('admin').role, role);
    return isSeen && filters?.[query.split('=')[0]!] !== undefined;
  });
  const counts = await Promise.all(
    asked.map(async (one) => {
      const page = await orUndefined(
        readOn(api, `/${one.kind}`, new URLSearchParams(one.query), COUNTED),
      );
      const count = page?.items.length ?? 0;
      const isMore = page?.next != null;
      return { ...one, count, isMore, shown: isMore ? `${count}+` : String(count) };
    }),
  );
  const waiting = counts.filter(({ count, isMore }) => count > 0 || isMore);
  if (waiting.length === 0) return undefined;
  return html`<ul class="cards">${waiting.map(
    ({ kind, query, text, count, shown: number }) =>
      html`<li class="card waits"><a href="${HOME}/${pathTo(kind, query)}">
<strong>${number}</strong> ${translate(text, { count })}</a></li>`,
  )}</ul>`;
}

/** What was counted: on the desk, where somebody decides about it, else in its list. */
function pathTo(kind: string, query: string): string {
  const queue = queueWith(kind, query);
  return queue === undefined ? `${kind}?${query}` : `desk?only=${queue}`;
}

function lossNotice(c: C, lost: Awaited<ReturnType<ConsoleDeps['lostCommits']>>): Content {
  if (lost === undefined) return '';
  const { translate, command } = c.get('visit');
  const since = time(lost.since);
  return html`<div class="notice" role="alert"><p>${translate('overview.lostCommits', { count: lost.commits })} (${since})</p>
<p>${translate('overview.lostRemedy')}
<code>${command} restore</code> · <code>${command} db accept-loss</code> <a href="${HOME}/backups">${wordFor(translate, 'kind', 'backups')}</a></p></div>`;
}

/** What the page says of the last backup that was verified, and whether there is one. */
async function lastBackup(
  deps: ConsoleDeps,
  c: C,
  api: ApiClient,
): Promise<{ readonly told: Content; readonly isSafe: boolean }> {
  const { translate } = c.get('visit');
  const page = await orUndefined(api.get<{ items: readonly Item[] }>('/backups'));
  if (page === undefined) return { told: '', isSafe: true };
  const verified = page.items.find(
    (item) => item.verifiedAt !== null && item.verifiedAt !== undefined,
  );
  return verified === undefined
    ? { isSafe: false, told: noBackup(deps, c) }
    : {
        isSafe: true,
        told: html`<p>${labelled(
          translate,
          translate('overview.backup'),
          ago(verified.verifiedAt as string),
        )}</p>`,
      };
}

function noBackup({ hasBackupPlace }: ConsoleDeps, c: C): Content {
  const text = c.get('visit').translate('overview.noBackup');
  return hasBackupPlace
    ? warning(c, text, 'backups', 'backup.make')
    : warning(c, text, 'settings/BACKUP_TO', 'first.backup.place');
}

async function latestChanges(c: C, api: ApiClient, kindsByName: KindsByName): Promise<Content> {
  const { translate, language } = c.get('visit');
  const audit = kindsByName.get('audit');
  const page = audit && (await orUndefined(api.get<ItemPage>('/audit?limit=10')));
  if (audit === undefined || page === undefined || page.items.length === 0) return '';
  const told = await toldOf(api, page.items);
  const columns = ['at', 'by', 'action', 'targetKey', 'details'];
  const table = dataTable(
    translate('overview.latest'),
    columns.map((name) => wordFor(translate, 'field', name)),
    page.items.map((item) =>
      columns.map((name) =>
        name === 'action'
          ? html`<a href="${HOME}/audit/${segmentOf(String(item.id))}">${actionFor(translate, String(item.action))}</a>`
          : shown(
              { translate, language, ...told, short: true, item },
              name,
              audit.fields[name],
              item[name],
            ),
      ),
    ),
    [],
    [columns.indexOf('by'), columns.indexOf('targetKey')],
  );
  const shownAll = translate('list.showAll', { count: page.items.length });
  return html`<section aria-labelledby="latest"><h2 id="latest">${translate('overview.latest')}</h2>
${folded('changes', shownAll, table)}</section>`;
}
