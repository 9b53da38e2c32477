import { type Context, Hono } from 'hono';
import { html } from 'hono/html';
import type { Item } from '../api/kind.ts';
import { Ws01Error } from '../contract/errors.ts';
import { mayActAs } from '../contract/roles.ts';
import { apiFor, type ItemPage } from './api-client.ts';
import type { Kind } from './catalog.ts';
import { csvDownload } from './csv.ts';
import { revisionPath, versionMade } from './done-message.ts';
import { exportOf } from './export-pages.ts';
import { formText } from './forms.ts';
import { labelled } from './labelled.ts';
import type { ConsolePageDeps, Html } from './layout.ts';
import { outcomeTable } from './outcome-table.ts';
import { type Outcome, outcomeOf } from './outcomes.ts';
import { segmentOf } from './paths.ts';
import { nothingDone, problem, success } from './sign-in-pages.ts';
import { dataTable } from './tables.ts';
import { cut } from './text.ts';
import { decoded, tabOf, wordFor } from './values.ts';
import { type ConsoleEnv, HOME } from './visit.ts';

type C = Context<ConsoleEnv>;

interface Differences {
  readonly item: Item;
  readonly changes: readonly {
    readonly field: string;
    readonly before: string | null;
    readonly after: string | null;
  }[];
  readonly shortened: boolean;
  readonly content: readonly {
    readonly kind: 'same' | 'removed' | 'added';
    readonly text: string;
  }[];
}

const isEmpty = (value: string | null): value is null | '' => value === null || value === '';

function lineOf({ kind, text }: Differences['content'][number]): Html {
  if (kind === 'same') return html`${text}\n`;
  return kind === 'added' ? html`<ins>${text}\n</ins>` : html`<del>${text}\n</del>`;
}

/**
 * The page of a revision: its differences from the previous one, and its restoring, with a preview
 * and an undo.
 */
export function revisionRoutes(deps: ConsolePageDeps): Hono<ConsoleEnv> {
  const { kindsByName, show } = deps;
  const articles = kindsByName.get('articles')!;
  const app = new Hono<ConsoleEnv>();
  app.get('/articles/:guid/revisions.csv', async (c) => {
    const path = `/articles/${segmentOf(c.req.param('guid'))}/revisions`;
    const { items } = await apiFor(deps, c).get<ItemPage>(`${path}?limit=1`);
    return csvDownload(deps, c, {
      name: 'revisions',
      columns: Object.keys(items[0] ?? {}),
      pages: exportOf(deps, c, path),
    });
  });

  app.get('/articles/:guid/revisions/:revision', async (c) => {
    const { translate } = c.get('visit');
    const { guid, revision } = c.req.param();
    const path = `/articles/${segmentOf(guid)}/revisions/${segmentOf(revision)}`;
    const { item, changes, content, shortened } = await apiFor(deps, c).get<Differences>(path);
    const isPresent = item.replacedAt === null;
    const called = cut(String(item.caption || guid), 80);
    const way = html`<a href="${HOME}/articles/${segmentOf(guid)}">${called}</a>`;
    const does = translate('detail.restoreRevision');
    const shown = html`${
      isPresent || !mayActAs(c.get('admin').role, 'moderator')
        ? ''
        : html`<form method="post" action="${HOME}${path}/restore">
<button class="primary">${does}</button></form>`
    }
${
  changes.length === 0
    ? ''
    : dataTable(
        translate('act.changes'),
        [translate('detail.field'), translate('detail.before'), translate('detail.after')],
        changes.map(({ field, before, after }) => {
          const words = (text: string) => decoded(translate, 'articles', field, text);
          return [
            wordFor(translate, 'field', field),
            isEmpty(before) ? '–' : html`<del>${words(before)}</del>`,
            isEmpty(after) ? '–' : html`<ins>${words(after)}</ins>`,
          ];
        }),
      )
}
<h2>${translate('field.content')}</h2>
${shortened ? html`<p class="hint">${translate('detail.shortened')}</p>` : ''}
<pre tabindex="0">${content.map(lineOf)}</pre>`;
    const title = translate('detail.revision', { number: revision });
    const tab = labelled(translate, title, tabOf(translate, 'articles', called));
    return show(c, { title, tab, way, content: shown });
  });

  app.post('/articles/:guid/revisions/:revision/restore', async (c) => {
    const { translate } = c.get('visit');
    const { guid, revision } = c.req.param();
    if (!mayActAs(c.get('admin').role, 'moderator'))
      throw new Ws01Error('Forbidden', 'Your role does not allow this.');
    const reason = await formText(c, 'reason');
    const isDone = (await formText(c, 'confirm')) === 'yes';
    const verb = {
      method: 'post',
      tail: `/revisions/${segmentOf(revision)}/restore`,
      required: [],
    };
    const body = reason === '' ? {} : { reason };
    const version = (await formText(c, 'version')) || undefined;
    const api = apiFor(deps, c);
    const ask = (how: Parameters<typeof outcomeOf>[5]) =>
      outcomeOf(api, articles, verb, guid, body, how);
    const done = isDone ? await ask({ preview: false, version }) : undefined;
    const isOvertaken = done?.problem?.parameter === 'If-Match';
    const told = { verb: translate('detail.restoreRevision') };
    return done !== undefined && !isOvertaken
      ? show(c, {
          title: translate('detail.revision', { number: revision }),
          content: donePage(c, articles, done),
        })
      : show(
          c,
          {
            title: translate('act.title', told),
            content: html`${isOvertaken ? problem(translate('act.overtaken')) : ''}
${previewPage(c, articles, await ask({ preview: true }), revision)}`,
          },
          isOvertaken ? 409 : 200,
        );
  });
  return app;
}

function previewPage(c: C, articles: Kind, outcome: Outcome, revision: string): Html {
  const { translate } = c.get('visit');
  const path = `${HOME}/articles/${segmentOf(outcome.key)}/revisions/${segmentOf(revision)}`;
  const told = translate(outcome.change?.changed ? 'act.previewOf' : 'act.nothing');
  const does = translate('act.confirm', { verb: translate('detail.restoreRevision') });
  return html`<p class="notice">${told}</p>
${outcomeTable(c, articles, [outcome], 'act.would', 'act.wouldNot')}
<form method="post" action="${path}/restore" class="narrow">
<label for="reason">${translate('field.reason')}</label><input id="reason" name="reason" maxlength="200">
<div class="tools"><button name="confirm" value="yes" class="primary" autofocus>${does}</button>
<a class="button" href="${path}">${translate('app.cancel')}</a></div>
</form>`;
}

/** What was done; the undo restores the content that was the newest before. */
function donePage(c: C, articles: Kind, outcome: Outcome): Html {
  const { translate } = c.get('visit');
  const path = `${HOME}/articles/${segmentOf(outcome.key)}`;
  const isChanged = outcome.change?.changed === true;
  const said = isChanged
    ? success(translate('did.revision'))
    : nothingDone(translate('act.unchanged'));
  return html`${said}
<div class="tools">${
    isChanged
      ? html`<form method="post" action="${revisionPath(outcome)}">${versionMade(outcome)}
<button name="confirm" value="yes">${translate('act.undo')}</button></form>`
      : ''
  }
<a class="button" href="${path}">${translate('app.back')}</a></div>
${outcomeTable(c, articles, [outcome], 'act.did', 'act.didNot')}`;
}
