import type { Context } from 'hono';
import { html } from 'hono/html';
import type { Item } from '../api/kind.ts';
import type { Content } from './layout.ts';
import { segmentOf } from './paths.ts';
import { type ConsoleEnv, HOME } from './visit.ts';

/** What an owner does with a backup besides its verbs: see what a restore would do, and download it. */
export function backupLinks(c: Context<ConsoleEnv>, { id, state, verifiedAt }: Item): Content {
  const isWhole = state !== 'running' && state !== 'interrupted' && verifiedAt !== null;
  if (!isWhole || c.get('admin').role !== 'owner') return '';
  const { translate } = c.get('visit');
  const page = `${HOME}/backups/${segmentOf(String(id))}`;
  return html`<a class="button${state === 'verified' ? ' primary' : ''}" href="${page}/restore">
${translate('restore.see')}</a><a class="button" href="${page}/archive">${translate('backup.download')}</a>`;
}
