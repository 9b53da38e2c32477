import type { Context } from 'hono';
import { html, raw } from 'hono/html';
import type { Scope } from '../contract/parameters.ts';
import { isSeen } from '../domain/values/unseen.ts';
import type { SentForm } from './field-values.ts';
import type { Content } from './layout.ts';
import type { TextKey } from './texts/en.ts';
import type { ConsoleEnv } from './visit.ts';

/** What apps need, by what they do. */
const PRESETS = {
  reads: { text: 'preset.reads', scopes: ['read'] },
  writes: {
    text: 'preset.writes',
    scopes: ['articles', 'adverts', 'images', 'users', 'phone', 'counts'],
  },
  pushes: { text: 'preset.pushes', scopes: ['articles', 'images'] },
  mails: { text: 'preset.mails', scopes: ['mail'] },
} as const satisfies Record<string, { readonly text: TextKey; readonly scopes: readonly Scope[] }>;

/** The field of the form that names one. */
const FIELD = 'app';

type C = Context<ConsoleEnv>;
type Preset = keyof typeof PRESETS;
const NAMES = Object.keys(PRESETS) as Preset[];

/**
 * A form with the scopes that its app needs, where none was chosen, and with what the app is, where
 * it has no name.
 */
export function withPreset(c: C, kind: string, form: SentForm): SentForm {
  const chosen = kind === 'tokens' ? NAMES.find((name) => name === form[FIELD]) : undefined;
  if (chosen === undefined) return form;
  const { text, scopes } = PRESETS[chosen];
  const label = isSeen(String(form.label ?? '')) ? form.label : c.get('visit').translate(text);
  return { ...form, label, scopes: form.scopes ?? scopes };
}

/**
 * Asks what the app is, which says what its token may do; who knows that better chooses it below.
 */
export function presetPart(c: C, kind: string, form: SentForm): Content {
  if (kind !== 'tokens') return '';
  const { translate } = c.get('visit');
  const chosen = NAMES.find((name) => name === form[FIELD]);
  const choice = (name: Preset | undefined) => {
    const text = name === undefined ? 'preset.other' : PRESETS[name].text;
    // What a program calls them is what the boxes below say.
    const scopes = name === undefined ? '' : html` <code>${PRESETS[name].scopes.join(', ')}</code>`;
    const checked = name === chosen ? raw(' checked') : '';
    return html`<label class="choice">
<input type="radio" name="${FIELD}" value="${name ?? ''}"${checked}>
<span>${translate(text)}${scopes}</span></label>`;
  };
  return html`<fieldset aria-describedby="app-hint"><legend>${translate('preset.title')}</legend>
${[undefined, ...NAMES].map(choice)}<p class="hint" id="app-hint">${translate('preset.about')}</p></fieldset>`;
}
