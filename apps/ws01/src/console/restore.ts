import { type Context, Hono } from 'hono';
import { html } from 'hono/html';
import type { Item } from '../api/kind.ts';
import { Ws01Error } from '../contract/errors.ts';
import { assertConfirmed } from '../domain/admins/sessions.ts';
import { apiFor } from './api-client.ts';
import type { Extra } from './details.ts';
import { labelled } from './labelled.ts';
import type { Translate } from './language.ts';
import { type ConsolePageDeps, type Content, time } from './layout.ts';
import { segmentOf } from './paths.ts';
import { dataTable } from './tables.ts';
import type { TextKey } from './texts/en.ts';
import { wordFor } from './values.ts';
import { type ConsoleEnv, HOME } from './visit.ts';
import { warning } from './warnings.ts';

/** What a restore would do, as the API says it. */
interface Plan {
  readonly from: string;
  readonly madeAt: string | null;
  readonly rows: number | null;
  readonly images: number | null;
  readonly to: string;
  readonly present: string | null;
  readonly commands: readonly string[];
}

/** What a backup is at now, and what its last check found. */
export const backupPart: Extra = (c, _api, item) => {
  const { translate } = c.get('visit');
  const { state, check, fault } = item;
  const told = (key: TextKey) => html`<p class="notice" role="status">${translate(key)}</p>`;
  const progress = progressOf(translate, item);
  if (state === 'running') return html`${told('backup.running')}${progress}`;
  if (state === 'interrupted')
    return warning(c, translate('backup.interrupted'), 'backups', 'backup.make');
  const by = html`${time(item.checkedAt as string)}, ${item.checkedBy as string}`;
  const said = html`<span lang="en">${fault as string}</span>`;
  const another = html`<a href="${HOME}/backups">${translate('backup.make')}</a>`;
  const found: Readonly<Record<string, Content>> = {
    running: html`${told('backup.checking')}${progress}`,
    interrupted: told('backup.checkInterrupted'),
    sound: html`<p class="done">${translate('backup.sound')} (${by})</p>`,
    damaged: html`<p class="problem">${translate('backup.damaged')} ${said} (${by}) ${another}</p>`,
    missing: html`<p class="problem">${translate('backup.missing')} ${said} (${by}) ${another}</p>`,
    failed: html`<p class="notice">${translate('backup.unchecked')} ${said} (${by})</p>`,
  };
  return found[String(check)] ?? '';
};

/** How far a backup or a check is, as a bar and in words. */
function progressOf(translate: Translate, { step, done, total }: Item): Content {
  if (step === null) return '';
  const name = wordFor(translate, 'value', String(step));
  if (total === null) return html`<p><label>${name} <progress></progress></label></p>`;
  const share = `${Math.floor((100 * Number(done)) / Number(total))} %`;
  return html`<p><label>${labelled(translate, name, share)}
<progress value="${String(done)}" max="${String(total)}"></progress></label></p>`;
}

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
    const { from, madeAt, rows, images, to, present, commands } = plan;
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
<pre id="restore" tabindex="0">${commands.join('\n')}</pre>
<p><button type="button" data-copy="restore">${translate('app.copy')}</button></p>`;
    return show(c, { title, content });
  });
  app.get('/backups/:key/archive', async (c: Context<ConsoleEnv>) => {
    assertConfirmed(c.get('admin').confirmedAt, deps.clock());
    const path = `/backups/${segmentOf(c.req.param('key')!)}/archive`;
    const { body, headers } = await apiFor(deps, c).stream(path);
    return c.body(body!, 200, {
      'Content-Type': headers.get('content-type')!,
      'Content-Disposition': headers.get('content-disposition')!,
    });
  });
  return app;
}
