import type { Context } from 'hono';
import { html } from 'hono/html';
import type { ApiClient } from './api-client.ts';
import { beganAt, type Chart, chartFigure } from './charts.ts';
import type { Content } from './layout.ts';
import type { ConsoleEnv } from './visit.ts';

interface FunnelDay {
  readonly day: string;
  readonly created: number;
  readonly attempted: number;
  readonly verified: number;
}

const STEPS = ['created', 'attempted', 'verified'] as const;

/** What is drawn: what was asked for, and how much of it was verified. */
const DRAWN = ['created', 'verified'] as const;

/**
 * Shows the steps of phone verification: totals, and those verified within those asked for, by day.
 */
export async function codeFunnel(c: Context<ConsoleEnv>, api: ApiClient): Promise<Content> {
  const { translate } = c.get('visit');
  const { items } = await api.get<{ items: readonly FunnelDay[] }>('/funnel');
  const sums = STEPS.map((step) => items.reduce((sum, day) => sum + day[step], 0));
  const [asked = 0, , verified = 0] = sums;
  if (asked === 0) return '';
  const share = `${Math.round((verified / asked) * 100)} %`;
  const first = items.find(({ created, attempted }) => created + attempted > 0)?.day;
  const recordedFrom = beganAt(first, items[0]?.day);
  const chart: Chart = {
    labels: DRAWN.map((step) => translate(`value.${step}`)),
    tones: ['whole', 'part'],
    unit: 'day',
    times: items.map(({ day }) => Date.parse(`${day}T00:00:00Z`) / 1000),
    series: DRAWN.map((step) => items.map((day) => day[step])),
    recordedFrom,
    isOpen: true,
  };
  const card = (figure: string, text: string) =>
    html`<li class="card"><strong>${figure}</strong>${text}</li>`;
  const counts = STEPS.map((step, at) => card(String(sums[at]), translate(`value.${step}`)));
  const about = translate('funnel.chart', { asked, verified });
  return html`<section aria-labelledby="funnel"><h2 id="funnel">${translate('funnel.title')}</h2>
<ul class="cards">${counts}${card(share, translate('funnel.share'))}</ul>
${chartFigure(translate, chart, about)}</section>`;
}
