import type { Context } from 'hono';
import { html } from 'hono/html';
import type { Kind } from './catalog.ts';
import type { Html } from './layout.ts';
import { en, type TextKey } from './texts/en.ts';
import type { ConsoleEnv } from './visit.ts';

/** A list without records: what it is for. The button above it makes the first. */
export function emptyList(c: Context<ConsoleEnv>, kind: Kind, isFiltered: boolean): Html {
  const { translate } = c.get('visit');
  const key = `empty.${kind.name}`;
  const about =
    isFiltered || !Object.hasOwn(en, key)
      ? ''
      : html`<p class="empty">${translate(key as TextKey)}</p>`;
  return html`<p id="records" tabindex="-1">${translate('list.empty')}</p>${about}`;
}
