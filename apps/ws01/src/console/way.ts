import type { Context } from 'hono';
import { html } from 'hono/html';
import type { Kind } from './catalog.ts';
import type { Html } from './layout.ts';
import { wordFor } from './values.ts';
import { type ConsoleEnv, HOME } from './visit.ts';

/** The way from a page of a kind to its list, for above the heading. */
export const wayToList = (c: Context<ConsoleEnv>, { name }: Pick<Kind, 'name'>): Html =>
  html`<a href="${HOME}/${name}">${wordFor(c.get('visit').translate, 'kind', name)}</a>`;

/** The same from a form about a record, which stands between. */
export const wayToRecord = (c: Context<ConsoleEnv>, kind: Kind, path: string, name: string): Html =>
  html`${wayToList(c, kind)} › <a href="${path}"><bdi>${name}</bdi></a>`;
