import type { Context } from 'hono';
import { html, raw } from 'hono/html';
import type { Ws01Error } from '../contract/errors.ts';
import type { FieldSchema } from './catalog.ts';
import { errorPart } from './errors.ts';
import { hintOf } from './language.ts';
import type { Content, Html } from './layout.ts';
import { problem } from './sign-in-pages.ts';
import { fieldFor, marked, wordFor } from './values.ts';
import type { ConsoleEnv } from './visit.ts';

type C = Context<ConsoleEnv>;

/** A form as it was sent, or as it is shown at first. */
export interface FormState {
  /** The texts by member; absent: empty. A list has several. */
  readonly values: Readonly<Record<string, unknown>>;
  /** Why the form was refused. */
  readonly refusal?: Ws01Error | undefined;
  /** By member, what somebody else has put there meanwhile. */
  readonly others?: Readonly<Record<string, Content>> | undefined;
}

/** A form field: the member that it is for, and how it is shown. */
interface Field {
  readonly kind: string;
  /** The member of the API's body. */
  readonly name: string;
  /** What stands before the member in the name and id of the field. */
  readonly prefix?: string;
  readonly schema: FieldSchema;
  readonly isRequired: boolean;
}

/** Shows a refusal that belongs to no field of a form, above it. */
export function formProblem(c: C, names: readonly string[], { refusal }: FormState): Html | '' {
  if (refusal === undefined || names.includes(memberOf(refusal))) return '';
  return problem(errorPart(c.get('visit'), refusal));
}

/** The member that an error is about: of `scopes[0]` it is `scopes`. */
const memberOf = ({ parameter = '' }: Ws01Error) => parameter.replace(/\[.*$/, '');

/** Shows a field with its label, its hint and what is wrong with its value, tied to it. */
export function formField(
  c: C,
  { kind, name, prefix = '', schema, isRequired }: Field,
  state: FormState,
): Html {
  const { translate, language } = c.get('visit');
  const id = `${prefix === '' ? 'n-' : prefix}${name}`;
  const label = fieldFor(translate, kind, name);
  const { refusal } = state;
  const isWrong = refusal !== undefined && memberOf(refusal) === name;
  const other = state.others?.[name];
  const parts = [
    isWrong
      ? html`<p class="problem" id="${id}-problem">${errorPart(c.get('visit'), language === 'en' ? named(refusal, label) : refusal)}</p>`
      : '',
    other === undefined
      ? ''
      : html`<p class="notice" id="${id}-other">${translate('form.other')}: ${other}</p>`,
    schema.description
      ? html`<p class="hint" id="${id}-hint">${marked(hintOf(language, schema.description))}</p>`
      : '',
  ];
  const ids = ['problem', 'other', 'hint']
    .filter((_, at) => parts[at] !== '')
    .map((part) => `${id}-${part}`);
  const described = raw(
    `${ids.length === 0 ? '' : ` aria-describedby="${ids.join(' ')}"`}${isWrong ? ' aria-invalid="true" autofocus' : ''}`,
  );
  const words = (schema.items ?? schema).enum?.filter((word) => word !== null);
  const value = state.values[name];
  if (schema.items !== undefined && words !== undefined) {
    const chosen = [value ?? []].flat();
    return html`<fieldset${described}${isWrong ? raw(' tabindex="-1"') : ''}><legend>${label}</legend>${words.map(
      (word) =>
        html`<label class="choice"><input type="checkbox" name="${prefix}${name}" value="${word}"${chosen.includes(word) ? raw(' checked') : ''}> ${word}</label>`,
    )}${parts}</fieldset>`;
  }
  const after = html`${parts}`;
  if (words !== undefined || isBoolean(schema)) {
    const choices = words ?? ['false', 'true'];
    const spoken = (word: string) =>
      words === undefined
        ? translate(word === 'true' ? 'app.yes' : 'app.no')
        : wordFor(translate, 'value', word);
    return html`<label for="${id}">${label}</label><select id="${id}" name="${prefix}${name}"${described}>${choices.map((word) => html`<option value="${word}"${word === String(value) ? raw(' selected') : ''}>${spoken(word)}</option>`)}</select>${after}`;
  }
  const text = textOf(schema, value);
  const type = schema.format === 'date-time' ? raw(' type="date"') : '';
  return html`<label for="${id}">${label}</label><input id="${id}" name="${prefix}${name}"${type} value="${text}" maxlength="${schema.maxLength ?? 400}" spellcheck="false"${isRequired ? raw(' required') : ''}${described}>${after}`;
}

const isBoolean = ({ type }: FieldSchema) =>
  Array.isArray(type) ? type.includes('boolean') : type === 'boolean';

/** The text of a value in a field; of an instant the day. */
export function textOf(schema: FieldSchema, value: unknown): string {
  if (value === null || value === undefined) return '';
  const text = Array.isArray(value) ? value.join(', ') : String(value);
  return schema.format === 'date-time' ? text.slice(0, 10) : text;
}

/** An English error that begins with the name of a member begins with the label of its field; others have it translated. */
function named(
  refusal: Ws01Error,
  label: string,
): Pick<Ws01Error, 'code' | 'message' | 'sentence'> {
  const { code, message, sentence, parameter = '' } = refusal;
  return {
    code,
    sentence,
    message: message.startsWith(`${parameter} `)
      ? `${label}${message.slice(parameter.length)}`
      : message,
  };
}
