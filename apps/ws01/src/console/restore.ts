import { type Context, Hono } from 'hono';
import { html } from 'hono/html';
import type { Item } from '../api/kind.ts';
import { Ws01Error } from '../contract/errors.ts';
import { assertConfirmed } from '../domain/admins/sessions.ts';
import { type ApiClient, apiFor } from './api-client.ts';
import { confirmationField } from './confirmation.ts';
import { doOnce, onceField } from './done-once.ts';
import { errorPart } from './errors.ts';
import { formField } from './fields.ts';
import { type ConsolePageDeps, type Html, time } from './layout.ts';
import { segmentOf } from './paths.ts';
import { problem, success } from './sign-in-pages.ts';
import { dataTable } from './tables.ts';
import type { TextKey } from './texts/en.ts';
import { type ConsoleEnv, HOME } from './visit.ts';

type C = Context<ConsoleEnv>;

/** What a restore would do, as the API says it. */
interface Plan {
  readonly from: string;
  readonly madeAt: string | null;
  readonly rows: number | null;
  readonly images: number | null;
  readonly to: string;
  readonly present: string | null;
  readonly commands: readonly string[];
  /** Why the service does not do it itself. */
  readonly hindrance: string | null;
}

/** How far a restore is, as the API says it. */
interface Progress {
  readonly step: string;
  readonly undo: string | null;
  readonly undoId: string | null;
  readonly cancelled: number | null;
  readonly fault: string | null;
}

/** After how many seconds a page loads again that shows how far a restore is. */
const RELOAD_S = 2;

const pathOf = (c: C) => `/backups/${segmentOf(c.req.param('key')!)}/restore`;

/** The page that shows what a restore of a backup would do, and has it done. */
export function restoreRoutes(deps: ConsolePageDeps): Hono<ConsoleEnv> {
  const app = new Hono<ConsoleEnv>();
  app.use('/backups/:key/restore', async (c, next) => {
    if (c.get('admin').role !== 'owner')
      throw new Ws01Error('Forbidden', 'Your role does not allow this.');
    return next();
  });
  const showPlan = async (c: C, mistyped?: { readonly reason: string }) => {
    const { translate } = c.get('visit');
    const api = apiFor(deps, c);
    const { progress } = await api.get<{ progress: Progress | null }>(`${pathOf(c)}/progress`);
    const title = translate('restore.title');
    if (progress !== null && progress.step !== 'done' && progress.step !== 'failed') {
      c.header('Refresh', String(RELOAD_S));
      return deps.show(c, { title, content: underWay(c, progress) });
    }
    const content = html`${progress === null ? '' : ended(c, progress)}
${await planPart(c, api, mistyped)}`;
    return deps.show(c, { title, content }, mistyped === undefined ? 200 : 400);
  };
  app.get('/backups/:key/restore', (c) => showPlan(c));
  app.post('/backups/:key/restore', async (c) => {
    assertConfirmed(c.get('admin').confirmedAt, deps.clock());
    const form = await c.req.parseBody();
    const [name = '', reason = ''] = ['typed', 'b-reason'].map((field) =>
      String(form[field] ?? '').trim(),
    );
    const { name: called } = await apiFor(deps, c).get(`/backups/${segmentOf(c.req.param('key'))}`);
    if (name !== called) return showPlan(c, { reason });
    const body = { name, ...(reason === '' ? {} : { reason }) };
    const answered = await doOnce(deps, form, async () => {
      await apiFor(deps, c).send('post', pathOf(c), body);
      return { isDone: true, answer: () => c.redirect(`${HOME}${pathOf(c)}`, 303) };
    });
    return answered ?? c.redirect(`${HOME}${pathOf(c)}`, 303);
  });
  app.get('/backups/:key/archive', async (c: C) => {
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

/** How far it is. From the second step on the service is closed, and says so by itself. */
function underWay(c: C, { step }: Progress): Html {
  const { translate } = c.get('visit');
  const isChecked = step === 'checking';
  return html`<p class="notice" role="status">${translate(isChecked ? 'restore.checking' : 'restore.closing')}</p>
<p><label>${translate('restore.title')} <progress></progress></label></p>`;
}

/** How the last one ended. */
function ended(c: C, { step, undo, undoId, cancelled, fault }: Progress): Html {
  const { translate } = c.get('visit');
  const link =
    undoId === null ? '' : html`<a href="${HOME}/backups/${segmentOf(undoId)}">${undo}</a>`;
  if (step === 'failed')
    return html`${problem(html`${translate('restore.failed')} <span lang="en">${fault}</span>`)}`;
  const mails =
    cancelled === null || cancelled === 0
      ? ''
      : html`<p class="notice">${translate('restore.cancelled', { count: cancelled })}
<a href="${HOME}/mails?status=cancelled">${translate('restore.cancelledMails')}</a></p>`;
  return html`${success(html`${translate('restore.done')} ${link}`)}${mails}`;
}

async function planPart(
  c: C,
  api: ApiClient,
  mistyped: { readonly reason: string } | undefined,
): Promise<Html> {
  const { translate } = c.get('visit');
  const plan = await api.get<Plan>(pathOf(c));
  const { from, madeAt, rows, images, to, present, commands, hindrance } = plan;
  const typed = html`<pre id="restore" tabindex="0">${commands.join('\n')}</pre>
<p><button type="button" data-copy="restore">${translate('app.copy')}</button></p>`;
  const table = dataTable(
    translate('restore.title'),
    ['', translate('restore.from'), translate('restore.to')],
    [
      [translate('restore.place'), from, to],
      [translate('restore.made'), time(madeAt), translate('detail.now')],
      [translate('restore.rows'), String(rows ?? '–'), present ?? '–'],
      [translate('kind.images'), String(images ?? '–'), translate('restore.stay')],
    ],
  );
  if (hindrance === null) {
    const item = await api.get(`/backups/${segmentOf(c.req.param('key')!)}`);
    return html`<p>${translate('restore.about')}</p>${table}
${restoreForm(c, item, mistyped)}
<details><summary>${translate('restore.byCommand')}</summary>
<p>${translate('restore.stopped')}</p>${typed}</details>`;
  }
  const why = errorPart(c.get('visit'), new Ws01Error('Busy', hindrance));
  return html`<p>${translate('restore.nothing')}</p>${table}
<h2>${translate('restore.how')}</h2><p class="notice">${why}</p>
<p>${translate('restore.stopped')}</p>${typed}`;
}

const MEANS = [
  'restore.lost',
  'restore.again',
  'restore.waiting',
  'restore.away',
] as const satisfies readonly TextKey[];

function restoreForm(
  c: C,
  { id, name }: Item,
  mistyped: { readonly reason: string } | undefined,
): Html {
  const { translate } = c.get('visit');
  const reason = { type: 'string', maxLength: 200 };
  const field = { kind: 'backups', name: 'reason', prefix: 'b-', schema: reason };
  return html`<h2>${translate('restore.means')}</h2>
<ul>${MEANS.map((key) => html`<li>${translate(key)}</li>`)}</ul>
<form method="post" action="${HOME}/backups/${segmentOf(String(id))}/restore" class="narrow" novalidate>${onceField()}
${formField(c, { ...field, isRequired: false }, { values: { ...mistyped } })}
${confirmationField(translate, String(name), mistyped !== undefined)}
<div class="tools"><button class="danger final">${translate('restore.do')}</button>
<a class="button" href="${HOME}/backups/${segmentOf(String(id))}">${translate('app.cancel')}</a></div></form>`;
}
