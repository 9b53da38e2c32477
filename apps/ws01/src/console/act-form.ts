import type { Context } from 'hono';
import { html, raw } from 'hono/html';
import type { Item } from '../api/kind.ts';
import type { ReadItem } from './api-client.ts';
import type { FieldSchema, Kind, Verb } from './catalog.ts';
import { confirmationField, confirmationOf, isFinal } from './confirmation.ts';
import { theirsButton } from './conflicts.ts';
import { onceField } from './done-once.ts';
import { type BesideForm, editor } from './editor.ts';
import { isOf, markOf, type SentForm, textOf, textsIn, valueOfText } from './field-values.ts';
import { type FormState, formFields, formProblem } from './fields.ts';
import { rankOf } from './kinds.ts';
import { sentenceOf } from './language.ts';
import type { Html } from './layout.ts';
import { nameOf } from './lists.ts';
import type { Names } from './names.ts';
import { outcomeTable } from './outcome-table.ts';
import type { Outcome } from './outcomes.ts';
import { segmentOf } from './paths.ts';
import { answerFields } from './questions.ts';
import { previewButton, SEEN } from './seen.ts';
import { problem } from './sign-in-pages.ts';
import { verbFor } from './values.ts';
import { type ConsoleEnv, HOME } from './visit.ts';

type C = Context<ConsoleEnv>;

/** An action that is asked for: on which records, and by which form. */
export interface Asked {
  readonly kind: Kind;
  readonly verb: Verb;
  readonly undo: Verb | undefined;
  readonly outcomes: readonly Outcome[];
  /** What the records are called that these are about. */
  readonly names?: Names;
  /** Where the person came from, and goes back to. */
  readonly back: string;
}

/** The state of the form of an action. */
export interface ActState extends FormState {
  /** Whether what was typed to confirm is wrong. */
  readonly isMistyped?: boolean;
  /** What the editor of one record shows besides its form. */
  readonly beside?: BesideForm | undefined;
  /** The record as it is now, where somebody else changed it since the form was opened. */
  readonly present?: ReadItem | undefined;
  /** Whether somebody else changed the record since what is taken back. */
  readonly isOvertaken?: boolean;
  /** The form that is shown once more: it still says what it was opened with. */
  readonly opened?: SentForm | undefined;
}

/** The text that {@link markOf} stands for; of a list it does not matter in which order a form has it. */
function markedText(c: C, name: string, schema: FieldSchema, value: unknown): string {
  return schema.items === undefined ? textOf(c, name, schema, value) : listText(textsIn(value));
}

const listText = (texts: readonly string[]) => texts.toSorted().join(' ');

/** Whether a form has a member. Of a list no box may be chosen; then what it was opened with says that it is there. */
export function isSent(form: SentForm, name: string, schema: FieldSchema): boolean {
  const value = form[`b-${name}`];
  if (schema.items === undefined) return typeof value === 'string';
  return value !== undefined || form[`was-${name}`] !== undefined;
}

/**
 * Returns the body of a verb from a form: the members that the person changed. An empty field clears a nullable member;
 * another one that had something is sent as it is, and left out otherwise.
 */
export function bodyOf(
  form: SentForm,
  { body }: Pick<Verb, 'body'>,
  timeZone: string,
): Record<string, unknown> {
  const told: Record<string, unknown> = {};
  for (const [name, schema] of Object.entries(body)) {
    if (!isSent(form, name, schema)) continue;
    const [value, was] = [form[`b-${name}`], form[`was-${name}`]];
    if (schema.items !== undefined) {
      const texts = textsIn(value);
      if (markOf(listText(texts)) !== was) told[name] = texts;
      continue;
    }
    if (typeof value !== 'string' || markOf(value) === was) continue;
    if (value !== '') told[name] = valueOfText(timeZone, name, schema, value);
    else if (isOf(schema, 'null')) told[name] = null;
    else if (was !== undefined) told[name] = value;
  }
  return told;
}

/** Which members of a form somebody else has changed since it was opened. */
export function takenMembers(
  c: C,
  form: SentForm,
  { body }: Pick<Verb, 'body'>,
  names: readonly string[],
  present: Item,
): string[] {
  return names.filter((name) => {
    const now = name in present && markOf(markedText(c, name, body[name]!, present[name]));
    return now !== false && now !== form[`was-${name}`];
  });
}

/** The members of a verb that a form asks for; why comes last. */
function askedMembers({ body }: Verb): [string, FieldSchema][] {
  return Object.entries(body)
    .filter(([, { deprecated }]) => deprecated !== true)
    .toSorted(([one], [other]) => Number(one === 'reason') - Number(other === 'reason'));
}

/** What the page before an action is headed by: what is done, and of one record to which. */
export function titleOfAct(c: C, { kind, verb, outcomes, names }: Asked): string {
  const { translate } = c.get('visit');
  if (isFirstSending(kind, verb, outcomes))
    return translate('mail.sendTitle', { count: outcomes.length });
  const did = verbFor(translate, kind.name, verb.name);
  const [only] = outcomes;
  return outcomes.length !== 1 || only?.before === undefined
    ? translate('act.title', { verb: did })
    : translate('act.titleOf', { verb: did, name: nameOf(translate, kind, only.before, names) });
}

/** Whether mails are sent that nothing has tried to send before. */
const isFirstSending = (kind: Kind, verb: Verb, outcomes: readonly Outcome[]): boolean =>
  kind.name === 'mails' && outcomes.every(({ before }) => isFirst(verb, before));

/** Whether a verb sends what was never sent, so that it is not sent again. */
export const isFirst = ({ name }: Pick<Verb, 'name'>, item: Item | undefined): boolean =>
  (name === 'retry' || name === 'resend') && item?.attempts === 0;

/** The page before an action: what it would do, and its form. */
export function actPage(c: C, asked: Asked, state: ActState): Html {
  const { translate, language } = c.get('visit');
  const { kind, verb, undo, outcomes, names: called } = asked;
  const isEdit = verb.method === 'patch';
  const changes = outcomes.some(({ change }) => change?.changed);
  const isOpen = outcomes.some(
    ({ change, problem: why }) => change === undefined && why === undefined,
  );
  const notice = changes || isOpen ? translate('act.previewOf') : translate('act.nothing');
  const final = isFinal(verb, undo) ? ` ${translate('act.final')}` : '';
  const names = askedMembers(verb).map(([name]) => name);
  const isRefused = state.refusal !== undefined || state.others !== undefined;
  const overtaken = state.isOvertaken ? problem(translate('act.overtaken')) : '';
  const about = sentenceOf(language, verb.summary);
  const fields = actForm(c, asked, state);
  const form = state.beside === undefined ? fields : editor(state.beside, fields);
  const table =
    isEdit || isRefused ? '' : outcomeTable(c, kind, outcomes, 'act.would', 'act.wouldNot', called);
  // Of many records the button has the focus: it stands where the page begins.
  return html`${about === '' ? '' : html`<p>${about}</p>`}
${formProblem(c, names, state)}${state.conflict ?? ''}${overtaken}
${isEdit || isRefused ? '' : html`<p class="notice">${notice}${final}</p>`}
${outcomes.length > 1 ? html`${form}${table}` : html`${table}${form}`}`;
}

function actForm(c: C, asked: Asked, state: ActState): Html {
  const { translate } = c.get('visit');
  const { kind, verb, undo, outcomes, back } = asked;
  const isEdit = verb.method === 'patch';
  const [only] = outcomes;
  const first = outcomes.length === 1 ? only : undefined;
  const { item: before, version } = state.present ?? {
    item: first?.before,
    version: first?.version,
  };
  const members = askedMembers(verb).filter(([name]) => outcomes.length === 1 || name === 'reason');
  const valueFor = (name: string) =>
    state.values[name] ??
    (name === 'reason' ? undefined : (before?.[name] ?? verb.body[name]?.default));
  const values = Object.fromEntries(members.map(([name]) => [name, valueFor(name)]));
  const fields = members.map(([name, schema]) => ({
    ...{ kind: kind.name, name, prefix: 'b-', schema },
    isRequired: verb.required.includes(name),
    pictures: state.beside?.pictures,
  }));
  // The key of what is added cannot be put right in this form.
  const isHopeless =
    verb.tail === '/add' && outcomes.every(({ problem: why }) => why !== undefined);
  const rank = rankOf(kind.name, verb.name, isFinal(verb, undo));
  const focus =
    undo === undefined || isEdit || state.refusal !== undefined ? '' : raw(' autofocus');
  const act = outcomes.every(({ before }) => isFirst(verb, before))
    ? translate('mail.sendNow')
    : translate('act.confirm', { verb: verbFor(translate, kind.name, verb.name) });
  const confirm = isEdit
    ? translate(state.questions === undefined ? 'act.save' : 'form.anyway')
    : act;
  const isSeen = isEdit && kind.name in SEEN;
  const read =
    state.opened === undefined || state.present !== undefined
      ? readValues(c, members, { item: before ?? {}, version })
      : openedWith(members, state.opened);
  return html`<form method="post" action="${HOME}/${kind.name}/act" class="${isSeen ? 'editor' : 'narrow'}"
data-kept="${translate('form.kept')}" novalidate${isEdit ? html` data-draft="${HOME}/${kind.name}/${segmentOf(only!.key)}/edit"` : ''}>
${hiddenKeys(verb.name, outcomes, back)}${isEdit ? read : ''}${answerFields(state.questions)}
${formFields(c, fields, { ...state, values })}
${isFinal(verb, undo) && !isHopeless ? confirmationField(translate, confirmationOf(kind, outcomes), state.isMistyped === true) : ''}
<div class="tools${isEdit ? ' save' : ''}">${isHopeless ? '' : html`<button name="confirm" value="yes" class="${rank || 'primary'}"${focus}>${confirm}</button>${theirsButton(c, state)}`}
${isEdit ? previewButton(c, kind.name) : ''}
<a class="button" href="${back}">${translate('app.cancel')}</a></div>
</form>`;
}

/** What the form was opened with: only what differs from it is sent, with the version that was read. */
export function readValues(
  c: C,
  members: readonly (readonly [string, FieldSchema])[],
  { item, version }: ReadItem,
): Html {
  const fields = members
    .filter(([name]) => name !== 'reason')
    .map(([name, schema]) =>
      hidden(`was-${name}`, markOf(markedText(c, name, schema, item[name]))),
    );
  return html`${fields}${version === undefined ? '' : hidden('version', version)}`;
}

/** The same of a form that was opened before. */
const openedWith = (members: readonly (readonly [string, FieldSchema])[], form: SentForm): Html =>
  html`${[...members.map(([name]) => `was-${name}`), 'version']
    .filter((name) => typeof form[name] === 'string')
    .map((name) => hidden(name, String(form[name])))}`;

export const hidden = (name: string, value: string): Html =>
  html`<input type="hidden" name="${name}" value="${value}">`;

/** The hidden fields of every form that acts. */
export function hiddenKeys(verb: string, outcomes: readonly Outcome[], back: string): Html {
  return html`${onceField()}${hidden('verb', verb)}${outcomes.map(({ key }) => hidden('key', key))}${hidden('back', back)}`;
}
