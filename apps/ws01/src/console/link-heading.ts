import type { Context } from 'hono';
import { html } from 'hono/html';
import type { Item } from '../api/kind.ts';
import { icon } from './icons.ts';
import { labelled } from './labelled.ts';
import type { Page } from './layout.ts';
import { addressText } from './values.ts';
import type { ConsoleEnv } from './visit.ts';

/** The heading of a link is what people pass on: its short address, in one piece, to copy. */
export function headingOfLink(
  c: Context<ConsoleEnv>,
  { url }: Item,
): Pick<Page, 'heading' | 'beside'> {
  const { translate } = c.get('visit');
  const copy = labelled(translate, translate('app.copy'), String(url));
  return {
    heading: html`<span id="short">${addressText(String(url))}</span>`,
    beside: html`<button type="button" data-copy="short" aria-label="${copy}">${icon('app', 'copy')}${translate('app.copy')}</button>`,
  };
}
