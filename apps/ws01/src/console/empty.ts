import type { Context } from 'hono';
import { html } from 'hono/html';
import type { Kind } from './catalog.ts';
import { createLink } from './create.ts';
import type { Html } from './layout.ts';
import { withSettings } from './setting-links.ts';
import { en, type TextKey } from './texts/en.ts';
import { type ConsoleEnv, HOME } from './visit.ts';

/** A list without records: what it is for, and the button that makes the first; or that nothing meets the filters. */
export function emptyList(c: Context<ConsoleEnv>, kind: Kind, isFiltered: boolean): Html {
  const { translate } = c.get('visit');
  const key = `empty.${kind.name}`;
  const isExplained = !isFiltered && Object.hasOwn(en, key);
  const about = translate(isExplained ? (key as TextKey) : 'list.empty');
  return html`<div class="empty" id="records" tabindex="-1"><p>${withSettings(c, about)}</p>
${isFiltered ? html`<a href="${HOME}/${kind.name}">${translate('list.clear')}</a>` : createLink(c, kind)}</div>`;
}
