import type { Context } from 'hono';
import { html, raw } from 'hono/html';
import type { History } from '../api/history-route.ts';
import type { ApiClient } from './api-client.ts';
import { meaningOf } from './causes.ts';
import { barIn, beganAt, type Chart, chartFigure } from './charts.ts';
import type { Translate } from './language.ts';
import { type Content, folded, type Html, time } from './layout.ts';
import { dataTable } from './tables.ts';
import { countText, millisecondsText, percentText } from './text.ts';
import type { TextKey } from './texts/en.ts';
import { type ConsoleEnv, HOME } from './visit.ts';

type C = Context<ConsoleEnv>;

/** The ranges that the page offers, with their names and the unit of times below the chart. */
const RANGES = {
  '1h': { text: 'history.1h', unit: 'minute' },
  '24h': { text: 'history.24h', unit: 'minute' },
  '7d': { text: 'history.7d', unit: 'hour' },
  '30d': { text: 'history.30d', unit: 'hour' },
  '90d': { text: 'history.90d', unit: 'day' },
} as const satisfies Record<string, { text: TextKey; unit: string }>;

type Range = keyof typeof RANGES;

/** Which calls a page shows. */
export interface AskedCalls {
  readonly range: Range;
  /** Only this operation; `-` for requests that none was found for. */
  readonly operation: string | undefined;
}

/** Reads which calls a request asks for; the last hour of all when it does not say. */
export function askedOf(c: C): AskedCalls {
  const { range = '', operation } = c.req.query();
  return {
    range: Object.hasOwn(RANGES, range) ? (range as Range) : '1h',
    operation: operation === '' ? undefined : operation?.slice(0, 64),
  };
}

export const isLive = ({ range }: AskedCalls): boolean => range === '1h';

/** The query of a page, or of the API, about these calls. */
function queryOf({ range, operation }: AskedCalls): string {
  return String(new URLSearchParams({ range, ...(operation !== undefined && { operation }) }));
}

export function historyOf(api: ApiClient, asked: AskedCalls): Promise<History> {
  return api.get<History>(`/history?${queryOf(asked)}`);
}

/** The part of the overview with the calls. */
export const callsPath = (asked: AskedCalls): string => `${HOME}?${queryOf(asked)}#calls`;

/** Links to the ranges, and from one operation back to all. */
export function rangeLinks(c: C, asked: AskedCalls): Html {
  const { translate } = c.get('visit');
  const { operation } = asked;
  const links = (Object.keys(RANGES) as Range[]).map((range) => {
    const current = range === asked.range ? raw(' aria-current="true"') : '';
    return html`<a href="${callsPath({ range, operation })}"${current}>${translate(RANGES[range].text)}</a> `;
  });
  const all = html`<h3>${operationName(translate, operation ?? '')}</h3>
<p><a href="${callsPath({ ...asked, operation: undefined })}">${translate('history.all')}</a></p>`;
  return html`<nav class="tabs" aria-label="${translate('history.range')}">${links}</nav>
${operation === undefined ? '' : all}`;
}

/** The failed calls of a time, of an operation or with an error. */
function failuresPath(
  { operation }: Pick<AskedCalls, 'operation'>,
  { from, to }: { readonly from?: string; readonly to?: string } = {},
  more: Readonly<Record<string, string>> = {},
): string {
  const named = operation === undefined || operation === '-' ? {} : { operation };
  const since = from === undefined ? {} : { createdFrom: from };
  const until = to === undefined ? {} : { createdTo: to };
  return `${HOME}/failures?${new URLSearchParams({ ...named, ...since, ...until, ...more })}`;
}

/**
 * Shows the calls: sums, a chart, and what each operation, binding and error has of them; of none
 * it says so.
 */
export function historyPart(c: C, asked: AskedCalls, { slots, operations, errors }: History): Html {
  const { translate } = c.get('visit');
  const sum = (of: (one: History['operations'][0]) => number) =>
    operations.reduce((total, one) => total + of(one), 0);
  const all = sum(({ calls }) => calls);
  const hadBefore = slots.some(({ before }) => (before ?? 0) > 0);
  const allBefore = slots.reduce((total, { before }) => total + (before ?? 0), 0);
  if (all === 0 && !hadBefore) return html`<p>${translate('history.none')}</p>`;
  const failed = sum((one) => one.clientErrors + one.serverErrors);
  const compared = hadBefore ? comparison(translate, all, allBefore) : '';
  const faults = ['clientErrors', 'serverErrors'] as const;
  const counts: readonly (readonly [text: TextKey, count: number, hint: string])[] = [
    ['history.calls', all, compared],
    ...(isLive(asked) ? [['overview.callsMinute', slots.at(-1)!.calls, ''] as const] : []),
    ...faults.map((fault) => {
      const count = sum((one) => one[fault]);
      const share = translate('history.share', { share: percentText(translate, count / all) });
      return [`overview.${fault}`, count, count === 0 ? '' : share] as const;
    }),
  ];
  const mean = all === 0 ? 0 : sum((one) => one.mean * one.calls) / all;
  const summary = translate(hadBefore ? 'history.compared' : 'history.chart', {
    ...{ calls: all, errors: failed, before: allBefore },
  });
  const common = commonOf(asked, slots, hadBefore);
  const chart: Chart = {
    ...common,
    labels: [translate('overview.calls'), translate('overview.errors')],
    tones: ['whole', 'bad'],
    ...(hadBefore && {
      before: { label: translate('history.before'), counts: slots.map((slot) => slot.before) },
    }),
    series: [slots.map(({ calls }) => calls), slots.map((slot) => slot.errors)],
    leads: failuresPath(asked),
  };
  return html`<ul class="cards counts">
${counts.map(([text, count, hint]) => countCard(translate, text, count, hint))}
<li class="card"><strong>${millisecondsText(translate, mean)}</strong> ${translate('history.mean')}</li>
</ul>
<h3>${translate('history.counts')}</h3>
${chartFigure(translate, chart, summary)}
<h3>${translate('history.times')}</h3>
${timesPart(translate, common, slots, mean)}
${slotTable(c, asked, slots, hadBefore)}
${operations.length === 0 ? '' : operationTable(translate, asked, slots[0]!.from, operations)}
${errors.length === 0 ? '' : errorTable(translate, asked, slots[0]!.from, errors)}`;
}

/** What the charts of a history have in common. */
function commonOf(asked: AskedCalls, slots: History['slots'], hadBefore: boolean) {
  const first = hadBefore ? undefined : slots.find(({ calls }) => calls > 0);
  const recordedFrom = beganAt(first?.from, slots[0]!.from);
  return {
    unit: RANGES[asked.range].unit,
    times: slots.map(({ from }) => Date.parse(from) / 1_000),
    ends: Date.parse(slots.at(-1)!.to) / 1_000,
    isOpen: true,
    ...(recordedFrom !== undefined && { recordedFrom }),
  };
}

/** How long calls took: the mean; each bar also says what most of its calls took at most. */
function timesPart(
  translate: Translate,
  common: ReturnType<typeof commonOf>,
  slots: History['slots'],
  mean: number,
): Html {
  const chart: Chart = {
    ...common,
    labels: [translate('overview.mean')],
    tones: ['whole'],
    series: [slots.map((slot) => slot.mean && hundredths(slot.mean))],
    calls: {
      counts: slots.map(({ calls }) => calls),
      label: translate('overview.p95'),
      most: slots.map(({ p95 }) => p95),
    },
  };
  const about = translate('history.timesChart', { mean: millisecondsText(translate, mean) });
  return folded('times', about, chartFigure(translate, chart, about));
}

const hundredths = (ms: number): number => Math.round(ms * 100) / 100;

/** The card of a count, with what it is compared with. */
function countCard(translate: Translate, text: TextKey, count: number, hint: string): Html {
  const number = html`<strong>${countText(translate, count)}</strong>`;
  const beside = hint === '' ? '' : html`<span class="hint">${hint}</span>`;
  return html`<li class="card">${number} ${translate(text, { count })} ${beside}</li>`;
}

/** By how much calls rose or fell against as long a time before, and how many it had. */
function comparison(translate: Translate, now: number, before: number): string {
  const count = countText(translate, before);
  const change = percentText(translate, now / before - 1, 'exceptZero');
  return translate('history.wasBefore', { count, change });
}

/** The points of the chart in words, newest first, each with a link to its failed calls. */
function slotTable(c: C, asked: AskedCalls, slots: History['slots'], hadBefore: boolean): Content {
  const { translate } = c.get('visit');
  const filled = slots.filter(({ calls, before }) => calls > 0 || (before ?? 0) > 0).toReversed();
  if (filled.length === 0) return '';
  return html`<details id="slots"><summary>${translate('history.table')}</summary>
${dataTable(
  translate('history.table'),
  [
    translate('field.at'),
    translate('overview.calls'),
    ...(hadBefore ? [translate('history.before')] : []),
    translate('overview.errors'),
    translate('overview.mean'),
    translate('overview.p95'),
  ],
  filled.map((slot) => [
    time(slot.from),
    countText(translate, slot.calls),
    ...(hadBefore ? [countText(translate, slot.before ?? 0)] : []),
    slot.errors === 0
      ? '0'
      : html`<a id="s-${slot.from}" href="${failuresPath(asked, slot)}">${countText(translate, slot.errors)}</a>`,
    slot.mean === null ? '–' : millisecondsText(translate, slot.mean),
    slot.p95 === null ? '–' : mostText(translate, slot.p95),
  ]),
  [1, 2, 3, 4, 5],
)}</details>`;
}

/** What most calls took at most: one of the bounds, which are whole. */
const mostText = (translate: Translate, ms: number): string =>
  `≤ ${millisecondsText(translate, ms, 0)}`;

function operationTable(
  translate: Translate,
  asked: AskedCalls,
  from: string,
  operations: History['operations'],
): Html {
  const longest = Math.max(...operations.map(({ mean }) => mean));
  const table = dataTable(
    translate('overview.byOperation'),
    (['operation', 'binding', 'calls', 'clientErrors', 'serverErrors', 'mean', 'p95'] as const).map(
      (name) => translate(`overview.${name}`, { count: 0 }),
    ),
    operations.map((one) => {
      const { operation, binding } = one;
      const counted = (name: 'clientErrors' | 'serverErrors') => {
        if (one[name] === 0) return '–';
        const path = failuresPath({ operation }, { from }, { binding });
        return html`<a id="${name}-${operation}-${binding}" href="${path}">${countText(translate, one[name])}</a>`;
      };
      const own = callsPath({ ...asked, operation });
      const name = operationName(translate, operation, binding);
      return [
        html`<a id="o-${operation}-${binding}" href="${own}">${name}</a>`,
        bindingName(translate, binding),
        countText(translate, one.calls),
        counted('clientErrors'),
        counted('serverErrors'),
        html`${barIn(one.mean, longest)}${millisecondsText(translate, one.mean)}`,
        mostText(translate, one.p95),
      ];
    }),
    [2, 3, 4, 5, 6],
  );
  // Whoever chose what to see came for it.
  if (!isLive(asked) || asked.operation !== undefined) return table;
  const count = operations.length;
  // Operations are what apps call: who looks after the site need not know them.
  return html`<details id="by-operation"><summary>${translate('overview.byOperation')} (${count})</summary>${table}</details>`;
}

function errorTable(
  translate: Translate,
  asked: AskedCalls,
  from: string,
  errors: History['errors'],
): Html {
  const table = dataTable(
    translate('history.codes'),
    [translate('field.error'), translate('history.meaning'), translate('overview.calls')],
    errors.map(({ error, calls }) => [
      html`<a id="e-${error}" href="${failuresPath(asked, { from }, { error })}">${error}</a>`,
      meaningOf(translate, error),
      countText(translate, calls),
    ]),
    [2],
    [1],
  );
  return html`<h3>${translate('history.codes')}</h3>${table}`;
}

/** The name of an operation; the pages about operations are none. */
function operationName(translate: Translate, operation: string, binding?: string): string {
  if (operation !== '-') return operation;
  return translate(binding === 'describe' ? 'overview.described' : 'overview.unknown');
}

/** The names of the bindings, as the field writes them; they are the same in each language. */
const BINDINGS: Readonly<Record<string, string>> = {
  soap11: 'SOAP 1.1',
  soap12: 'SOAP 1.2',
  get: 'HTTP GET',
  post: 'HTTP POST',
  json: 'JSON',
};

function bindingName(translate: Translate, binding: string): string {
  return BINDINGS[binding] ?? translate('overview.described');
}
