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
  [['J', 'K'], 'keys.list'],
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

/** The pages of the menu that have a key, which is pressed after G. */
export const GO: Readonly<Record<string, string>> = {
  ...{ overview: 'o', desk: 'd', articles: 'a', users: 'u', mails: 'm' },
  ...{ codes: 'c', webhooks: 'w', audit: 't', settings: 's' },
};

/** A page of the menu, as the list of keys has it. */
interface MenuPage {
  readonly text: string;
  readonly icon: string;
}

/** The button that shows the list of keys. */
export const keysButton = ({ translate }: Visit) =>
  html`<button class="plain all-keys" popovertarget="all-keys">${icon('app', 'keys')}${translate('keys.all')}</button>`;

/** The list of keys; `?` and its button show it over the page. */
export function keysDialog({ translate }: Visit, pages: readonly MenuPage[]) {
  const line = (marks: readonly string[], text: string) =>
    html`<div><dt>${marks.map((mark) => html`<kbd>${mark}</kbd> `)}</dt><dd>${text}</dd></div>`;
  const list = (keys: typeof EVERYWHERE) =>
    html`<dl>${keys.map(([marks, text]) => line(marks, translate(text)))}</dl>`;
  const going = pages.flatMap(({ icon: name, text }) =>
    GO[name] === undefined ? [] : [line(['G', GO[name].toUpperCase()], text)],
  );
  return html`<dialog id="all-keys" class="keys-list" popover aria-labelledby="all-keys-title">
<h2 id="all-keys-title">${translate('keys.all')}</h2>${list(EVERYWHERE)}
<h3>${translate('nav.desk')}</h3>${list(OF_DESK)}
<h3>${translate('keys.go')}</h3><dl>${going}</dl>
<button popovertarget="all-keys" popovertargetaction="hide">${translate('app.close')}</button></dialog>`;
}
