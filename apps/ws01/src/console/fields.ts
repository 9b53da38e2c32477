import type { Context } from 'hono';
import { html, raw } from 'hono/html';
import type { Ws01Error } from '../contract/errors.ts';
import type { FieldSchema } from './catalog.ts';
import { dayOfInstant, instantOfDay } from './days.ts';
import { errorPart } from './errors.ts';
import { hintOf, type Translate } from './language.ts';
import type { Content, Html } from './layout.ts';
import type { Picture } from './pictures.ts';
import { withSettings } from './setting-links.ts';
import { problem } from './sign-in-pages.ts';
import { en, type TextKey } from './texts/en.ts';
import { actionText, fieldFor, marked, wordFor } from './values.ts';
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
  /** Pictures of the record, of which the member names one. */
  readonly pictures?: readonly Picture[] | undefined;
}

/** Members that name a picture of the record. */
const NAMES_PICTURE: ReadonlySet<string> = new Set(['iconGuid', 'imgGuid']);

/** Numbers of the contract that people see as words, in the order of the numbers. */
const CODED: Readonly<Record<string, readonly string[]>> = {
  'articles.status': ['published', 'draft', 'pending', 'hidden'],
};

/** The word for a number that has one; the text itself for any other. */
export function decoded(translate: Translate, kind: string, name: string, text: string): string {
  const word = CODED[`${kind}.${name}`]?.[Number(text)];
  return word === undefined ? text : wordFor(translate, 'value', word);
}

/** What a choice means, where its word does not say it: a scope or a kind of a token, a role of an admin. */
function explained(c: C, kind: string, name: string, word: string): string {
  const { translate } = c.get('visit');
  const key = name === 'scopes' ? `scope.${word}` : `means.${kind}.${word}`;
  return Object.hasOwn(en, key) ? translate('form.means', { text: translate(key as TextKey) }) : '';
}

/** What is chosen at first where the first choice would give too much. */
const AT_FIRST: Readonly<Record<string, string>> = { 'admins.role': 'reader' };

/** A type of events in words, with its own name. */
function typeText(translate: Translate, type: string): Html {
  if (type === '*') return html`${translate('form.everything')} <code>*</code>`;
  const [noun = ''] = type.split('.');
  const text = type.endsWith('.*')
    ? translate('form.everyEvent', {
        things: wordFor(translate, 'kind', KINDS[noun] ?? `${noun}s`),
      })
    : actionText(translate, type);
  return html`${text} <code>${type}</code>`;
}

/** Whether a description says more than the label of its field, and than that a field may be empty. */
const saysMore = (kind: string, name: string, about = '') =>
  about !== '' &&
  !(`${kind}.${name}` in CODED || /^(?:null clears|\S+(?: \S+)?|.*may be empty)\.$/.test(about));

/** What a list of texts mostly has, for which there are boxes; others are typed. */
const MOSTLY: Readonly<Record<string, readonly string[]>> = {
  'webhooks.types': [
    ...[
      '*',
      'article.*',
      'advert.*',
      'image.*',
      'review.*',
      'report.*',
      'user.*',
      'link.*',
      'code.*',
    ],
    ...['mail.*', 'mail.bounced', 'mail.failed', 'sms.*'],
  ],
};

/** Kinds whose events are not named by their singular. */
const KINDS: Readonly<Record<string, string>> = { sms: 'sms' };

/** Members that few people give, by kind: their fields are folded until one has something. */
const SELDOM: Readonly<Record<string, readonly string[]>> = {
  articles: ['contactPhone', 'iconGuid', 'fromUrl', 'guid', 'createUserId'],
  adverts: ['isImage', 'imgGuid', 'guid', 'createUserId'],
  tokens: ['guid'],
};

/** Shows the fields of a form; those that few people need are folded. */
export function formFields(c: C, fields: readonly Field[], state: FormState): Html {
  const isSeldom = ({ kind, name, pictures = [] }: Field) =>
    pictures.length === 0 && (SELDOM[kind] ?? []).includes(name);
  const seldom = fields.filter(isSeldom);
  const isFilled = ({ name }: Field) => {
    const isWrong = state.refusal !== undefined && memberOf(state.refusal) === name;
    return isWrong || ![undefined, null, '', 'false', false].includes(state.values[name] as string);
  };
  const shown = (some: readonly Field[]) => some.map((field) => formField(c, field, state));
  const more = html`<details${seldom.some(isFilled) ? raw(' open') : ''}>
<summary>${c.get('visit').translate('form.more')}</summary>${shown(seldom)}</details>`;
  return html`${shown(fields.filter((field) => !isSeldom(field)))}${seldom.length === 0 ? '' : more}`;
}

/** Shows a refusal that belongs to no field of a form, above it. */
export function formProblem(c: C, names: readonly string[], { refusal }: FormState): Html | '' {
  if (refusal === undefined || names.includes(memberOf(refusal))) return '';
  const text = errorPart(c.get('visit'), refusal);
  return problem(typeof text === 'string' ? withSettings(c, text) : text);
}

/** The member that an error is about: of `scopes[0]` it is `scopes`. */
const memberOf = ({ parameter = '' }: Ws01Error) => parameter.replace(/\[.*$/, '');

/** Shows a field with its label, its hint and what is wrong with its value, tied to it. */
export function formField(
  c: C,
  { kind, name, prefix = '', schema, isRequired, pictures = [] }: Field,
  state: FormState,
): Html {
  const { translate, language } = c.get('visit');
  const id = `${prefix === '' ? 'n-' : prefix}${name}`;
  const label = fieldFor(translate, kind, name);
  const { refusal } = state;
  const value = state.values[name];
  const isWrong = refusal !== undefined && memberOf(refusal) === name;
  const other = state.others?.[name];
  const parts = [
    isWrong
      ? html`<p class="problem" id="${id}-problem">${
          schema.items?.enum !== undefined && [value ?? []].flat().length === 0
            ? translate('form.chooseOne')
            : errorPart(c.get('visit'), language === 'en' ? named(refusal, label) : refusal)
        }</p>`
      : '',
    other === undefined
      ? ''
      : html`<p class="notice" id="${id}-other">${translate('form.other')}: ${other}</p>`,
    saysMore(kind, name, schema.description)
      ? html`<p class="hint" id="${id}-hint">${marked(hintOf(language, schema.description))}</p>`
      : '',
  ];
  const ids = ['problem', 'other', 'hint']
    .filter((_, at) => parts[at] !== '')
    .map((part) => `${id}-${part}`);
  const described = raw(
    `${ids.length === 0 ? '' : ` aria-describedby="${ids.join(' ')}"`}${isWrong ? ' aria-invalid="true" autofocus' : ''}`,
  );
  const words =
    CODED[`${kind}.${name}`] ?? (schema.items ?? schema).enum?.filter((word) => word !== null);
  if (schema.items !== undefined && words !== undefined) {
    const chosen = [value ?? []].flat();
    return html`<fieldset${described}${isWrong ? raw(' tabindex="-1"') : ''}><legend>${label}</legend>${words.map(
      (word) =>
        html`<label class="choice"><input type="checkbox" name="${prefix}${name}"
value="${word}"${chosen.includes(word) ? raw(' checked') : ''}>
<span>${word}${explained(c, kind, name, word)}</span></label>`,
    )}${parts}</fieldset>`;
  }
  const mostly = MOSTLY[`${kind}.${name}`];
  if (mostly !== undefined) {
    const given = textsIn(value);
    const others = given.filter((one) => !mostly.includes(one)).join(', ');
    const box = (word: string) => html`<label class="choice"><input type="checkbox"
name="${prefix}${name}" value="${word}"${given.includes(word) ? raw(' checked') : ''}>
<span>${typeText(translate, word)}</span></label>`;
    return html`<fieldset${described}><legend>${label}</legend>${mostly.map(box)}
<label for="${id}">${translate('form.others')}</label>
<input id="${id}" name="${prefix}${name}" value="${others}" maxlength="400" spellcheck="false">
${parts}</fieldset>`;
  }
  const after = html`${parts}`;
  if (words !== undefined || isBoolean(schema)) {
    const choices = words ?? ['false', 'true'];
    const isCoded = `${kind}.${name}` in CODED;
    const spoken = (word: string) =>
      words === undefined
        ? translate(word === 'true' ? 'app.yes' : 'app.no')
        : wordFor(translate, 'value', word);
    const chosen = String(value ?? AT_FIRST[`${kind}.${name}`] ?? (isCoded ? 0 : choices[0]));
    if (choices.some((word) => explained(c, kind, name, word) !== ''))
      return html`<fieldset${described}><legend>${label}</legend>${choices.map(
        (word) => html`<label class="choice"><input type="radio" name="${prefix}${name}"
value="${word}"${word === chosen ? raw(' checked') : ''}>
<span>${spoken(word)}${explained(c, kind, name, word)}</span></label>`,
      )}${after}</fieldset>`;
    const option = (word: string, at: number) => {
      const own = isCoded ? String(at) : word;
      return html`<option value="${own}"${own === chosen ? raw(' selected') : ''}>${spoken(word)}</option>`;
    };
    return html`<label for="${id}">${label}</label><select id="${id}"
name="${prefix}${name}"${described}>${choices.map(option)}</select>${after}`;
  }
  const text = textOf(c, name, schema, value);
  if (NAMES_PICTURE.has(name) && pictures.length > 0) {
    const own = pictures.some(({ fileGuid }) => fileGuid === text) || text === '' ? [] : [text];
    const choice = (key: string, shown: Content) =>
      html`<label class="choice"><input type="radio" name="${prefix}${name}"
value="${key}"${key === text ? raw(' checked') : ''}> ${shown}</label>`;
    return html`<fieldset${described}><legend>${label}</legend>
${choice('', translate('picture.none'))}${own.map((key) => choice(key, key))}${pictures.map(
  ({ fileGuid, path }) =>
    choice(fileGuid, html`<img src="${path}" alt="${fileGuid}" loading="lazy">`),
)}${after}</fieldset>`;
  }
  const attributes = html`id="${id}" name="${prefix}${name}"
maxlength="${schema.maxLength ?? 400}"${isRequired ? raw(' required') : ''}${described}`;
  if (isLong(schema))
    return html`<label for="${id}">${label}</label><textarea ${attributes} rows="12"
spellcheck="true">\n${text}</textarea>${after}`;
  const secret = name === 'password' ? raw(' type="password" autocomplete="new-password"') : '';
  const type = schema.format === 'date-time' ? raw(' type="date"') : secret;
  return html`<label for="${id}">${label}</label><input ${attributes}${type}
value="${text}" spellcheck="false">${after}`;
}

/** Whether a type, or one of several, is the wanted one. */
export const isOf = ({ type }: FieldSchema, wanted: string): boolean =>
  Array.isArray(type) ? type.includes(wanted) : type === wanted;

const isBoolean = (schema: FieldSchema) => isOf(schema, 'boolean');

/**
 * Returns the value for the API of a field's text that is not empty, as {@link textOf} shows it; a text that is no
 * number stays one, for the API to refuse.
 */
export function valueOfText(
  timeZone: string,
  name: string,
  schema: FieldSchema,
  text: string,
): string | number | boolean {
  if (isBoolean(schema)) return text === 'true';
  if (isOf(schema, 'integer') && /^-?\d+$/.test(text)) return Number(text);
  return instantOfDay(timeZone, name, schema, text.replaceAll('\r\n', '\n'));
}

/** The texts of a list, as a form has them: one or several fields, each with one or several of them. */
export const textsIn = (value: unknown): string[] =>
  [value ?? []]
    .flat()
    .flatMap((text) => String(text).split(/[\s,]+/))
    .filter((text) => text !== '');

/** Texts of people, longer than an address. */
const isLong = ({ maxLength = 0 }: FieldSchema) => maxLength > 2_048;

/** The text of a value in a field; of an instant its day, where the reader is. */
export function textOf(c: C, name: string, schema: FieldSchema, value: unknown): string {
  if (isBoolean(schema)) return String(value === true || value === 'true');
  if (value === null || value === undefined) return '';
  const text = Array.isArray(value) ? value.join(', ') : String(value);
  if (schema.format === 'date-time') return dayOfInstant(c.get('visit').timeZone, name, text);
  // As browsers send it.
  return text.replaceAll(/\r\n?/g, '\n');
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
