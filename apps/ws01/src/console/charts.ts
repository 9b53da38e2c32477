import { html, raw } from 'hono/html';
import type { Translate } from './language.ts';
import { type Content, type Html, time } from './layout.ts';
import { countText, millisecondsText } from './text.ts';

/** The tones of a chart, as the style sheet calls them. */
type Tone = 'whole' | 'bad' | 'part' | 'rest';

/** What a chart shows, as its script reads it. */
export interface Chart {
  /** What its series are called, and their tones; the first one stands behind the others. */
  readonly labels: readonly string[];
  readonly tones: readonly Tone[];
  /** A figure for each time; `null` where there is none. */
  readonly series: readonly (readonly (number | null)[])[];
  /** Whether each series stands on the next one. */
  readonly isStacked?: boolean;
  /** The unit of times below it. */
  readonly unit: 'minute' | 'hour' | 'day';
  /** When its bars begin, and the last one ends; s since 1970. */
  readonly times: readonly number[];
  readonly ends?: number;
  /** Whether the time of the last bar is not over. */
  readonly isOpen?: boolean;
  /** From when on there are records, where that is not from the beginning; s since 1970. */
  readonly recordedFrom?: number | undefined;
  /** The figures of as long a time before: a line. */
  readonly before?: { readonly label: string; readonly counts: readonly (number | null)[] };
  /** Where a click on a bar leads. */
  readonly leads?: string;
  /**
   * Of a chart of how long calls took, in ms: how many calls each bar has, whose means are drawn,
   * and what is said beside the mean, of which several bars have the highest.
   */
  readonly calls?: {
    readonly counts: readonly number[];
    readonly label: string;
    readonly most: readonly (number | null)[];
  };
}

/**
 * A chart, with what its greys mean. Its script draws it; without scripts it is a picture.
 * @param about what it shows, in words.
 */
export function chartFigure(translate: Translate, chart: Chart, about: string): Html {
  return html`<div class="chart" data-chart="${JSON.stringify(chart)}" role="figure"
aria-label="${about}">
<noscript>${picture(translate, chart)}</noscript></div>${greys(translate, chart)}`;
}

/**
 * When records begin that begin within a chart, for it; s since 1970.
 * @param first the first time, or day, of which something was recorded; `undefined` where that was
 *   before the chart.
 * @param begins the first time, or day, of the chart.
 */
export const beganAt = (first: string | undefined, begins: string | undefined) =>
  first === undefined || first === begins ? undefined : Date.parse(first) / 1_000;

/** What is grey or pale in a chart, and why. */
function greys(translate: Translate, { isOpen, recordedFrom, unit }: Chart): Content {
  const mark = (name: string) => html`<i class="mark ${name}" aria-hidden="true"></i>`;
  const open = isOpen ? html`<li>${mark('pale')}${translate('history.notOver')}</li>` : '';
  const none =
    recordedFrom === undefined
      ? ''
      : html`<li>${mark('none')}${translate('history.begins')} ${timeIn(unit, recordedFrom)}</li>`;
  return open === '' && none === '' ? '' : html`<ul class="hint marks">${open}${none}</ul>`;
}

/** A time of a chart; where its bars are days, the day. @param at s since 1970. */
function timeIn(unit: Chart['unit'], at: number): Content {
  const instant = new Date(at * 1_000).toISOString();
  return time(unit === 'day' ? instant.slice(0, 10) : instant);
}

/** How high the picture of a chart is, and how wide a bar with its gap; in units of its own. */
const HEIGHT = 100;
const BAR = 10;
const GAP = 2;

/** The chart as a picture: its legend, its bars, the highest figure, and both ends of its time. */
function picture(translate: Translate, chart: Chart): Html {
  const { labels, tones, series, times, before, calls } = chart;
  const tops = chart.isStacked === true ? stacked(series) : series;
  const most = Math.max(...[...tops, before?.counts ?? []].flat().map((figure) => figure ?? 0));
  const heightOf = (figure: number | null) => (most === 0 ? 0 : ((figure ?? 0) / most) * HEIGHT);
  const width = times.length * BAR;
  const bars = tops.map(
    (figures, at) =>
      html`<path class="${tones[at]!}"
d="${figures.map((figure, bar) => barOf(bar, heightOf(figure))).join('')}"/>`,
  );
  const known = times.findLastIndex((at) => at <= (chart.recordedFrom ?? 0));
  const ground = known > 0 ? html`<path class="none" d="M0 0h${known * BAR}v${HEIGHT}H0z"/>` : '';
  const open = chart.isOpen
    ? html`<path class="pale" d="M${width - BAR} 0h${BAR}v${HEIGHT}h-${BAR}z"/>`
    : '';
  const points = before?.counts.map(
    (figure, bar) => `${(bar + 0.5) * BAR},${round(HEIGHT - heightOf(figure))}`,
  );
  const legend = labels.map(
    (label, at) => html`<li><i class="mark ${tones[at]!}" aria-hidden="true"></i>${label}</li>`,
  );
  const told = calls === undefined ? countText(translate, most) : millisecondsText(translate, most);
  const [begins, ends] = [times[0]!, chart.ends ?? times.at(-1)!];
  return html`<ul class="marks">${legend}${
    before === undefined
      ? ''
      : html`<li><i class="mark before" aria-hidden="true"></i>${before.label}</li>`
  }</ul><p class="hint">${told}</p>
<svg viewBox="0 0 ${width} ${HEIGHT}" preserveAspectRatio="none" aria-hidden="true">
${ground}${bars}${open}${
  points === undefined ? '' : raw(`<polyline class="before" points="${points.join(' ')}"/>`)
}</svg>
<p class="hint ends"><span>${timeIn(chart.unit, begins)}</span>
<span>${timeIn(chart.unit, ends)}</span></p>`;
}

const round = (length: number): number => Math.round(length * 10) / 10;

const barOf = (bar: number, height: number): string =>
  height === 0 ? '' : `M${bar * BAR + GAP / 2} ${HEIGHT}v-${round(height)}h${BAR - GAP}V${HEIGHT}z`;

/** The tops of series that stand on each other: each with those after it. */
const stacked = (series: Chart['series']): Chart['series'] =>
  series.map((figures, at) =>
    figures.map((_, bar) => series.slice(at).reduce((sum, others) => sum + (others[bar] ?? 0), 0)),
  );

/** A bar within a table, beside its figure: how much of the longest of the column it is. */
export function barIn(figure: number, most: number): Html {
  const width = round(most === 0 ? 0 : (figure / most) * 100);
  return html`<svg class="share" viewBox="0 0 100 1" preserveAspectRatio="none"
aria-hidden="true"><path class="whole" d="M0 0h${width}v1H0z"/></svg>`;
}
