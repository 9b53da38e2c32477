import { html } from 'hono/html';
import type { Kind, Verb } from './catalog.ts';
import { DESTRUCTIVE, isDestructive, LAYOUTS } from './kinds.ts';
import type { Translate } from './language.ts';
import type { Html } from './layout.ts';
import type { Outcome } from './outcomes.ts';
import { wrongAt } from './sign-in-pages.ts';

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

/** The button that does an act at once has this name; that of others, which lead to a page before it, is `verb`. */
export const AT_ONCE = 'now';

/** Verbs that change no record: nobody previews them, says why, or takes them back. */
const CHANGES_NOTHING: ReadonlySet<string> = new Set(['test', 'verify']);

/**
 * Whether an act on one record is done at once: it changes none, or its undo brings back all that
 * it takes, and it asks for nothing but why. What is done to a person is seen first: it concerns
 * all that is theirs.
 */
export function isAtOnce({ name }: Kind, verb: Verb, undo: Verb | undefined): boolean {
  if (CHANGES_NOTHING.has(verb.name)) return true;
  const asksNothing = Object.keys(verb.body).every((member) => member === 'reason');
  return undo !== undefined && verb.method !== 'patch' && asksNothing && name !== 'users';
}

/** Whether an act on several records is done at once: it also takes nothing from people. */
export const isAtOnceForSeveral = (kind: Kind, verb: Verb, undo: Verb | undefined): boolean =>
  isAtOnce(kind, verb, undo) && !isDestructive(kind.name, verb.name);

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
  const wrong = wrongAt('typed', isWrong ? translate('act.typedWrong', { text }) : undefined);
  return html`<label for="typed">${translate('act.type', { text })}</label>
<input id="typed" name="typed" autocomplete="off" autocapitalize="none" spellcheck="false" required${wrong.tied}>${wrong.below}`;
}
