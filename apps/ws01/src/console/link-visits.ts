import { DAY_MS } from '@ws01/asmx/time';
import { Hono } from 'hono';
import { html } from 'hono/html';
import type { Item } from '../api/kind.ts';
import { type ApiClient, apiFor } from './api-client.ts';
import { type Chart, chartFigure } from './charts.ts';
import { csvDownload, onePage } from './csv.ts';
import type { Extra } from './details.ts';
import { icon } from './icons.ts';
import type { Content } from './layout.ts';
import { orUndefined } from './or-undefined.ts';
import { segmentOf } from './paths.ts';
import { dataTable } from './tables.ts';
import { addressText } from './values.ts';
import { type ConsoleDeps, type ConsoleEnv, HOME, type Visit } from './visit.ts';

/** Number of days on the page and in an export. */
const DAYS = { shown: 90, exported: 366 } as const;

/** Sources of a kind on the page; the export has all. */
const SOURCES = 10;

/** The kinds of sources in the API, and their headings here. */
const SOURCE_KINDS = ['referrers', 'countries', 'languages'] as const;
type SourceKind = (typeof SOURCE_KINDS)[number];

/** What is drawn: people at the bottom, robots on them. */
const DRAWN = ['robots', 'visits'] as const;

type Source = { readonly name: string | null; readonly visits: number };
type Day = { readonly day: string } & Readonly<Record<'visits' | 'robots' | 'looks', number>> &
  Readonly<Record<SourceKind, readonly Source[]>>;

const daysOf = async (api: ApiClient, code: string, days: number): Promise<readonly Day[]> =>
  (await api.get<{ items: readonly Day[] }>(`/links/${segmentOf(code)}/visits?days=${days}`)).items;

/** The visits of a short link by day and by source, and its QR code. */
export const visits: Extra = async (c, api, item) => {
  const visit = c.get('visit');
  const { translate } = visit;
  const code = String(item.code);
  const days = [...((await orUndefined(daysOf(api, code, DAYS.shown))) ?? [])].reverse();
  const picture = qrPart(visit, item);
  if (days.length === 0) return picture;
  const drawn = withoutGaps(days);
  const chart: Chart = {
    labels: DRAWN.map((name) => translate(`field.${name}`)),
    tones: ['rest', 'part'],
    isStacked: true,
    unit: 'day',
    times: drawn.map(({ at }) => at / 1000),
    series: DRAWN.map((name) => drawn.map(({ day }) => day?.[name] ?? 0)),
  };
  return html`${picture}<section aria-labelledby="visits"><h2 id="visits">${translate('detail.visitsByDay')}</h2>
${chartFigure(translate, chart, translate('detail.visitsByDay'))}
${SOURCE_KINDS.map((kind) => sources(visit, kind, days))}
<details id="days"><summary>${translate('history.table')}</summary>
${dataTable(
  translate('history.table'),
  [
    translate('field.at'),
    translate('field.visits'),
    translate('field.robots'),
    translate('field.looks'),
  ],
  days
    .map(({ day, visits, robots, looks }) => [day, String(visits), String(robots), String(looks)])
    .toReversed(),
  [1, 2, 3],
)}</details>
<p><a class="button" href="${HOME}/links/${segmentOf(code)}/visits.csv" download>${icon('app', 'csv')}${translate('list.csv')}</a></p></section>`;
};

/** Where a link leads, and its QR code, to be saved. */
function qrPart({ translate }: Visit, { code, url, orgUrl, qrUrl }: Item): Content {
  const target = String(orgUrl);
  const leads = html`<p>${translate('link.leadsTo')} <a href="${target}" rel="noopener noreferrer nofollow">${addressText(target)}</a></p>`;
  if (typeof qrUrl !== 'string' || !URL.canParse(qrUrl)) return leads;
  const svg = new URL(qrUrl).pathname;
  const save = (path: string, form: 'SVG' | 'PNG') =>
    html`<a class="button" href="${path}" download="${String(code)}.${form.toLowerCase()}">${translate('link.save', { form })}</a>`;
  return html`${leads}<p><img class="picture" width="160" height="160" src="${svg}" alt="QR: ${String(url)}"></p>
<p class="tools">${save(svg, 'SVG')}${save(svg.replace(/\.svg$/, '.png'), 'PNG')}</p>`;
}

/** The days of a chart, those without visits too: at least a week, so that a single day is seen. */
function withoutGaps(days: readonly Day[]) {
  const byTime = new Map(days.map((day) => [Date.parse(day.day), day]));
  const [first = 0, last = first] = [Math.min(...byTime.keys()), Math.max(...byTime.keys())];
  const from = Math.min(first, last - 6 * DAY_MS);
  return Array.from({ length: (last - from) / DAY_MS + 1 }, (_, number) => {
    const at = from + number * DAY_MS;
    return { at, day: byTime.get(at) };
  });
}

/** Shows the most frequent sources of a kind, over all days shown. */
function sources(visit: Visit, kind: SourceKind, days: readonly Day[]): Content {
  const { translate } = visit;
  const sums = new Map<string | null, number>();
  for (const day of days)
    for (const { name, visits } of day[kind]) sums.set(name, (sums.get(name) ?? 0) + visits);
  if (sums.size === 0) return '';
  const often = [...sums].toSorted(([, one], [, other]) => other - one);
  const rest = often.slice(SOURCES).reduce((sum, [, visits]) => sum + visits, 0);
  const rows = often
    .slice(0, SOURCES)
    .map(([name, visits]) => [spoken(visit, kind, name), String(visits)]);
  const further = [translate('visits.further'), String(rest)];
  const headings = [translate('field.name'), translate('field.visits')];
  const title = translate(`visits.${kind}`);
  return html`<h3>${title}</h3>
${dataTable(title, headings, rest === 0 ? rows : [...rows, further], [1])}`;
}

/** Returns the name of a source: hosts unchanged, countries and languages in the page's language. */
function spoken({ translate, language }: Visit, kind: SourceKind, name: string | null): string {
  if (name === null) return translate(kind === 'referrers' ? 'visits.direct' : 'visits.unknown');
  if (name === '*') return translate('visits.others');
  if (kind === 'referrers') return name;
  const names = new Intl.DisplayNames(language, {
    type: kind === 'countries' ? 'region' : 'language',
  });
  return names.of(name) ?? name;
}

/** Exports the visits of a link as CSV: a row per day and counted value. */
export function linkVisitRoutes(deps: ConsoleDeps): Hono<ConsoleEnv> {
  const app = new Hono<ConsoleEnv>();
  app.get('/links/:code/visits.csv', async (c) => {
    const days = await daysOf(apiFor(deps, c), c.req.param('code'), DAYS.exported);
    const pages = onePage(days.flatMap(rowsOf));
    return csvDownload(deps, c, {
      name: 'visits',
      columns: ['day', 'kind', 'name', 'visits'],
      pages,
    });
  });
  return app;
}

function rowsOf(counted: Day): Item[] {
  const { day } = counted;
  return [
    ...(['visits', 'robots', 'looks'] as const).map((kind) => ({
      day,
      kind,
      name: null,
      visits: counted[kind],
    })),
    ...SOURCE_KINDS.flatMap((kind) =>
      counted[kind].map(({ name, visits }) => ({ day, kind, name, visits })),
    ),
  ];
}
