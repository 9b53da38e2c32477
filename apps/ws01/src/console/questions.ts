import type { Context } from 'hono';
import { html } from 'hono/html';
import { isSeen } from '../domain/values/unseen.ts';
import { apiFor, type ItemPage } from './api-client.ts';
import type { Kind } from './catalog.ts';
import { markOf, type SentForm } from './field-values.ts';
import type { Html } from './layout.ts';
import { CATEGORIES } from './offers.ts';
import { SEEN } from './seen.ts';
import { fieldFor, wordFor } from './values.ts';
import type { ConsoleDeps, ConsoleEnv } from './visit.ts';

type C = Context<ConsoleEnv>;

/** What a person is asked before a form is saved that the API would take. */
export interface Questions {
  /** The question by the member that it is about. */
  readonly about: Readonly<Record<string, string>>;
  /** What the form says when it is sent once more, so that it is saved: the texts that were asked about. */
  readonly answers: readonly string[];
}

/** The field of a form with {@link Questions.answers}. */
const ANSWERED = 'answered';

/**
 * Returns what a form is asked about: a title that was emptied, a category that no record has, and
 * an address that nothing is sent to, unless it was asked of the same text before. What an edit
 * leaves as it was is not asked about.
 * @param prefix what stands before a member in the names of the form's fields; none in the form of a new record.
 * @returns `undefined` for nothing.
 */
export async function questionsAbout(
  deps: Pick<ConsoleDeps, 'api' | 'refusesWebhook'>,
  c: C,
  kind: Kind,
  form: SentForm,
  prefix: 'b-' | '',
): Promise<Questions | undefined> {
  const { translate } = c.get('visit');
  const answered = [form[ANSWERED] ?? []].flat().map(String);
  const textOf = (member: string) => String(form[`${prefix}${member}`] ?? '');
  const answerFor = (member: string) => `${member} ${markOf(textOf(member))}`;
  const isOpen = (member: string) => {
    const was = form[`was-${member}`];
    const isChanged = prefix === '' || (was !== undefined && was !== markOf(textOf(member)));
    return isChanged && !answered.includes(answerFor(member));
  };
  const about: Record<string, string> = {};
  const { title, text } = SEEN[kind.name] ?? {};
  // What the API does not take is refused there.
  const mayLack = title !== undefined && kind.create?.required.includes(title) === false;
  if (mayLack && isOpen(title) && !isSeen(textOf(title)) && isSeen(textOf(text!)))
    about[title] = translate('form.untitled', {
      field: fieldFor(translate, kind.name, title).toLowerCase(),
    });
  for (const [member, name] of CATEGORIES) {
    const category = textOf(member).trim();
    if (name !== kind.name || category === '' || !isOpen(member)) continue;
    const query = new URLSearchParams({ [member]: category, limit: '1' });
    const { items, next } = await apiFor(deps, c).get<ItemPage>(`/${name}?${query}`);
    const things = wordFor(translate, 'kind', name);
    if (items.length === 0 && next === null)
      about[member] = translate('form.newCategory', { things: things.toLowerCase() });
  }
  if (kind.name === 'webhooks' && isOpen('url') && (await deps.refusesWebhook(textOf('url'))))
    about.url = translate('form.privateNetwork');
  const asked = Object.keys(about);
  return asked.length === 0
    ? undefined
    : { about, answers: [...answered, ...asked.map(answerFor)] };
}

/** The hidden fields by which a form that asks is saved when it is sent once more. */
export const answerFields = (questions: Questions | undefined): Html =>
  html`${questions?.answers.map(
    (answer) => html`<input type="hidden" name="${ANSWERED}" value="${answer}">`,
  )}`;
