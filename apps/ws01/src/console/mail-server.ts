import { type Context, Hono } from 'hono';
import { html } from 'hono/html';
import type { Item } from '../api/kind.ts';
import { MAIL_SERVER, TRIAL_TO } from '../api/mail-server-routes.ts';
import { invalid } from '../api/problem.ts';
import { Ws01Error } from '../contract/errors.ts';
import { assertConfirmed } from '../domain/admins/sessions.ts';
import { parseAddress } from '../domain/values/email-address.ts';
import { bodyOf, hidden, readValues, takenMembers } from './act-form.ts';
import { type ApiClient, apiFor } from './api-client.ts';
import { conflictPart, theirsButton, withoutTheirs } from './conflicts.ts';
import { putTrialCookie, trialCookie } from './cookies.ts';
import { doOnce, onceField } from './done-once.ts';
import type { SentForm } from './field-values.ts';
import { type FormState, formField, formProblem } from './fields.ts';
import { icon } from './icons.ts';
import type { ConsolePageDeps, Content, Html } from './layout.ts';
import { mailHealth } from './mail-health.ts';
import { meaningOfTrial, notSentPart, replyPart } from './replies.ts';
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

/** What the page shows: the server as it is, and its form. */
interface Shown {
  readonly item: Item;
  readonly form: FormState;
}

/** The port of each encryption, where none is given. */
const PORTS: Readonly<Record<string, number>> = { tls: 465 };
const portOf = (security: unknown): number => PORTS[String(security)] ?? 587;

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
    page(c, { item: await present(c), form: { values: { to: trialCookie(c) } } }),
  );

  /** @returns what came of a test mail, as the page tells it. */
  const tried = async (c: C, to: string): Promise<Content> => {
    putTrialCookie(c, to);
    return trialPart(c, await apiFor(deps, c).send<Trial>('post', '/mail-server/test', { to }));
  };

  const save = async (c: C, form: SentForm, isTried: boolean): Promise<Response> => {
    const { translate, timeZone } = c.get('visit');
    const { item: before, version } = await read(c);
    const verb = { body: MAIL_SERVER };
    const body: Record<string, unknown> = bodyOf(form, verb, timeZone);
    // The port of one encryption is not that of another.
    const isOther = 'security' in body && body.security !== before.security;
    if (isOther && !('port' in body) && before.port === portOf(before.security)) body.port = null;
    const password = typeof form.password === 'string' ? form.password : '';
    const sent = Object.keys(MAIL_SERVER).filter((name) => `b-${name}` in form);
    const to = String(form.to ?? '').trim();
    const values = { ...Object.fromEntries(sent.map((name) => [name, form[`b-${name}`]])), to };
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
      const conflict = await conflictPart(c, apiFor(deps, c), 'SMTP_URL');
      return page(c, { item: before, form: { values, others, conflict } }, 409);
    }
    const edit = { ...body, ...(password === '' ? {} : { password }) };
    const isSaved = Object.keys(edit).length > 0;
    const isNobody = isTried && parseAddress(to).kind !== 'address';
    const [refusal, ...further] = [
      ...(await refusalsOf(apiFor(deps, c), '/mail-server', edit)),
      ...(isNobody ? [invalid('to', 'to must be one e-mail address.')] : []),
    ];
    if (refusal !== undefined)
      return page(c, { item: before, form: { values, refusal, further } }, 400);
    try {
      const { changed } = isSaved
        ? await apiFor(deps, c).send('patch', '/mail-server', edit, version)
        : { changed: false };
      const way = changed ? undoOf(c, before, Object.keys(edit)) : '';
      if (isTried) {
        const saved = changed ? success(translate('mailServer.saved')) : '';
        const told = html`${saved}${way}${await tried(c, to)}`;
        return (
          (await goOnTelling(deps, c, PATH, told)) ??
          showServer(
            c,
            html`${told}${mailServerPage(c, { item: await present(c), form: { values: { to } } })}`,
          )
        );
      }
      const told = changed
        ? html`${success(translate('mailServer.done'))}${way}`
        : nothingDone(translate('act.unchanged'));
      return (await goOnTelling(deps, c, PATH, told))!;
    } catch (error) {
      if (!(error instanceof Ws01Error) || error.code === 'Internal') throw error;
      // Somebody saved between the two: looked at again.
      if (error.parameter === 'If-Match') return save(c, form, isTried);
      return page(c, { item: await present(c), form: { values, refusal: error } }, 400);
    }
  };
  app.post('/settings/SMTP_URL', async (c) =>
    save(c, withoutTheirs(await c.req.parseBody()), false),
  );

  app.post('/settings/SMTP_URL/test', async (c) => {
    const form: SentForm = await c.req.parseBody();
    const answered = await doOnce(deps, form, async () => {
      const response = await save(c, form, true);
      return { isDone: response.status < 400, answer: () => response };
    });
    return answered ?? c.redirect(PATH, 303);
  });
  return app;
}

/** Everything that a change would be refused for: what is refused is left out, and the rest asked about again. */
async function refusalsOf(api: ApiClient, path: string, edit: object): Promise<Ws01Error[]> {
  const found: Ws01Error[] = [];
  let rest: Readonly<Record<string, unknown>> = { ...edit };
  while (Object.keys(rest).length > 0)
    try {
      await api.send('patch', `${path}?preview=true`, rest);
      return found;
    } catch (error) {
      if (!(error instanceof Ws01Error) || error.code === 'Internal') throw error;
      found.push(error);
      const { [error.parameter ?? '']: refused, ...others } = rest;
      if (refused === undefined) return found;
      rest = others;
    }
  return found;
}

function mailServerPage(c: C, { item, form }: Shown): Html {
  const { translate } = c.get('visit');
  return html`<p class="hint"><code>SMTP_URL</code> <code>MAIL_FROM</code></p>
<p>${translate(item.host === null ? 'mailServer.none' : 'mailServer.about')}</p>
${item.isFixed === true ? fixedPart(c, 'SMTP_URL') : ''}
${serverForm(c, item, form)}
<p><a href="${HOME}/audit?targetKey=SMTP_URL">${translate('detail.history')}</a></p>`;
}

function serverForm(c: C, item: Item, state: FormState): Html {
  const { translate } = c.get('visit');
  const members = Object.entries(MAIL_SERVER).filter(([name]) =>
    name === 'sender' ? item.isSenderFixed !== true : item.isFixed !== true,
  );
  const isFixed = members.length === 0;
  const values = { ...item, ...state.values };
  const names = [...members.map(([name]) => name), 'password', 'to'];
  const secret = { type: 'string', maxLength: 1_024 };
  const password = formField(
    c,
    { kind: KIND, name: 'password', schema: secret, isRequired: false },
    { ...state, values: {} },
  );
  const kept = translate(item.hasPassword === true ? 'mailServer.kept' : 'mailServer.noPassword');
  return html`${formProblem(c, names, state)}${state.conflict ?? ''}
<form method="post" action="${PATH}" class="narrow" novalidate>${onceField()}
${readValues(c, members, { item, version: undefined })}${members.map(([name, schema]) => {
  const field = { kind: KIND, name, prefix: 'b-', schema, isRequired: false };
  const shownField = formField(c, field, { ...state, values });
  return name === 'user' ? html`${shownField}${password}<p class="hint">${kept}</p>` : shownField;
})}
${formField(c, { kind: KIND, name: 'to', schema: TRIAL_TO, isRequired: false }, { ...state, values })}
<div class="tools save">${isFixed ? '' : html`<button>${translate('act.save')}</button>${theirsButton(c, state)}`}
<button class="primary" formaction="${PATH}/test">${translate(isFixed ? 'mailServer.send' : 'mailServer.saveAndSend')}</button>
<a class="button" href="${HOME}/settings">${translate('app.cancel')}</a></div></form>`;
}

/** What the server said to a test mail. */
function trialPart(c: C, { isSent, reply, dialogue }: Trial): Html {
  const { translate } = c.get('visit');
  const meaning = isSent ? undefined : meaningOfTrial(reply);
  const said = isSent
    ? html`${translate('mailServer.sent')} ${replyPart(c, reply)}`
    : notSentPart(c, reply);
  // What a fault means is said; what the server said of it stands with all else that it said.
  const lines = [...dialogue, ...(meaning === undefined ? [] : [reply])].join('\n');
  const whole =
    lines === ''
      ? ''
      : html`<details><summary>${translate('mailServer.dialogue')}</summary>
<pre tabindex="0" lang="en">${lines}</pre></details>`;
  return html`${isSent ? success(said) : problem(said)}${whole}`;
}

/**
 * A button that brings back what was there before, where that needs no password, which nobody has
 * any more.
 */
function undoOf(c: C, before: Item, changed: readonly string[]): Content {
  const needsPassword = ['host', 'user', 'password'].some((name) => changed.includes(name));
  if (needsPassword && before.host !== null) return '';
  const names = before.host === null ? ['host'] : changed;
  return html`<form method="post" action="${PATH}" class="tools">
${names.map((name) => hidden(`b-${name}`, String(before[name] ?? '')))}
<button>${icon('app', 'undo')}${c.get('visit').translate('act.undo')}</button></form>`;
}
