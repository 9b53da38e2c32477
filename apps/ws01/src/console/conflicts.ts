import type { Context } from 'hono';
import { html } from 'hono/html';
import type { Item } from '../api/kind.ts';
import type { ApiClient, ItemPage } from './api-client.ts';
import type { SentForm } from './field-values.ts';
import type { FormState } from './fields.ts';
import { labelled } from './labelled.ts';
import { ago, type Content } from './layout.ts';
import { namesOf } from './names.ts';
import { orUndefined } from './or-undefined.ts';
import { problem } from './sign-in-pages.ts';
import { shown } from './values.ts';
import type { ConsoleEnv } from './visit.ts';

type C = Context<ConsoleEnv>;

/** What was done last with a record, or a setting; `undefined` if nothing is known of it. */
export async function latestDeed(api: ApiClient, key: string): Promise<Item | undefined> {
  const path = `/audit?targetKey=${encodeURIComponent(key)}&limit=1`;
  return (await orUndefined(api.get<ItemPage>(path)))?.items[0];
}

/** Says that somebody else has changed what a form was opened with: who, and when. */
export async function conflictPart(c: C, api: ApiClient, key: string): Promise<Content> {
  const { translate } = c.get('visit');
  const deed = await latestDeed(api, key);
  const told = problem(translate('form.conflict'));
  if (deed === undefined) return told;
  const names = await namesOf(api, [deed]);
  const who = shown({ translate, names, short: true, item: deed }, 'by', undefined, deed.by);
  const line = labelled(
    translate,
    translate('form.changedBy'),
    html`${who}, ${ago(String(deed.at))}`,
  );
  return html`${told}<p>${line}</p>`;
}

/** The button that takes what somebody else has put into a form meanwhile, and saves the rest. */
export function theirsButton(c: C, { others }: Pick<FormState, 'others'>): Content {
  if (others === undefined) return '';
  const theirs = c.get('visit').translate('form.theirs');
  return html`<button name="${THEIRS}" value="${Object.keys(others).join(' ')}">${theirs}</button>`;
}

/** The name of the button that takes what somebody else has put into a form. */
export const THEIRS = 'theirs';

/** Whether a form takes what somebody else has put there. */
export const takesTheirs = (form: SentForm): boolean => typeof form[THEIRS] === 'string';

/** A form without the members of which it takes what somebody else has put there. */
export function withoutTheirs(form: SentForm): SentForm {
  if (!takesTheirs(form)) return form;
  const taken = new Set(String(form[THEIRS]).split(' '));
  const isTaken = (name: string) =>
    /^(?:b|was)-/.test(name) && taken.has(name.replace(/^\w+-/, ''));
  return Object.fromEntries(Object.entries(form).filter(([name]) => !isTaken(name)));
}
