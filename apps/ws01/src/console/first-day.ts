import type { Context } from 'hono';
import { html } from 'hono/html';
import type { ApiClient, ItemPage } from './api-client.ts';
import type { Content } from './layout.ts';
import { orUndefined } from './or-undefined.ts';
import type { TextKey } from './texts/en.ts';
import { type ConsoleDeps, type ConsoleEnv, HOME } from './visit.ts';

/** The first steps of an installation, until it has an article and a token; for owners. */
export async function firstDay(
  { gateways }: Pick<ConsoleDeps, 'gateways'>,
  c: Context<ConsoleEnv>,
  api: ApiClient,
): Promise<Content> {
  if (c.get('admin').role !== 'owner') return '';
  const hasAny = async (list: string) => {
    const page = await orUndefined(api.get<ItemPage>(`/${list}?limit=1`));
    return page === undefined || page.items.length > 0;
  };
  const [hasArticle, hasBackup, place, tokens] = await Promise.all([
    hasAny('articles'),
    hasAny('backups'),
    orUndefined(api.get('/settings/BACKUP_TO')),
    orUndefined(api.get<ItemPage>('/tokens?limit=2')),
  ]);
  // The first start makes a token that nobody may have seen.
  const [only, ...others] = tokens?.items ?? [];
  const hasToken = others.length > 0 || only?.lastUsedAt != null;
  if (hasArticle && hasToken) return '';
  const { translate } = c.get('visit');
  const steps: readonly (readonly [boolean, TextKey, string])[] = [
    [true, 'first.admin', 'account'],
    [hasToken, 'first.token', 'tokens/new'],
    [hasArticle, 'first.article', 'articles/new'],
    [gateways.mail, 'first.mail', 'settings/SMTP_URL'],
    // Where none can be made, the first step is to say where they go.
    place?.value == null
      ? [hasBackup, 'first.backupPlace', 'settings/BACKUP_TO']
      : [hasBackup, 'first.backup', 'backups/new'],
  ];
  return html`<section aria-labelledby="first"><h2 id="first">${translate('first.title')}</h2>
<ol class="hits">${steps.map(
    ([isDone, text, path]) =>
      html`<li>${
        isDone
          ? html`<span class="tag good">
${translate('first.done')}</span>`
          : html`<span class="tag warn">
${translate('first.open')}</span>`
      } <a href="${HOME}/${path}">${translate(text)}</a></li>`,
  )}</ol></section>`;
}
