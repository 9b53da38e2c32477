import type { Context } from 'hono';
import { html } from 'hono/html';
import type { Content } from './layout.ts';
import { SETTING_TEXTS } from './texts/settings.ts';
import { type ConsoleEnv, HOME } from './visit.ts';

/** Shows a text; for who may see the settings, each that it names is a link to its page. */
export function withSettings(c: Context<ConsoleEnv>, text: string): Content {
  if (c.get('admin').role !== 'owner') return text;
  const parts = text.split(/\b([A-Z][A-Z\d]*(?:_[A-Z\d]+)+)\b/);
  return html`${parts.map((part, at) =>
    at % 2 === 1 && Object.hasOwn(SETTING_TEXTS, part)
      ? html`<a href="${HOME}/settings/${part}">${part}</a>`
      : part,
  )}`;
}
