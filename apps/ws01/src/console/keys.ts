import { html } from 'hono/html';
import { HOTKEYS } from './hotkeys.ts';
import { icon } from './icons.ts';
import type { TextKey } from './texts/en.ts';
import type { Visit } from './visit.ts';

/** The keys of every page, and what each does. */
const EVERYWHERE: readonly (readonly [keys: readonly string[], text: TextKey])[] = [
  [['/'], 'keys.search'],
  [['?'], 'keys.help'],
  [['↑', '↓'], 'keys.rows'],
  [['U'], 'keys.undo'],
  [['Esc'], 'keys.close'],
];

/** The keys of the desk. */
const OF_DESK: typeof EVERYWHERE = [
  ...Object.entries(HOTKEYS).map(
    ([verb, key]) => [[key.toUpperCase()], `verb.${verb}` as TextKey] as const,
  ),
  [['N'], 'desk.next'],
];

/** The button that shows the list of keys. */
export const keysButton = ({ translate }: Visit) =>
  html`<button class="plain all-keys" popovertarget="all-keys">${icon('app', 'keys')}${translate('keys.all')}</button>`;

/** The list of keys; `?` and its button show it over the page. */
export function keysDialog({ translate }: Visit) {
  const list = (keys: typeof EVERYWHERE) =>
    html`<dl>${keys.map(
      ([marks, text]) =>
        html`<div><dt>${marks.map((mark) => html`<kbd>${mark}</kbd> `)}</dt><dd>${translate(text)}</dd></div>`,
    )}</dl>`;
  return html`<dialog id="all-keys" class="keys-list" popover aria-labelledby="all-keys-title">
<h2 id="all-keys-title">${translate('keys.all')}</h2>${list(EVERYWHERE)}
<h3>${translate('nav.desk')}</h3>${list(OF_DESK)}
<button popovertarget="all-keys" popovertargetaction="hide">${translate('app.close')}</button></dialog>`;
}
