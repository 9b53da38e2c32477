import { type Context, Hono } from 'hono';
import { html } from 'hono/html';
import type { Item } from '../api/kind.ts';
import { MAIL_SERVER } from '../api/mail-server-routes.ts';
import { Ws01Error } from '../contract/errors.ts';
import { assertConfirmed } from '../domain/admins/sessions.ts';
import { bodyOf, hidden, readValues, takenMembers } from './act-form.ts';
import { apiFor } from './api-client.ts';
import { isFirst, onceField } from './done-once.ts';
import type { SentForm } from './field-values.ts';
import { type FormState, formField, formProblem } from './fields.ts';
import { icon } from './icons.ts';
import type { ConsolePageDeps, Content, Html } from './layout.ts';
import { mailHealth } from './mail-health.ts';
import { replyPart } from './replies.ts';
import { fixedPart, settingsWay } from './settings.ts';
import { nothingDone, problem, success } from './sign-in-pages.ts';
import { goOnTelling } from './told-once.ts';
import { shown } from './values.ts';
import { type ConsoleEnv, HOME } from './visit.ts';

type C = Context<ConsoleEnv>;

/** The page of the mail server: that of the setting which has it in one text. */
const PATH = `${HOME}/settings/SMTP_URL`;

const KIND = 'mail-server';

/** What came of a test mail. */
interface Trial {
  readonly isSent: boolean;
  readonly reply: string;
  readonly dialogue: readonly string[];
}

/** What the page shows: the server as it is, its form, and the one of a test. */
interface Shown {
  readonly item: Item;
  readonly form: FormState;
  readonly test: FormState;
}

const EMPTY: FormState = { values: {} };

/** The mail server as a form with fields, and a test of it. */
export function mailServerRoutes(deps: ConsolePageDeps): Hono<ConsoleEnv> {
  const { show } = deps;
  const app = new Hono<ConsoleEnv>();
  app.use('/settings/SMTP_URL/*', async (c, next) => {
    if (c.get('admin').role !== 'owner')
      throw new Ws01Error('Forbidden', 'Your role does not allow this.');
    assertConfirmed(c.get('admin').confirmedAt, deps.clock());
    return next();
  });
  const read = (c: C) => apiFor(deps, c).read('/mail-server');
  const present = async (c: C) => (await read(c)).item;
  const showServer = (c: C, content: Content, status?: 200 | 400 | 409) => {
    const { translate } = c.get('visit');
    return show(c, { title: translate('kind.mail-server'), way: settingsWay(c), content }, status);
  };
  const page = async (c: C, content: Shown, status: 200 | 400 | 409 = 200) => {
    const health = await mailHealth(c, apiFor(deps, c), deps.clock());
    return showServer(c, html`${mailServerPage(c, content)}${health}`, status);
  };

  app.get('/settings/SMTP_URL', async (c) =>
    page(c, { item: await present(c), form: EMPTY, test: EMPTY }),
  );

  const save = async (c: C, form: SentForm): Promise<Response> => {
    const { translate, timeZone } = c.get('visit');
    const { item: before, version } = await read(c);
    const verb = { body: MAIL_SERVER };
    const body = bodyOf(form, verb, timeZone);
    const password = typeof form.password === 'string' ? form.password : '';
    const sent = Object.keys(MAIL_SERVER).filter((name) => `b-${name}` in form);
    const values = Object.fromEntries(sent.map((name) => [name, form[`b-${name}`]]));
    // An undo was opened with nothing: it is of a moment ago.
    const opened = Object.keys(body).filter((name) => `was-${name}` in form);
    const taken = takenMembers(c, form, verb, opened, before);
    if (taken.length > 0) {
      const others = Object.fromEntries(
        taken.map((name) => [
          name,
          shown({ translate }, name, MAIL_SERVER[name as 'host'], before[name]),
        ]),
      );
      return page(c, { item: before, form: { values, others }, test: EMPTY }, 409);
    }
    try {
      const edit = { ...body, ...(password === '' ? {} : { password }) };
      const { changed } = await apiFor(deps, c).send('patch', '/mail-server', edit, version);
      const told = changed
        ? html`${success(translate('mailServer.done'))}${undoOf(c, before, Object.keys(edit))}`
        : nothingDone(translate('act.unchanged'));
      return (await goOnTelling(deps, c, PATH, told))!;
    } catch (error) {
      if (!(error instanceof Ws01Error) || error.code === 'Internal') throw error;
      // Somebody saved between the two: looked at again.
      if (error.parameter === 'If-Match') return save(c, form);
      return page(c, { item: before, form: { values, refusal: error }, test: EMPTY }, 400);
    }
  };
  app.post('/settings/SMTP_URL', async (c) => save(c, await c.req.parseBody()));

  app.post('/settings/SMTP_URL/test', async (c) => {
    const form: SentForm = await c.req.parseBody();
    const values = { to: form.to };
    try {
      if (!(await isFirst(deps, form))) return c.redirect(PATH, 303);
      const trial = await apiFor(deps, c).send<Trial>('post', '/mail-server/test', values);
      const told = trialPart(c, trial);
      const content = { item: await present(c), form: EMPTY, test: { values } };
      return (
        (await goOnTelling(deps, c, PATH, told)) ??
        showServer(c, html`${told}${mailServerPage(c, content)}`)
      );
    } catch (error) {
      if (!(error instanceof Ws01Error) || error.code === 'Internal') throw error;
      const test = { values, refusal: error };
      return page(c, { item: await present(c), form: EMPTY, test }, 400);
    }
  });
  return app;
}

function mailServerPage(c: C, { item, form, test }: Shown): Html {
  const { translate } = c.get('visit');
  return html`<p class="hint"><code>SMTP_URL</code> <code>MAIL_FROM</code></p>
<p>${translate(item.host === null ? 'mailServer.none' : 'mailServer.about')}</p>
${item.isFixed === true ? fixedPart(c, 'SMTP_URL') : ''}
${serverForm(c, item, form)}
${item.host === null ? '' : testForm(c, test)}
<p><a href="${HOME}/audit?targetKey=SMTP_URL">${translate('detail.history')}</a></p>`;
}

function serverForm(c: C, item: Item, state: FormState): Html | '' {
  const { translate } = c.get('visit');
  const members = Object.entries(MAIL_SERVER).filter(([name]) =>
    name === 'sender' ? item.isSenderFixed !== true : item.isFixed !== true,
  );
  if (members.length === 0) return '';
  const values = { ...item, ...state.values };
  const names = [...members.map(([name]) => name), 'password'];
  const conflict = state.others === undefined ? '' : problem(translate('form.conflict'));
  const secret = { type: 'string', maxLength: 1_024 };
  const password = formField(
    c,
    { kind: KIND, name: 'password', schema: secret, isRequired: false },
    { ...state, values: {} },
  );
  const kept = translate(item.hasPassword === true ? 'mailServer.kept' : 'mailServer.noPassword');
  return html`${formProblem(c, names, state)}${conflict}
<form method="post" action="${PATH}" class="narrow">
${readValues(c, members, { item, version: undefined })}${members.map(([name, schema]) => {
  const field = { kind: KIND, name, prefix: 'b-', schema, isRequired: false };
  const shownField = formField(c, field, { ...state, values });
  return name === 'user' ? html`${shownField}${password}<p class="hint">${kept}</p>` : shownField;
})}
<div class="tools save"><button class="primary">${translate('act.save')}</button>
<a class="button" href="${HOME}/settings">${translate('app.cancel')}</a></div></form>`;
}

function testForm(c: C, state: FormState): Html {
  const { translate } = c.get('visit');
  const schema = { type: 'string', maxLength: 320 };
  return html`<section aria-labelledby="test"><h2 id="test">${translate('mailServer.test')}</h2>
${formProblem(c, ['to'], state)}
<form method="post" action="${PATH}/test" class="narrow">${onceField()}
${formField(c, { kind: KIND, name: 'to', schema, isRequired: true }, state)}
<div class="tools"><button>${translate('mailServer.send')}</button></div></form></section>`;
}

/** What the server said to a test mail. */
function trialPart(c: C, { isSent, reply, dialogue }: Trial): Html {
  const { translate } = c.get('visit');
  const said = html`${translate(isSent ? 'mailServer.sent' : 'mailServer.notSent')}
${replyPart(c, reply)}`;
  const lines = dialogue.join('\n');
  const whole =
    lines === ''
      ? ''
      : html`<details><summary>${translate('mailServer.dialogue')}</summary>
<pre tabindex="0" lang="en">${lines}</pre></details>`;
  return html`${isSent ? success(said) : problem(said)}${whole}`;
}

/** A button that brings back what was there before, where that needs no password, which nobody has any more. */
function undoOf(c: C, before: Item, changed: readonly string[]): Content {
  const needsPassword = ['host', 'user', 'password'].some((name) => changed.includes(name));
  if (needsPassword && before.host !== null) return '';
  const names = before.host === null ? ['host'] : changed;
  return html`<form method="post" action="${PATH}" class="tools">
${names.map((name) => hidden(`b-${name}`, String(before[name] ?? '')))}
<button>${icon('app', 'undo')}${c.get('visit').translate('act.undo')}</button></form>`;
}
