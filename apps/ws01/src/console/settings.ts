import { type Context, Hono } from 'hono';
import { html } from 'hono/html';
import { Ws01Error } from '../contract/errors.ts';
import { assertConfirmed } from '../domain/admins/sessions.ts';
import { apiFor } from './api-client.ts';
import { type FormState, formField, formProblem } from './fields.ts';
import { formText } from './forms.ts';
import { type Content, type Html, type Show, time } from './layout.ts';
import { segmentOf } from './paths.ts';
import { success } from './sign-in-pages.ts';
import { goOnTelling } from './told-once.ts';
import { shown, wordFor } from './values.ts';
import { type ConsoleDeps, type ConsoleEnv, HOME } from './visit.ts';

type C = Context<ConsoleEnv>;

/** A setting as the API answers it. */
interface Setting {
  readonly variable: string;
  readonly value: string | null;
  readonly default: string;
  readonly documentation: string;
  readonly isFixed: boolean;
  readonly isSecret: boolean;
  readonly changedAt: string | null;
  readonly changedBy: string | null;
}

const LIST = `${HOME}/settings`;
const pathOf = (variable: string) => `${LIST}/${segmentOf(variable)}`;

/** The settings: those that may be changed here, each with its form, and those that the environment fixes. */
export function settingsRoutes(deps: ConsoleDeps, show: Show): Hono<ConsoleEnv> {
  const app = new Hono<ConsoleEnv>();
  const all = async (c: C) =>
    (await apiFor(deps, c).get<{ items: readonly Setting[] }>('/settings')).items;
  const one = async (c: C): Promise<Setting> => {
    const found = (await all(c)).find(({ variable }) => variable === c.req.param('variable'));
    if (found !== undefined) return found;
    throw new Ws01Error('NotFound', 'This page does not exist.');
  };

  app.get('/settings', async (c) => {
    const title = wordFor(c.get('visit').translate, 'kind', 'settings');
    return show(c, { title, content: listOf(c, await all(c)) });
  });

  app.get('/settings/:variable', async (c) => {
    const setting = await one(c);
    confirmFor(deps, c, setting);
    const content = settingPage(c, setting, { values: { value: setting.value } });
    return show(c, { title: setting.variable, content });
  });

  app.post('/settings/:variable', async (c) => {
    const before = await one(c);
    confirmFor(deps, c, before);
    const isCleared = (await formText(c, 'clear')) === 'yes';
    const text = isCleared ? '' : await formText(c, fieldOf(before));
    // A secret is not shown, so nothing typed is nothing changed.
    if (before.isSecret && text.trim() === '' && !isCleared) return c.redirect(LIST, 303);
    const value = text.trim() === '' ? null : text.trim();
    try {
      const { variable } = before;
      await apiFor(deps, c).send('patch', `/settings/${segmentOf(variable)}`, { value });
      return (await goOnTelling(deps, c, LIST, told(c, before)))!;
    } catch (error) {
      if (!(error instanceof Ws01Error) || error.code === 'Internal') throw error;
      const content = settingPage(c, before, { values: { value: text }, refusal: error });
      return show(c, { title: before.variable, content }, 400);
    }
  });
  return app;
}

/** The field with the value. A form with a password is never kept over a sign-in. */
const fieldOf = ({ isSecret }: Setting) => (isSecret ? 'password' : 'value');

/** @throws {Ws01Error} `Unauthenticated` where a secret is changed by a session that must sign in once more. */
function confirmFor({ clock }: ConsoleDeps, c: C, { isSecret, isFixed }: Setting): void {
  if (isSecret && !isFixed) assertConfirmed(c.get('admin').confirmedAt, clock());
}

function listOf(c: C, settings: readonly Setting[]): Html {
  const { translate } = c.get('visit');
  const [open, fixed] = [false, true].map((is) => settings.filter(({ isFixed }) => isFixed === is));
  return html`<section aria-labelledby="open"><h2 id="open">${translate('settings.open')}</h2>
<p class="hint">${translate('settings.hint')}</p>
<ul class="hits">${open!.map((setting) => entry(c, setting))}</ul></section>
<section aria-labelledby="fixed"><h2 id="fixed">${translate('settings.fixed')}</h2>
<p class="hint">${translate('settings.fixedHint')}</p>
<details><summary>${translate('settings.all', { count: fixed!.length })}</summary>
<ul class="hits">${fixed!.map((setting) => entry(c, setting))}</ul></details></section>
<p><a href="${LIST}.csv">${translate('list.csv')}</a></p>`;
}

/** A setting in the list: its value, what it is for, and who changed it. */
function entry(c: C, setting: Setting): Html {
  const { translate } = c.get('visit');
  const part = (name: 'value' | 'default' | 'documentation') =>
    shown(translate, name, undefined, setting[name]);
  const changed =
    setting.changedAt === null
      ? ''
      : html` · ${wordFor(translate, 'field', 'changedAt')}: ${time(setting.changedAt)} ${setting.changedBy ?? ''}`;
  return html`<li><a href="${pathOf(setting.variable)}">${setting.variable}</a> <strong>${part('value')}</strong>
<p class="hint">${part('documentation')}
${wordFor(translate, 'field', 'default')}: ${part('default')}${changed}</p></li>`;
}

/** The page of one setting, with its form unless the environment fixes it. */
function settingPage(c: C, setting: Setting, state: FormState): Html {
  const { translate } = c.get('visit');
  const { variable, documentation } = setting;
  const usual = shown(translate, 'default', undefined, setting.default);
  const fallback = html`<p>${wordFor(translate, 'field', 'default')}: ${usual}</p>`;
  const about = html`<p class="hint"><a href="${LIST}">${wordFor(translate, 'kind', 'settings')}</a></p>
<p>${shown(translate, 'documentation', undefined, documentation)}</p>${fallback}`;
  if (setting.isFixed)
    return html`${about}<p class="notice">${translate('settings.fixedHint')}</p>`;
  const field = { kind: 'settings', name: fieldOf(setting), isRequired: false };
  const shownState = setting.isSecret ? { ...state, values: {} } : state;
  return html`${formProblem(c, setting.isSecret ? [] : ['value'], state)}${about}
<form method="post" action="${pathOf(variable)}" class="narrow">
${formField(c, { ...field, schema: { type: 'string', maxLength: 2_048 } }, shownState)}
<p class="hint">${translate(setting.isSecret ? 'settings.secret' : 'settings.empty')}</p>
<div class="tools"><button class="primary">${translate('settings.change')}</button>
${setting.isSecret ? html`<button name="clear" value="yes">${translate('settings.clear')}</button>` : ''}
<a class="button" href="${LIST}">${translate('app.cancel')}</a></div>
</form>
<p><a href="${HOME}/audit?targetKey=${variable}">${translate('detail.history')}</a></p>`;
}

/** Says what was changed, with a button that puts the value back that it had before. */
function told(c: C, { variable, value, changedAt, isSecret }: Setting): Content {
  const { translate } = c.get('visit');
  if (isSecret) return success(translate('settings.done', { name: variable }));
  const before = changedAt === null ? '' : (value ?? '');
  return html`${success(translate('settings.done', { name: variable }))}
<form method="post" action="${pathOf(variable)}" class="tools">
<input type="hidden" name="value" value="${before}"><button>${translate('act.undo')}</button></form>`;
}
