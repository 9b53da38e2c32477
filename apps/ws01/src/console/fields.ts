import type { Context } from 'hono';
import { html, raw } from 'hono/html';
import type { Ws01Error } from '../contract/errors.ts';
import type { FieldSchema } from './catalog.ts';
import { errorPart } from './errors.ts';
import { isBoolean, isLong, isOf, textOf, textsIn } from './field-values.ts';
import { labelled } from './labelled.ts';
import { formHintOf, type Translate } from './language.ts';
import type { Content, Html } from './layout.ts';
import { offered } from './offers.ts';
import type { Picture } from './pictures.ts';
import type { Questions } from './questions.ts';
import { withSettings } from './setting-links.ts';
import { problem } from './sign-in-pages.ts';
import { en, type TextKey } from './texts/en.ts';
import { actionText, CODED, fieldFor, marked, wordFor } from './values.ts';
import type { ConsoleEnv } from './visit.ts';

type C = Context<ConsoleEnv>;

/** A form as it was sent, or as it is shown at first. */
export interface FormState {
  /** The texts by member; absent: empty. A list has several. */
  readonly values: Readonly<Record<string, unknown>>;
  /** What is asked before the form is saved. */
  readonly questions?: Questions | undefined;
  /** Why the form was refused. */
  readonly refusal?: Ws01Error | undefined;
  /** What else it would be refused for, a member each. */
  readonly further?: readonly Ws01Error[] | undefined;
  /** By member, what somebody else has put there meanwhile. */
  readonly others?: Readonly<Record<string, Content>> | undefined;
  /** What is said above the form of that: who did it, and when. */
  readonly conflict?: Content | undefined;
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

/**
 * What a choice means, where its word does not say it: a scope or a kind of a token, a role of an
 * admin.
 */
function explained(c: C, kind: string, name: string, word: string): string {
  const { translate } = c.get('visit');
  const key = name === 'scopes' ? `scope.${word}` : `means.${kind}.${word}`;
  return Object.hasOwn(en, key) ? translate('form.means', { text: translate(key as TextKey) }) : '';
}

/** What is chosen at first where the first choice would give too much. */
const AT_FIRST: Readonly<Record<string, string>> = { 'admins.role': 'reader' };

/** The keyboard of a phone for members whose type does not say it. */
const KEYBOARDS: Readonly<Record<string, 'email' | 'tel' | 'url'>> = {
  email: 'email',
  ...Object.fromEntries(['cellPhone', 'contactPhone'].map((name) => [name, 'tel'])),
  ...Object.fromEntries(['url', 'orgUrl', 'fromUrl', 'linkUrl'].map((name) => [name, 'url'])),
};

/**
 * Fields are as wide as what is typed: phones and codes are short, titles and addresses of pages
 * long. In characters.
 */
const [FEW, MUCH] = [64, 200];

function widthOf(schema: FieldSchema): 'few' | 'much' | '' {
  const { maxLength = FEW } = schema;
  if (isOf(schema, 'integer') || maxLength < FEW) return 'few';
  return maxLength < MUCH ? '' : 'much';
}

/** A type of events in words, with its own name. */
function typeText(translate: Translate, type: string): Html {
  if (type === '*') return html`${translate('form.everything')} <code>*</code>`;
  const [noun = ''] = type.split('.');
  const text = type.endsWith('.*')
    ? translate('form.everyEvent', {
        things: wordFor(translate, 'kind', KINDS[noun] ?? `${noun}s`),
      })
    : actionText(translate, type).replace(/^./u, (letter) => letter.toUpperCase());
  return html`${text} <code>${type}</code>`;
}

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

/** So many fields are a long form. */
const LONG = 8;

/** Long forms in parts, each with its heading; what is in none comes after them. */
const PARTS: Readonly<Record<string, readonly (readonly [TextKey, readonly string[]])[]>> = {
  users: [
    ['form.part.name', ['id', 'name', 'firstName', 'lastName']],
    ['form.part.reach', ['email', 'cellPhone']],
    ['form.part.postal', ['address', 'address2', 'zipCode', 'city', 'state']],
  ],
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
  const plain = fields.filter((field) => !isSeldom(field));
  const parts = fields.length < LONG ? [] : (PARTS[fields[0]?.kind ?? ''] ?? []);
  const partOf = ([heading, names]: (typeof parts)[number]) =>
    html`<fieldset class="form-part"><legend>${c.get('visit').translate(heading)}</legend>${shown(
      names.flatMap((name) => plain.filter((field) => field.name === name)),
    )}</fieldset>`;
  const isIn = ({ name }: Field) => parts.some(([, names]) => names.includes(name));
  return html`${parts.map(partOf)}${shown(plain.filter((field) => !isIn(field)))}${seldom.length === 0 ? '' : more}`;
}

/** Shows above a form that it asks something, or a refusal that belongs to none of its fields. */
export function formProblem(
  c: C,
  names: readonly string[],
  { refusal, questions }: FormState,
): Html | '' {
  if (questions !== undefined)
    return html`<p class="notice" role="status">${c.get('visit').translate('form.asks')}</p>`;
  if (refusal === undefined || names.includes(memberOf(refusal))) return '';
  const text = errorPart(c.get('visit'), refusal);
  return problem(typeof text === 'string' ? withSettings(c, text) : text);
}

/** The member that an error is about: of `scopes[0]` it is `scopes`. */
const memberOf = ({ parameter = '' }: Ws01Error) => parameter.replace(/\[.*$/, '');

/** Shows a field with its label, its hint and what is wrong with its value, tied to it. */
export function formField(c: C, field: Field, state: FormState): Html {
  const { kind, name, schema, pictures = [] } = field;
  const known = (schema.items ?? schema).enum?.filter((word) => word !== null);
  const words = CODED[`${kind}.${name}`] ?? known;
  const mostly = MOSTLY[`${kind}.${name}`];
  const shown = shownField(c, field, state);
  if (schema.items !== undefined && words !== undefined) return severalOf(c, shown, words);
  if (mostly !== undefined) return mostlyOf(c, shown, mostly);
  if (words !== undefined || isBoolean(schema)) return oneOf(c, shown, words);
  const text = textOf(c, name, schema, shown.value);
  if (NAMES_PICTURE.has(name) && pictures.length > 0) return pictureOf(c, shown, text);
  return textField(shown, text);
}

/** What every control of a form needs, whatever it is. */
interface ShownField {
  readonly field: Field;
  readonly value: unknown;
  readonly id: string;
  /** The name that it is sent by. */
  readonly sentAs: string;
  readonly label: string;
  /**
   * What the label says besides to who sees it, where something must be given; browsers tell the
   * others.
   */
  readonly needed: Content;
  readonly isWrong: boolean;
  /** What is wrong with its value: below a field; of a group of choices above the first. */
  readonly wrong: Html | '';
  /** What else is said of it, below it, and the attributes that tie the control to all of that. */
  readonly after: Html;
  readonly described: Html;
}

function shownField(c: C, field: Field, state: FormState): ShownField {
  const { translate, language } = c.get('visit');
  const { kind, name, prefix = '', schema, pictures = [] } = field;
  const refusals = [state.refusal, ...(state.further ?? [])].filter((one) => one !== undefined);
  const refusal = refusals.find((one) => memberOf(one) === name);
  const id = `${prefix === '' ? 'n-' : prefix}${name}`;
  const label = fieldFor(translate, kind, name);
  const needed = field.isRequired ? html` data-needed="${translate('form.needed')}"` : '';
  const value = state.values[name];
  const other = state.others?.[name];
  // A refusal names one field; the others that lack something are named with it.
  const isEmpty = state.refusal !== undefined && field.isRequired && textsIn(value).length === 0;
  const isWrong = refusal !== undefined || isEmpty;
  const question = state.questions?.about[name];
  const isNoneChosen = schema.items?.enum !== undefined && [value ?? []].flat().length === 0;
  const why = () => {
    if (isNoneChosen) return translate('form.chooseOne');
    if (refusal === undefined) return translate('form.empty');
    return errorPart(c.get('visit'), language === 'en' ? named(refusal, label) : refusal);
  };
  const isSaid = `${kind}.${name}` in CODED || (NAMES_PICTURE.has(name) && pictures.length > 0);
  const hint = formHintOf(language, schema.description);
  const parts = {
    problem: isWrong ? why() : undefined,
    question: question === undefined ? undefined : withSettings(c, question),
    notice: other === undefined ? undefined : labelled(translate, translate('form.other'), other),
    // Whoever chooses a picture types no key.
    hint: isSaid || hint === '' ? undefined : marked(hint),
  };
  const said = Object.entries(parts).filter(([, part]) => part !== undefined);
  const idOf = (part: string) => `${id}-${part === 'notice' ? 'other' : part}`;
  const classOf = (part: string) => (part === 'question' ? 'notice' : part);
  const shownPart = ([part, text]: [string, Content | undefined]) =>
    html`<p class="${classOf(part)}" id="${idOf(part)}">${text}</p>`;
  const tied = said.map(([part]) => idOf(part)).join(' ');
  return {
    ...{ field, value, id, label, needed, isWrong },
    sentAs: `${prefix}${name}`,
    wrong: isWrong ? shownPart(said[0]!) : '',
    after: html`${(isWrong ? said.slice(1) : said).map(shownPart)}`,
    described: raw(
      `${tied === '' ? '' : ` aria-describedby="${tied}"`}${isWrong ? ' aria-invalid="true"' : ''}${
        isWrong || question !== undefined || other !== undefined ? ' autofocus' : ''
      }`,
    ),
  };
}

/** A box or a button to choose by, with what it means. */
function choice(
  type: 'checkbox' | 'radio',
  { sentAs }: ShownField,
  value: string,
  isChosen: boolean,
  shown: Content,
): Html {
  return html`<label class="choice"><input type="${type}" name="${sentAs}"
value="${value}"${isChosen ? raw(' checked') : ''}>
${shown}</label>`;
}

/** A field of several choices: what is asked, what is wrong, and the choices. */
const groupOf = ({ described, needed, label, wrong, after }: ShownField, choices: Content): Html =>
  html`<fieldset${described}><legend${needed}>${label}</legend>${wrong}${choices}${after}</fieldset>`;

/** Several words of those that there are. */
function severalOf(c: C, shown: ShownField, words: readonly string[]): Html {
  const { kind, name } = shown.field;
  const chosen = [shown.value ?? []].flat();
  const box = (word: string) =>
    choice(
      'checkbox',
      shown,
      word,
      chosen.includes(word),
      html`<span>${word}${explained(c, kind, name, word)}</span>`,
    );
  const focus = shown.isWrong ? raw(' tabindex="-1"') : '';
  const described = html`${shown.described}${focus}`;
  return groupOf({ ...shown, described }, html`${words.map(box)}`);
}

/** Several words, of which some are usual. */
function mostlyOf(c: C, shown: ShownField, mostly: readonly string[]): Html {
  const { translate } = c.get('visit');
  const { id, sentAs } = shown;
  const given = textsIn(shown.value);
  const others = given.filter((one) => !mostly.includes(one)).join(', ');
  const box = (word: string) =>
    choice(
      'checkbox',
      shown,
      word,
      given.includes(word),
      html`<span>${typeText(translate, word)}</span>`,
    );
  return groupOf(
    shown,
    html`${mostly.map(box)}
<label for="${id}">${translate('form.others')}</label>
<input id="${id}" name="${sentAs}" value="${others}" maxlength="400" spellcheck="false">
`,
  );
}

/** One of the words that there are, or yes or no. */
function oneOf(c: C, shown: ShownField, words: readonly string[] | undefined): Html {
  const { translate } = c.get('visit');
  const { id, label, needed, sentAs, described, wrong, after } = shown;
  const { kind, name } = shown.field;
  const choices = words ?? ['false', 'true'];
  const isCoded = `${kind}.${name}` in CODED;
  const spoken = (word: string) =>
    words === undefined
      ? translate(word === 'true' ? 'app.yes' : 'app.no')
      : wordFor(translate, 'value', word);
  const first = AT_FIRST[`${kind}.${name}`] ?? (isCoded ? 0 : choices[0]);
  const chosen = String(shown.value ?? first);
  const explains = (word: string) => explained(c, kind, name, word);
  if (choices.some((word) => explains(word) !== '')) {
    const button = (word: string) =>
      choice(
        'radio',
        shown,
        word,
        word === chosen,
        html`<span>${spoken(word)}${explains(word)}</span>`,
      );
    return html`<fieldset${described}><legend>${label}</legend>${wrong}${choices.map(button)}${after}</fieldset>`;
  }
  const option = (word: string, at: number) => {
    const own = isCoded ? String(at) : word;
    return html`<option value="${own}"${own === chosen ? raw(' selected') : ''}>${spoken(word)}</option>`;
  };
  return html`<label for="${id}"${needed}>${label}</label><select id="${id}"
name="${sentAs}"${described}>${choices.map(option)}</select>${wrong}${after}`;
}

/** One of the pictures that there are, or the key that stands there. */
function pictureOf(c: C, shown: ShownField, text: string): Html {
  const { pictures = [] } = shown.field;
  const isKnown = text === '' || pictures.some(({ fileGuid }) => fileGuid === text);
  const button = (key: string, picture: Content) =>
    choice('radio', shown, key, key === text, picture);
  const none = button('', c.get('visit').translate('picture.none'));
  const known = pictures.map(({ fileGuid, path }) =>
    button(fileGuid, html`<img src="${path}" alt="${fileGuid}" loading="lazy">`),
  );
  return groupOf(shown, html`${none}${isKnown ? '' : button(text, text)}${known}`);
}

function textField(
  { field, id, label, needed, sentAs, described, wrong, after }: ShownField,
  text: string,
): Html {
  const { name, schema, isRequired } = field;
  const attributes = html`id="${id}" name="${sentAs}"
maxlength="${schema.maxLength ?? 400}"${isRequired ? raw(' required') : ''}${described}`;
  if (isLong(schema))
    return html`<label for="${id}"${needed}>${label}</label><textarea ${attributes} rows="12"
spellcheck="true">\n${text}</textarea>${wrong}${after}`;
  const secret = name === 'password' ? raw(' type="password" autocomplete="new-password"') : '';
  const type = schema.format === 'date-time' ? raw(' type="date"') : secret;
  // The sender of the mail server is an address.
  const offers = offered(field.kind === 'mail-server' ? '' : name, id);
  const keyboard = isOf(schema, 'integer') ? 'numeric' : KEYBOARDS[name];
  const keys = keyboard === undefined ? '' : html` inputmode="${keyboard}" autocapitalize="none"`;
  // What stands there is of other people than whose browser fills it in.
  const own = type === '' && offers.list === '' ? raw(' autocomplete="off"') : '';
  return html`<label for="${id}"${needed}>${label}</label><input ${attributes}${type}${offers.attributes}${keys}${own}
class="${widthOf(schema)}" enterkeyhint="done" value="${text}" spellcheck="false">${offers.list}${wrong}${after}`;
}

/**
 * An English error that begins with the name of a member begins with the label of its field; others
 * have it translated.
 */
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
