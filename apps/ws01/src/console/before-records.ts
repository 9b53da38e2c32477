import type { Context } from 'hono';
import { html } from 'hono/html';
import { type Content, time } from './layout.ts';
import type { ConsoleEnv } from './visit.ts';

/**
 * Says from when on a chart has something, where that is not from its beginning on.
 * @param first the first time, or day, of which something was recorded; `undefined` where that was before the chart.
 * @param begins the first time, or day, of the chart.
 * @returns `recordedFrom` for the chart, s since 1970; a note to stand below it.
 */
export function beforeRecords(
  c: Context<ConsoleEnv>,
  first: string | undefined,
  begins: string | undefined,
): { readonly recordedFrom: number | undefined; readonly note: Content } {
  if (first === undefined || first === begins) return { recordedFrom: undefined, note: '' };
  const { translate } = c.get('visit');
  return {
    recordedFrom: Date.parse(first) / 1_000,
    note: html`<p class="hint">${translate('history.begins')} ${time(first)}</p>`,
  };
}
