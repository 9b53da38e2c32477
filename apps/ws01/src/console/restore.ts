import { type Context, Hono } from 'hono';
import { html } from 'hono/html';
import { Ws01Error } from '../contract/errors.ts';
import { apiFor } from './api-client.ts';
import type { Extra } from './details.ts';
import { type ConsolePageDeps, time } from './layout.ts';
import { segmentOf } from './paths.ts';
import { dataTable } from './tables.ts';
import { type ConsoleEnv, HOME } from './visit.ts';

/** What a restore would do, as the API says it. */
interface Plan {
  readonly from: string;
  readonly madeAt: string | null;
  readonly rows: number | null;
  readonly images: number | null;
  readonly to: string;
  readonly present: string | null;
  readonly command: string;
}

/** What a backup is at now; of one that was verified, the link to the dry run of its restore. */
export const restoreLink: Extra = (c, _api, { id, state, verifiedAt }) => {
  const { translate } = c.get('visit');
  if (state === 'running')
    return html`<p class="notice" role="status">${translate('backup.running')}</p>`;
  if (verifiedAt === null || c.get('admin').role !== 'owner') return '';
  return html`<p><a class="button primary" href="${HOME}/backups/${segmentOf(String(id))}/restore">
${translate('restore.see')}</a></p>`;
};

/** The page that shows what a restore of a backup would do, and how it is done. */
export function restoreRoutes(deps: ConsolePageDeps): Hono<ConsoleEnv> {
  const { show } = deps;
  const app = new Hono<ConsoleEnv>();
  app.get('/backups/:key/restore', async (c: Context<ConsoleEnv>) => {
    const { translate } = c.get('visit');
    if (c.get('admin').role !== 'owner')
      throw new Ws01Error('Forbidden', 'Your role does not allow this.');
    const path = `/backups/${segmentOf(c.req.param('key')!)}/restore`;
    const plan = await apiFor(deps, c).get<Plan>(path);
    const { from, madeAt, rows, images, to, present, command } = plan;
    const title = translate('restore.title');
    const content = html`<p>${translate('restore.about')}</p>
${dataTable(
  title,
  ['', translate('restore.from'), translate('restore.to')],
  [
    [translate('restore.place'), from, to],
    [translate('restore.made'), time(madeAt), translate('detail.now')],
    [translate('restore.rows'), String(rows ?? '–'), present ?? '–'],
    [translate('kind.images'), String(images ?? '–'), translate('restore.stay')],
  ],
)}
<h2>${translate('restore.how')}</h2><p>${translate('restore.stopped')}</p>
<pre id="restore" tabindex="0">systemctl stop ws01
${command}
systemctl start ws01</pre>
<p><button type="button" data-copy="restore">${translate('app.copy')}</button></p>`;
    return show(c, { title, content });
  });
  return app;
}
