import type { Context } from 'hono';
import { html } from 'hono/html';
import type { ApiClient, ItemPage } from './api-client.ts';
import type { Translate } from './language.ts';
import type { Content, Html } from './layout.ts';
import { orUndefined } from './or-undefined.ts';
import { type ConsoleDeps, type ConsoleEnv, HOME } from './visit.ts';

type Step = 'token' | 'article' | 'mail' | 'backup' | 'backupPlace';

/**
 * The first steps of an installation, until it has an article and a token; for owners. The next one stands first.
 * @returns `''` when they are over.
 */
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
  const steps: readonly (readonly [isDone: boolean, step: Step, path: string])[] = [
    [hasToken, 'token', 'tokens/new'],
    [hasArticle, 'article', 'articles/new'],
    [gateways.mail, 'mail', 'settings/SMTP_URL'],
    // Where none can be made, the first step is to say where they go.
    place?.value == null
      ? [hasBackup, 'backupPlace', 'settings/BACKUP_TO']
      : [hasBackup, 'backup', 'backups/new'],
  ];
  const done = steps.filter(([isDone]) => isDone).length + 1;
  const [, next, path] = steps.find(([isDone]) => !isDone)!;
  return html`<section aria-labelledby="first" class="first">
<h2 id="first">${translate('first.title')}</h2>
<p>${translate('first.count', { done, all: steps.length + 1 })}</p>
<p><a class="button primary" href="${HOME}/${path}">${translate(`first.${next}`)}</a></p>
<p class="hint">${translate(`first.${next}.why`)}</p>
<ol class="hits">${stepItem(translate, true, 'admin', 'account')}${steps.map((step) => stepItem(translate, ...step))}</ol></section>`;
}

function stepItem(translate: Translate, isDone: boolean, step: Step | 'admin', path: string): Html {
  const tag = isDone ? 'good' : 'warn';
  return html`<li><span class="tag ${tag}">${translate(isDone ? 'first.done' : 'first.open')}</span>
<a href="${HOME}/${path}">${translate(`first.${step}`)}</a></li>`;
}
