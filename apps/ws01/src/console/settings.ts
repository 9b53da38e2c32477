import { type Context, Hono } from 'hono';
import { html, raw } from 'hono/html';
import { Ws01Error } from '../contract/errors.ts';
import type { Language } from '../web/language.ts';
import { hidden } from './act-form.ts';
import { apiFor } from './api-client.ts';
import { conflictPart, THEIRS, theirsButton } from './conflicts.ts';
import { type FormState, formField, formProblem } from './fields.ts';
import { formText } from './forms.ts';
import { icon } from './icons.ts';
import { labelled } from './labelled.ts';
import type { Translate } from './language.ts';
import { type ConsolePageDeps, type Content, type Html, time } from './layout.ts';
import { segmentOf } from './paths.ts';
import { success } from './sign-in-pages.ts';
import { SETTING_GROUPS, SETTING_TEXTS } from './texts/settings.ts';
import { goOnTelling } from './told-once.ts';
import { marked, shown, wordFor } from './values.ts';
import { type ConsoleEnv, HOME } from './visit.ts';
import { wayToList } from './way.ts';

type C = Context<ConsoleEnv>;

/** A setting as the API answers it. */
interface Setting {
  readonly variable: string;
  readonly value: string | null;
  readonly default: string;
  readonly documentation: string;
  readonly isFixed: boolean;
  readonly changedAt: string | null;
  readonly changedBy: string | null;
}

interface ReadSetting {
  readonly setting: Setting;
  readonly version: string | undefined;
}

interface Previewed {
  readonly samples: readonly string[];
}

const LIST = `${HOME}/settings`;
const pathOf = (variable: string) => `${LIST}/${segmentOf(variable)}`;

/**
 * The settings: those that may be changed here, each with its form, and those that the environment
 * fixes.
 */
export function settingsRoutes(deps: ConsolePageDeps): Hono<ConsoleEnv> {
  const { show } = deps;
  const app = new Hono<ConsoleEnv>();
  const all = async (c: C) =>
    (await apiFor(deps, c).get<{ items: readonly Setting[] }>('/settings')).items;
  const one = async (c: C): Promise<ReadSetting> => {
    const path = `/settings/${segmentOf(c.req.param('variable')!)}`;
    const { item, version } = await apiFor(deps, c).read(path);
    return { setting: item as unknown as Setting, version };
  };

  /** What the service writes by a setting, if that is a text, filled in with a sample. */
  const samplesOf = async (c: C, { variable, isFixed }: Setting, value: string | null) => {
    if (isFixed) return [];
    const path = `/settings/${segmentOf(variable)}?preview=true`;
    const { samples } = await apiFor(deps, c).send<Previewed>('patch', path, { value });
    return samples;
  };

  app.get('/settings', async (c) => {
    const title = wordFor(c.get('visit').translate, 'kind', 'settings');
    return show(c, { title, content: listOf(c, await all(c)) });
  });

  app.get('/settings/:variable', async (c) => {
    const read = await one(c);
    const { setting } = read;
    const stored = setting.changedAt === null ? null : setting.value;
    const samples = await samplesOf(c, setting, stored);
    const content = settingPage(c, read, { values: { value: setting.value } }, samples);
    return show(c, {
      title: calledIn(setting, c.get('visit').language),
      way: settingsWay(c),
      content,
    });
  });

  app.post('/settings/:variable', async (c) => {
    const { setting: before } = await one(c);
    const text = await formText(c, 'value');
    const value = text.trim() === '' ? null : text.trim();
    if ((await formText(c, THEIRS)) !== '') {
      const kept = success(c.get('visit').translate('form.theirsKept'));
      return (await goOnTelling(deps, c, LIST, kept))!;
    }
    const isPreview = (await formText(c, 'preview')) === 'yes';
    const title = calledIn(before, c.get('visit').language);
    const path = `/settings/${segmentOf(before.variable)}`;
    // Who opened the form with what somebody else has changed meanwhile is shown both, and sends
    // it once more.
    const opened = (await formText(c, 'version')) || undefined;
    try {
      if (isPreview) {
        const samples = await samplesOf(c, before, value);
        const seen = { setting: before, version: opened };
        const content = settingPage(c, seen, { values: { value: text } }, samples);
        return show(c, { title, way: settingsWay(c), content });
      }
      const { version } = await apiFor(deps, c).send('patch', path, { value }, opened);
      return (await goOnTelling(deps, c, LIST, told(c, before, version)))!;
    } catch (error) {
      if (!(error instanceof Ws01Error) || error.code === 'Internal') throw error;
      const samples = await samplesOf(c, before, null);
      const isTaken = error.parameter === 'If-Match';
      const seen = isTaken ? await one(c) : { setting: before, version: opened };
      const state = isTaken
        ? {
            others: { value: valueShown(c, seen.setting) },
            conflict: await conflictPart(c, apiFor(deps, c), before.variable),
          }
        : { refusal: error };
      const content = settingPage(c, seen, { values: { value: text }, ...state }, samples);
      return show(c, { title, way: settingsWay(c), content }, isTaken ? 409 : 400);
    }
  });
  return app;
}

function listOf(c: C, settings: readonly Setting[]): Html {
  const { translate, language } = c.get('visit');
  const words = (c.req.query('q') ?? '').trim();
  const search = html`<form class="filters" action="${LIST}">
<div><label for="f-q">${translate('settings.search')}</label>
<input id="f-q" name="q" type="search" value="${words}" maxlength="200"></div>
<button>${icon('app', 'filter')}${translate('list.filter')}</button></form>`;
  const byVariable = new Map(settings.map((setting) => [setting.variable, setting]));
  const groups = SETTING_GROUPS.map((group) => {
    const found = Object.keys(group.settings)
      .map((variable) => byVariable.get(variable))
      .filter((one): one is Setting => one !== undefined && isAbout(one, words))
      // What can be changed here comes first.
      .toSorted((one, other) => Number(one.isFixed) - Number(other.isFixed));
    // What most sites set is seen at once; whoever searches sees all that was found.
    const isOpen = group === SETTING_GROUPS[0] || words !== '';
    return found.length === 0
      ? ''
      : html`<details class="group"${isOpen ? raw(' open') : ''}><summary><h2>${group[language]}</h2>
<span class="hint">${found.length}</span></summary>
<ul class="settings">${found.map((setting) => entry(c, setting))}</ul></details>`;
  });
  const none = groups.every((group) => group === '') ? translate('list.empty') : '';
  return html`<p class="hint">${translate('settings.hint')} ${translate('settings.fixedHint')}</p>
${search}${none}${groups}
<p><a href="${LIST}.csv">${translate('list.csv')}</a></p>`;
}

/** Whether the words of a search are in what is said of a setting, in either language. */
function isAbout({ variable, value, documentation }: Setting, words: string): boolean {
  const texts = [variable, value ?? '', documentation, ...(SETTING_TEXTS[variable] ?? [])];
  const said = texts.join('\n').toLowerCase();
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => said.includes(word));
}

/** What the API has in the place of a value of which nothing is shown. */
const HIDDEN = '(set, not shown)';

function valueShown(c: C, { value }: Setting): Content {
  const { translate } = c.get('visit');
  return value === HIDDEN
    ? translate('settings.hidden')
    : shown({ translate }, 'value', undefined, value);
}

/**
 * What a setting is called, in the language of the page; one without a name has that of its
 * variable.
 */
const calledIn = ({ variable }: Setting, language: Language): string =>
  SETTING_TEXTS[variable]?.[language === 'zh' ? 1 : 0] ?? variable;

/** What a setting is for, or its default, in the language of the page. */
function saidIn(c: C, setting: Setting, name: 'documentation' | 'default'): Content {
  const { translate, language } = c.get('visit');
  const chinese = SETTING_TEXTS[setting.variable]?.[name === 'default' ? 3 : 2];
  return language === 'zh' && chinese !== undefined
    ? marked(chinese)
    : shown({ translate }, name, undefined, setting[name]);
}

/** A setting in the list: its value, what it is for, and who changed it. */
function entry(c: C, setting: Setting): Html {
  const { translate, language } = c.get('visit');
  const { variable, isFixed, changedAt, changedBy } = setting;
  const changed =
    changedAt === null
      ? ''
      : html`<br>${fieldPart(translate, 'changedAt', time(changedAt))} ${changedBy ?? ''}`;
  const fixed = isFixed ? html`<span class="tag">${translate('settings.fixed')}</span>` : '';
  return html`<li><div><a href="${pathOf(variable)}">${calledIn(setting, language)}</a>
<code>${variable}</code><p class="hint">${saidIn(c, setting, 'documentation')}${changed}</p></div>
<div><strong>${valueShown(c, setting)}</strong> ${fixed}
<p class="hint">${fieldPart(translate, 'default', saidIn(c, setting, 'default'))}</p></div></li>`;
}

const fieldPart = (translate: Translate, name: string, value: Content): Content =>
  labelled(translate, wordFor(translate, 'field', name), value);

/** The page of one setting, with its form unless the environment fixes it. */
function settingPage(
  c: C,
  { setting, version }: ReadSetting,
  state: FormState,
  samples: readonly string[],
): Html {
  const { translate } = c.get('visit');
  const { variable } = setting;
  const fallback = fieldPart(translate, 'default', saidIn(c, setting, 'default'));
  const about = html`<p class="hint"><code>${variable}</code></p>
<p>${saidIn(c, setting, 'documentation')}</p><p>${fallback}</p>`;
  if (setting.isFixed)
    return html`${about}<p>${fieldPart(
      translate,
      'value',
      html`<strong>${valueShown(c, setting)}</strong>`,
    )}</p>
${fixedPart(c, variable)}`;
  const isText = samples.length > 0;
  const schema = { type: 'string', maxLength: isText ? 4_096 : 2_048 };
  const field = { kind: 'settings', name: 'value', isRequired: false, schema };
  return html`${formProblem(c, ['value'], state)}${state.conflict ?? ''}${about}
<form method="post" action="${pathOf(variable)}" class="narrow">
${versionField(version)}${formField(c, field, state)}
<p class="hint">${translate('settings.empty')}</p>
<div class="tools"><button class="primary">${translate('settings.change')}</button>${theirsButton(c, state)}
${isText ? html`<button name="preview" value="yes">${translate('settings.preview')}</button>` : ''}
<a class="button" href="${LIST}">${translate('app.cancel')}</a></div>
</form>
${isText ? samplesPart(c, samples) : ''}
<p><a href="${HOME}/audit?targetKey=${variable}">${translate('detail.history')}</a></p>`;
}

/** The way back from a setting to all of them. */
export const settingsWay = (c: C): Html => wayToList(c, { name: 'settings' });

/** How a setting is changed that is fixed at the start: the line to write, and the restart. */
export const fixedPart = (c: C, variable: string): Html =>
  html`<p class="notice">${c.get('visit').translate('settings.fixedHow')}</p>
<pre tabindex="0" lang="en">${variable}=…
systemctl restart ws01</pre>`;

function samplesPart(c: C, samples: readonly string[]): Html {
  const { translate } = c.get('visit');
  return html`<section aria-labelledby="sample"><h2 id="sample">${translate('settings.sample')}</h2>
${samples.map((text) => html`<pre tabindex="0">${text}</pre>`)}</section>`;
}

/** What a form was opened with: a change of it is of that version alone. */
const versionField = (version: string | undefined) =>
  version === undefined ? '' : hidden('version', version);

/** Says what was changed, with a button that puts the value back that it had before. */
function told(c: C, setting: Setting, version: string | undefined): Content {
  const { translate, language } = c.get('visit');
  const { variable, value, changedAt } = setting;
  const done = success(translate('settings.done', { name: calledIn(setting, language) }));
  const before = changedAt === null ? '' : (value ?? '');
  return html`${done}
<form method="post" action="${pathOf(variable)}" class="tools">
${versionField(version)}${hidden('value', before)}<button>${icon('app', 'undo')}${translate('act.undo')}</button></form>`;
}
