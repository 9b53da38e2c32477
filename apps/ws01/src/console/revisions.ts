import { Hono } from 'hono';
import { html } from 'hono/html';
import { Ws01Error } from '../contract/errors.ts';
import { mayActAs } from '../domain/admins/roles.ts';
import { apiFor, type Change, type Item } from './api-client.ts';
import { formText } from './forms.ts';
import type { Show } from './layout.ts';
import { dataTable } from './tables.ts';
import { wordFor } from './values.ts';
import { type ConsoleDeps, type ConsoleEnv, HOME } from './visit.ts';

interface Differences {
  readonly item: Item;
  readonly changes: readonly {
    readonly field: string;
    readonly before: string | null;
    readonly after: string | null;
  }[];
  readonly content: readonly { readonly kind: 'same' | 'removed' | 'added'; readonly text: string }[];
}

/** The page of a revision: its differences from the previous one, and a button to restore it. */
export function revisionRoutes(deps: ConsoleDeps, show: Show): Hono<ConsoleEnv> {
  const app = new Hono<ConsoleEnv>();
  app.get('/articles/:guid/revisions/:revision', async (c) => {
    const { translate } = c.get('visit');
    const { guid, revision } = c.req.param();
    const path = `/articles/${encodeURIComponent(guid)}/revisions/${encodeURIComponent(revision)}`;
    const { item, changes, content } = await apiFor(deps, c).get<Differences>(path);
    const isPresent = item.replacedAt === null;
    const shown = html`<p class="hint"><a href="${HOME}/articles/${encodeURIComponent(guid)}">${String(item.caption || guid)}</a></p>
${
  isPresent || !mayActAs(c.get('admin').role, 'moderator')
    ? ''
    : html`<form method="post" action="${HOME}${path}/restore"><button class="primary">${translate('detail.restoreRevision')}</button></form>`
}
${
  changes.length === 0
    ? ''
    : dataTable(
        translate('act.changes'),
        [translate('act.record'), translate('detail.before'), translate('detail.after')],
        changes.map(({ field, before, after }) => [
          wordFor(translate, 'field', field),
          html`<del>${before ?? '–'}</del>`,
          html`<ins>${after ?? '–'}</ins>`,
        ]),
      )
}
<h2>${translate('field.content')}</h2>
<pre tabindex="0">${content.map(({ kind, text }) =>
      kind === 'same' ? html`${text}\n` : kind === 'added' ? html`<ins>${text}\n</ins>` : html`<del>${text}\n</del>`,
    )}</pre>`;
    return show(c, { title: translate('detail.revision', { number: revision }), content: shown });
  });

  app.post('/articles/:guid/revisions/:revision/restore', async (c) => {
    const { guid, revision } = c.req.param();
    const path = `/articles/${encodeURIComponent(guid)}`;
    const reason = await formText(c, 'reason');
    const change = await apiFor(deps, c).send<Change>(
      'post',
      `${path}/revisions/${encodeURIComponent(revision)}/restore`,
      {
        ...(reason === '' ? {} : { reason }),
      },
    );
    if (change.item === null) throw new Ws01Error('NotFound', c.get('visit').translate('error.notFound'));
    return c.redirect(`${HOME}${path}`, 303);
  });
  return app;
}
