import { Hono } from 'hono';
import { html } from 'hono/html';
import type { Item } from '../api/kind.ts';
import { apiFor } from './api-client.ts';
import type { ServiceTable } from './catalog.ts';
import { csvDownload, onePage } from './csv.ts';
import { emptyPart } from './empty.ts';
import type { Translate } from './language.ts';
import type { ConsolePageDeps, Content } from './layout.ts';
import { dataTable } from './tables.ts';
import { shown, wordFor } from './values.ts';
import { type ConsoleEnv, HOME } from './visit.ts';

/** Read-only pages of settings, queues and backups. */
export function serviceTableRoutes(
  deps: ConsolePageDeps,
  tables: readonly ServiceTable[],
): Hono<ConsoleEnv> {
  const { show } = deps;
  const app = new Hono<ConsoleEnv>();
  for (const { name } of tables) {
    app.get(`/${name}`, async (c) => {
      const { translate } = c.get('visit');
      const { items } = await apiFor(deps, c).get<{ items: readonly Item[] }>(`/${name}`);
      const columns = Object.keys(items[0] ?? {});
      const schema = (member: string) => (/At$/.test(member) ? { format: 'date-time' } : undefined);
      const content =
        items.length === 0
          ? emptyPart(c, name)
          : dataTable(
              wordFor(translate, 'kind', name),
              columns.map((member) => wordFor(translate, 'field', member)),
              items.map((item) =>
                columns.map((member) =>
                  name === 'queues' && (member === 'kind' || member === 'state')
                    ? queueCell(translate, item, member)
                    : shown({ translate }, member, schema(member), item[member]),
                ),
              ),
              placesOf(columns, 'count'),
              placesOf(columns, 'state'),
            );
      const csv = html`<p><a href="${HOME}/${name}.csv">${translate('list.csv')}</a></p>`;
      return show(c, {
        title: wordFor(translate, 'kind', name),
        content: html`${content}${items.length === 0 ? '' : csv}`,
      });
    });

    app.get(`/${name}.csv`, async (c) => {
      const { items } = await apiFor(deps, c).get<{ items: readonly Item[] }>(`/${name}`);
      return csvDownload(deps, c, {
        name,
        columns: Object.keys(items[0] ?? {}),
        pages: onePage(items),
      });
    });
  }
  return app;
}

const placesOf = (columns: readonly string[], name: string): readonly number[] =>
  columns.flatMap((member, at) => (member === name ? [at] : []));

/** The lists of what goes out. */
const LISTS: Readonly<Record<string, string>> = { mail: 'mails', sms: 'sms', webhook: 'webhooks' };

/** Shows what a queue is of, or its state, which leads to the list. */
function queueCell(translate: Translate, { kind, state }: Item, member: 'kind' | 'state'): Content {
  const list = LISTS[String(kind)]!;
  if (member === 'kind') return wordFor(translate, 'kind', list);
  // A webhook has deliveries in several states.
  const query = list === 'webhooks' ? '' : `?status=${String(state)}`;
  return html`<a href="${HOME}/${list}${query}">${wordFor(translate, 'value', String(state))}</a>`;
}
