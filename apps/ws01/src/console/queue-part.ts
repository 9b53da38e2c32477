import type { Context } from 'hono';
import { html } from 'hono/html';
import type { ApiClient } from './api-client.ts';
import type { KindsByName } from './catalog.ts';
import { queueOf, seenOf } from './desk-queue.ts';
import type { Content } from './layout.ts';
import { nameOf } from './lists.ts';
import { namesOf } from './names.ts';
import { iconsOf } from './pictures.ts';
import { newsItem } from './today.ts';
import { type ConsoleEnv, HOME } from './visit.ts';

/** So much of what waits is shown before the desk. */
const FIRST = 6;

/** The first of what waits, each leading to its place on the desk, and the button that begins with the first. */
export async function queuePart(
  c: Context<ConsoleEnv>,
  api: ApiClient,
  kindsByName: KindsByName,
): Promise<Content> {
  const { translate } = c.get('visit');
  const { waiting } = await queueOf(api, kindsByName, undefined);
  const seen = await Promise.all(waiting.slice(0, FIRST).map((one) => seenOf(api, one)));
  const first = seen.flatMap((one, skip) => (one === undefined ? [] : [{ ...one, skip }]));
  if (first.length === 0) return '';
  const names = await namesOf(
    api,
    first.map(({ item }) => item),
  );
  const pictures = await Promise.all(
    first.map(async ({ kind, item }) =>
      (await iconsOf(api, kind, [item])).get(String(item[kind.key])),
    ),
  );
  const cards = first.map(({ kind, item, skip }, at) =>
    newsItem(
      c,
      `${HOME}/desk?skip=${skip}`,
      nameOf(translate, kind, item, names),
      pictures[at],
      item,
    ),
  );
  return html`<p><a class="button primary" href="${HOME}/desk">${translate('overview.begin')}</a></p>
<ul class="news">${cards}</ul>`;
}
