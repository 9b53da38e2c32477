import type { Context } from 'hono';
import { html } from 'hono/html';
import { hidden } from './act-form.ts';
import type { Kind, Verb } from './catalog.ts';
import { AT_ONCE, isAtOnce } from './confirmation.ts';
import { onceField } from './done-once.ts';
import { icon } from './icons.ts';
import type { Content, Html } from './layout.ts';
import { verbFor } from './values.ts';
import { type ConsoleEnv, HOME } from './visit.ts';

type C = Context<ConsoleEnv>;

/** What the button of a verb is called in its form. */
export const buttonName = (kind: Kind, verb: Verb, undo: Verb | undefined): string =>
  isAtOnce(kind, verb, undo) ? AT_ONCE : 'verb';

/**
 * The form of the buttons that act on one record; they stand elsewhere, with its id as their `form`.
 * @param back where the person goes on; absent: the page of the record.
 */
export function formOfActs(id: string, kind: Kind, key: string, back?: string): Html {
  const from = back === undefined ? '' : hidden('back', back);
  return html`<form method="post" id="${id}" action="${HOME}/${kind.name}/act" novalidate>${onceField()}${hidden('key', key)}${from}</form>`;
}

/** Reasons of a refusal that are offered; who refuses may change their words. */
const READY = ['reject.advertising', 'reject.again', 'reject.little', 'reject.rules'] as const;

/** A verb that asks why, where it stands: the author gets the reason by mail. */
export function rejection(c: C, kind: Kind, key: string, mark: Content, back?: string): Html {
  const { translate } = c.get('visit');
  const word = verbFor(translate, kind.name, 'reject');
  const ready = READY.map(
    (text) =>
      html`<button type="button" class="chip" data-fill="reason">${translate(text)}</button>`,
  );
  const send = (form: string, text: string, rank: string) =>
    html`<button name="${AT_ONCE}" value="reject" form="${form}" class="${rank}">${text}</button>`;
  return html`<details class="ask"><summary class="button" data-hotkey="r" aria-keyshortcuts="r">${icon('verb', 'reject')}${word}${mark}</summary>
<div>${formOfActs('reject', kind, key, back)}${formOfActs('reject-bare', kind, key, back)}
<label for="reason">${translate('field.reason')}</label>
<input id="reason" name="b-reason" form="reject" maxlength="200" required autocomplete="off" aria-describedby="told">
<div class="ready">${ready}</div>
<p class="hint" id="told">${translate('desk.told')}</p>
<div class="tools">${send('reject', word, 'primary')}${send('reject-bare', translate('reject.bare'), '')}</div></div></details>`;
}
