import { html } from 'hono/html';
import type { Kind, Verb } from './catalog.ts';
import { DESTRUCTIVE, LAYOUTS } from './kinds.ts';
import type { Translate } from './language.ts';
import type { Html } from './layout.ts';
import type { Outcome } from './outcomes.ts';

/** The longest text that people are asked to type; UTF-16 code units. */
const TYPED_CHARS = 40;

/** Keys that machines made: nobody types these. */
const MADE = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** What a keyboard has no key for, or what nobody sees. */
const UNTYPED = /[\p{C}\p{Zl}\p{Zp}\u115f\u1160\u2800\u3164\uffa0]/u;

/** Whether a verb takes something from people and nothing brings it back: then what it concerns is typed first. */
export function isFinal(verb: Verb, undo: Verb | undefined): boolean {
  return undo === undefined && DESTRUCTIVE.has(verb.name);
}

/**
 * Returns what is to be typed before an action on some records: the key of the only one, where people gave it, else its
 * name. Of several, or of one that cannot be typed, it is their number.
 */
export function confirmationOf({ name, key }: Kind, outcomes: readonly Outcome[]): string {
  const [only] = outcomes;
  if (outcomes.length !== 1 || only === undefined) return String(outcomes.length);
  const names = (LAYOUTS[name]?.called ?? [])
    .filter((member) => member !== key)
    .map((member) => only.before?.[member]);
  const candidates = [...(MADE.test(only.key) ? [] : [only.key]), ...names, only.key.slice(0, 8)];
  return (
    candidates
      .map(plain)
      .find((text) => text !== '' && text.length <= TYPED_CHARS && !UNTYPED.test(text)) ?? '1'
  );
}

/** Whether a text is what was to be typed; the whole key counts as well. */
export function isConfirmed(typed: string, kind: Kind, outcomes: readonly Outcome[]): boolean {
  const given = plain(typed);
  const keys = outcomes.length === 1 ? outcomes.map((outcome) => plain(outcome.key)) : [];
  return given !== '' && [confirmationOf(kind, outcomes), ...keys].includes(given);
}

const plain = (text: unknown): string =>
  String(text ?? '')
    .normalize()
    .replaceAll(/\s+/g, ' ')
    .trim();

/** The field for what is to be typed. */
export function confirmationField(translate: Translate, text: string, isWrong: boolean): Html {
  const described = isWrong
    ? html` aria-invalid="true" aria-describedby="typed-problem" autofocus`
    : '';
  return html`<label for="typed">${translate('act.type', { text })}</label>${isWrong ? html`<p class="problem" id="typed-problem">${translate('act.typedWrong', { text })}</p>` : ''}<input id="typed" name="typed" autocomplete="off" autocapitalize="none" spellcheck="false" required${described}>`;
}
