import type { Context } from 'hono';
import { html } from 'hono/html';
import type { Scope } from '../contract/parameters.ts';
import type { Content } from './layout.ts';
import type { TextKey } from './texts/en.ts';
import { type ConsoleEnv, HOME } from './visit.ts';

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

/** The parameter of the form's address that names one. */
const PRESET = 'app';

type C = Context<ConsoleEnv>;
type Preset = keyof typeof PRESETS;

const chosenIn = (c: C): Preset | undefined =>
  (Object.keys(PRESETS) as Preset[]).find((name) => name === c.req.query(PRESET));

/** What the form of a new token has at first. */
export function presetOf(c: C, kind: string): Readonly<Record<string, unknown>> {
  const preset = kind === 'tokens' ? chosenIn(c) : undefined;
  return preset === undefined ? {} : { scopes: PRESETS[preset].scopes };
}

/** Asks what the app is, which chooses the scopes of its token; another choice of them stays free. */
export function presetPart(c: C, kind: string): Content {
  if (kind !== 'tokens') return '';
  const { translate } = c.get('visit');
  const chosen = chosenIn(c);
  const link = (name: Preset) =>
    html`<li><a class="chip" href="${HOME}/tokens/new?${PRESET}=${name}"${name === chosen ? html` aria-current="true"` : ''}>${translate(PRESETS[name].text)}</a></li>`;
  return html`<nav aria-labelledby="app"><h2 id="app">${translate('preset.title')}</h2>
<ul class="chips">${(Object.keys(PRESETS) as Preset[]).map(link)}</ul>
<p class="hint">${translate(chosen === undefined ? 'preset.about' : 'preset.chosen')}</p></nav>`;
}
