import { type Context, Hono } from 'hono';
import { html, raw } from 'hono/html';
import { Ws01Error } from '../contract/errors.ts';
import { mayActAs } from '../contract/roles.ts';
import {
  removeFilter,
  type SavedFilter,
  savedFilters,
  saveFilter,
} from '../domain/admins/saved-filters.ts';
import type { Kind } from './catalog.ts';
import { formText } from './forms.ts';
import type { ConsolePageDeps, Content, Html } from './layout.ts';
import { isKnown, ownQuery } from './list-filters.ts';
import { success, wrongAt } from './sign-in-pages.ts';
import { goOnTelling } from './told-once.ts';
import { type ConsoleDeps, type ConsoleEnv, HOME } from './visit.ts';

type C = Context<ConsoleEnv>;

/** Saves the filter of a list under a name, for the admin who is signed in, and removes it. */
export function savedFilterRoutes(deps: ConsolePageDeps): Hono<ConsoleEnv> {
  const { kindsByName } = deps;
  const app = new Hono<ConsoleEnv>();
  for (const kind of kindsByName.values()) {
    app.post(`/${kind.name}/filters`, async (c) => {
      const { id, role } = c.get('admin');
      if (!mayActAs(role, kind.role))
        throw new Ws01Error('Forbidden', 'Your role does not allow this.');
      const { translate } = c.get('visit');
      const list = { adminId: id, kind: kind.name };
      const name = (await formText(c, 'name')).trim();
      const query = filterOf(c, kind, new URLSearchParams(await formText(c, 'query')));
      const isRemoved = (await formText(c, 'act')) === 'remove';
      if (!isRemoved && name === '' && query !== '') {
        const content = saveForm(c, kind, query, translate('form.empty'));
        return deps.show(c, { title: translate('saved.save'), content }, 400);
      }
      if (isRemoved) await removeFilter(deps.store, list, name);
      else await saveFilter(deps.store, list, { name, query }, deps.clock());
      const path = `${HOME}/${kind.name}?${query}`;
      const told = translate(isRemoved ? 'saved.removed' : 'saved.done', { name });
      return (await goOnTelling(deps, c, path, success(told))) ?? c.redirect(path, 303);
    });
  }
  return app;
}

/** Links to the saved filters of a list, and the form that saves the one which is set. */
export async function savedPart(
  { store }: Pick<ConsoleDeps, 'store'>,
  c: C,
  kind: Kind,
): Promise<Content> {
  const { translate } = c.get('visit');
  const saved = await savedFilters(store, { adminId: c.get('admin').id, kind: kind.name });
  const present = filterOf(c, kind, new URLSearchParams(ownQuery(c)));
  const shown = saved.find(({ query }) => query === present);
  const link = ({ name, query }: SavedFilter) =>
    html`<li><a class="chip" href="${HOME}/${kind.name}?${query}"${
      query === present ? raw(' aria-current="true"') : ''
    }><bdi>${name}</bdi></a></li>`;
  const links =
    saved.length === 0
      ? ''
      : html`<ul class="chips" aria-label="${translate('saved.title')}">${saved.map(link)}</ul>`;
  if (present === '') return links;
  return html`${links}${shown === undefined ? saveForm(c, kind, present) : removeForm(c, kind, shown)}`;
}

/** @param why what is wrong with the name that was sent. */
function saveForm(c: C, kind: Kind, query: string, why?: string): Html {
  const { translate } = c.get('visit');
  const wrong = wrongAt('saved-name', why);
  const field = html`<label for="saved-name">${translate('saved.name')}</label><div>
<input id="saved-name" name="name" maxlength="60" required autocomplete="off"${wrong.tied}>${wrong.below}</div>`;
  return html`<details id="saved"${why === undefined ? '' : raw(' open')}><summary>${translate('saved.save')}</summary>
${form(kind, query, html`${field}<button>${translate('saved.save')}</button>`)}</details>`;
}

function removeForm(c: C, kind: Kind, { name, query }: SavedFilter): Html {
  const text = c.get('visit').translate('saved.remove', { name });
  const field = html`<input type="hidden" name="name" value="${name}">`;
  return form(
    kind,
    query,
    html`${field}<button class="plain" name="act" value="remove">${text}</button>`,
  );
}

const form = ({ name }: Kind, query: string, fields: Content): Html =>
  html`<form method="post" action="${HOME}/${name}/filters" class="tools" novalidate>
<input type="hidden" name="query" value="${query}">${fields}</form>`;

/** What of a query is a filter of the list, its order included, in one order of its own. */
function filterOf(c: C, kind: Kind, query: URLSearchParams): string {
  const own = [...query].filter(
    ([name, value]) => name !== 'cursor' && value !== '' && isKnown(c, kind, name, value),
  );
  const isOnlyOrder = own.every(([name]) => name === 'limit');
  return isOnlyOrder ? '' : String(new URLSearchParams(own.toSorted()));
}
