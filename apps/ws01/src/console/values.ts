import { html } from 'hono/html';
import type { Item } from '../api/kind.ts';
import type { Language } from '../web/language.ts';
import { type Detail, detailsOf } from './audit-details.ts';
import type { FieldSchema } from './catalog.ts';
import { causeOf } from './causes.ts';
import { icon } from './icons.ts';
import { labelled } from './labelled.ts';
import type { Translate } from './language.ts';
import { ago, type Content, type Html, time } from './layout.ts';
import { kindsOf, type Names } from './names.ts';
import { segmentOf } from './paths.ts';
import { meaningOfReply } from './replies.ts';
import { cut, unturned } from './text.ts';
import { en, type TextKey } from './texts/en.ts';
import { SETTING_TEXTS } from './texts/settings.ts';
import { reasonInChinese } from './texts/zh-reasons.ts';
import { HOME } from './visit.ts';

/** Members whose values link to a search. */
const SEARCHED = new Set([
  'ip',
  'claimedIp',
  'claimedAddress',
  'believedAddress',
  'writtenFrom',
  'address',
  'receiverEmail',
  'phone',
  'linkGuid',
  'contactPhone',
  'requestId',
]);

/** Keys and hashes that the service made, which nobody reads. */
const MADE_KEY = /^(?:[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}|[\da-f]{64})$/;

/** Members that name an action. */
export const ACTIONS: ReadonlySet<string> = new Set(['action', 'type']);

/** Members that say what a record is. */
const KINDS: ReadonlySet<string> = new Set(['targetKind', 'kind']);

/** Members with sentences that the service stored in English. */
const REASONS = new Set(['reason', 'lastReply', 'reply']);

/** Members that describe something, with code in backticks. */
const DESCRIBING = new Set(['documentation', 'default']);

const TONES: Readonly<Record<string, string>> = {
  published: 'good',
  sent: 'good',
  delivered: 'good',
  active: 'good',
  verified: 'good',
  public: 'good',
  up: 'good',
  ok: 'good',
  held: 'warn',
  pending: 'warn',
  waiting: 'warn',
  unlisted: 'warn',
  withdrawn: 'warn',
  late: 'bad',
  damaged: 'bad',
  missing: 'bad',
  interrupted: 'bad',
  sound: 'good',
  queued: 'warn',
  deferred: 'warn',
  draft: 'warn',
  hidden: 'warn',
  expired: 'warn',
  replaced: 'warn',
  locked: 'bad',
  kept: 'warn',
  removed: 'bad',
  trash: 'bad',
  failed: 'bad',
  wrong: 'bad',
  right: 'good',
  bounced: 'bad',
  suppressed: 'bad',
  cancelled: 'bad',
  disabled: 'bad',
  deleted: 'bad',
  emptied: 'warn',
  blocked: 'bad',
};

/** Returns the translation of a name if there is one, else the API's name. */
export function wordFor(
  translate: Translate,
  group: 'field' | 'value' | 'kind' | 'verb',
  name: string,
): string {
  const key = `${group}.${name}`;
  if (Object.hasOwn(en, key)) return translate(key as TextKey);
  const words = name.replaceAll(/[-_]/g, ' ').replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ');
  return group === 'value' ? words : words.charAt(0).toUpperCase() + words.slice(1).toLowerCase();
}

/** Returns what one record of a kind is called. */
export function oneOf(translate: Translate, kind: string): string {
  const key = `action.${kind.replace(/ies$/, 'y').replace(/(?<!m)s$/, '')}`;
  return Object.hasOwn(en, key) ? translate(key as TextKey) : wordFor(translate, 'kind', kind);
}

/** Returns what the tab of a record's page says: what it is, and what it is called. */
export function tabOf(translate: Translate, kind: string, name: string): string {
  const text = translate('app.tab', { kind: oneOf(translate, kind), name });
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Returns the name of a member, for a kind or in general. */
export function fieldFor(translate: Translate, kind: string, name: string): string {
  const key = `field.${kind}.${name}`;
  return Object.hasOwn(en, key) ? translate(key as TextKey) : wordFor(translate, 'field', name);
}

/** Returns the name of a verb, for a kind or in general. */
export function verbFor(translate: Translate, kind: string, verb: string): string {
  const key = `verb.${kind}.${verb}`;
  return Object.hasOwn(en, key) ? translate(key as TextKey) : wordFor(translate, 'verb', verb);
}

/**
 * Returns an action of the audit trail or the type of an event, such as `article.create`, in words
 * of the language.
 */
export function actionText(translate: Translate, action: string): string {
  const whole = `action.${action}`;
  if (Object.hasOwn(en, whole)) return translate(whole as TextKey);
  const [noun = '', did = ''] = action.split('.');
  const keys = [`action.${noun}`, `action.${did}`];
  if (!keys.every((key) => Object.hasOwn(en, key))) return action;
  const [thing, verb] = keys.map((key) => translate(key as TextKey));
  return translate('action.pair', { thing: thing!, verb: verb! });
}

/** Shows an action. */
export function actionFor(translate: Translate, action: string): Content {
  return html`<span class="act">${titled(actionText(translate, action), action)}</span>`;
}

/** A text for people; its title has what filters and the API call it. */
const titled = (text: string, called: string): Content =>
  text === called ? called : html`<span class="word" title="${called}">${text}</span>`;

/**
 * Returns what the audit trail and events call a thing, such as `article`, in words of the
 * language.
 */
function thingFor(translate: Translate, thing: string): string {
  const key = `action.${thing}`;
  return Object.hasOwn(en, key) ? translate(key as TextKey) : thing;
}

/**
 * Shows a value of an enumeration, with a colour for its meaning. The text alone is enough to
 * understand it.
 */
export function tag(translate: Translate, word: string): Content {
  const look = ['tag', TONES[word] ?? ''].join(' ').trim();
  return html`<span class="${look}">${wordFor(translate, 'value', word)}</span>`;
}

/**
 * Shows a description of the API; text in backticks becomes code, a link to a page of the
 * documentation its words.
 */
export function marked(described: string): Content {
  const text = described.replaceAll(/\[([^[\]]{1,100})\]\([^()]{1,200}\)/g, '$1');
  const parts = text.split('`');
  return parts.length < 3
    ? text
    : html`${parts.map((part, at) => (at % 2 === 1 ? html`<code>${part}</code>` : part))}`;
}

/**
 * What keeps together in an address that is broken over lines, if it is no longer than this; UTF-16
 * code units.
 */
const WHOLE_CHARS = 24;

/**
 * An address without blanks, which lines may break after its signs, never within a short part, such
 * as a code.
 */
export function addressText(text: string): Html {
  const parts = text.split(/(?<=[/@.?&=_-])(?![/@.?&=_-])/);
  return html`${parts.map((part, at) => {
    const shownPart = part.length > WHOLE_CHARS ? part : html`<span class="whole">${part}</span>`;
    return at === 0 ? shownPart : html`<wbr>${shownPart}`;
  })}`;
}

/** Maximum length of a text in a table; UTF-16 code units. */
const CELL_CHARS = 120;

/** What pages show values with. */
export interface Showing {
  readonly translate: Translate;
  /** What the records that values lead to are called. */
  readonly names?: Names;
  /** Of entries of the audit trail, by their keys, what they tell with what was changed to what. */
  readonly details?: ReadonlyMap<string, readonly Detail[]>;
  /** The paths of small images by their keys: such a key is shown as its picture. */
  readonly pictures?: ReadonlyMap<string, string>;
  /** Whether it is for a table. */
  readonly short?: boolean;
  /** The record, where other members say what the value is. */
  readonly item?: Item;
  /** In which stored reasons, and names of settings, are shown; absent: in English. */
  readonly language?: Language;
}

/** Shows a member of a record. */
export function shown(
  showing: Showing,
  name: string,
  schema: FieldSchema | undefined,
  value: unknown,
): Content {
  const { translate, short = false, item = {} } = showing;
  if (name === 'by') return whoDid(showing, value);
  if (name === 'reason' && 'error' in item) return causeAndMore(translate, item);
  if (value === null || value === undefined || value === '') return '–';
  if (value === 'attempted' && typeof item.isRight === 'boolean')
    return tag(translate, outcomeOf(item.isRight));
  if (name === 'isPositive') return vote(translate, value === true);
  if (typeof value === 'boolean') return translate(value ? 'app.yes' : 'app.no');
  if (schema?.format === 'date-time' && typeof value === 'string')
    return short ? ago(value) : time(value);
  if (schema?.enum !== undefined && typeof value === 'string') return tag(translate, value);
  if (Array.isArray(value)) return listText(value) || '–';
  if (name === 'details' && 'action' in item)
    return detailList(showing, showing.details?.get(String(item.id)) ?? detailsOf(item));
  if (typeof value === 'object') return detailList(showing, plainDetails(value as Item));
  if (name === 'bytes' && typeof value === 'number') return bytesText(value);
  const text = String(value);
  const plain = short ? cut(text, CELL_CHARS) : unturned(text);
  const fit = short && MADE_KEY.test(text) ? shortKey(text) : plain;
  const kinds = kindsOf(name, item);
  if (kinds.length > 0) return reference(showing, kinds, text, fit);
  if (schema?.format === 'uri' && /^https?:\/\//.test(text)) {
    const address = typeof fit === 'string' ? addressText(fit) : fit;
    return html`<a href="${text}" rel="noopener noreferrer nofollow">${address}</a>`;
  }
  if (REASONS.has(name)) return reasonText(showing, name, text);
  if (DESCRIBING.has(name)) return inCode(marked(plain));
  if (name === 'value') return inCode(fit);
  if (ACTIONS.has(name)) return actionFor(translate, plain);
  if (KINDS.has(name)) return titled(thingFor(translate, text), text);
  // What users have as their address is no address of a network.
  if (SEARCHED.has(name) && (name !== 'address' || /^[\da-f.:]+$/.test(text)))
    return searchLink(translate, text, fit);
  return typeof fit === 'string' && /^https?:\/\/\S+$/.test(fit) ? addressText(fit) : fit;
}

/** Why a call failed, and how many more of which it is the last that is listed. */
function causeAndMore(translate: Translate, item: Item): Content {
  const cause = causeOf(translate, item);
  const count = Number(item.moreAlike ?? 0);
  return count === 0
    ? cause
    : html`${cause} <span class="hint">${translate('failure.more', { count })}</span>`;
}

/**
 * A reason that the service stored in English; of a reply to a test mail also what it means, where
 * that is known.
 */
function reasonText({ translate, language, short }: Showing, name: string, text: string): Content {
  const told = (language === 'zh' && reasonInChinese(text)) || text;
  const plain = short ? cut(told, CELL_CHARS) : unturned(told);
  const meaning = name === 'reply' ? meaningOfReply(text) : undefined;
  return meaning === undefined ? plain : html`${plain} <strong>${translate(meaning)}</strong>`;
}

/** How the attempt to give a code came out. */
export const outcomeOf = (isRight: unknown) => (isRight === true ? 'right' : 'wrong');

const vote = (translate: Translate, isFor: boolean): Html =>
  html`<span class="short">${translate(isFor ? 'review.for' : 'review.against')}</span>`;

const searchLink = (translate: Translate, text: string, shownText: Content): Html =>
  html`<a href="${HOME}/search?q=${encodeURIComponent(text)}"
title="${translate('app.search.for', { text })}">${shownText}</a>`;

const shortKey = (key: string): Html =>
  html`<span class="short" title="${key}">${cut(key, 8)}</span>`;

const listText = (values: readonly unknown[]): string =>
  values.map((one) => (typeof one === 'object' ? JSON.stringify(one) : String(one))).join(', ');

/**
 * A link to a record by its name, with its key to copy where there is room; without a name by its
 * key.
 */
function reference(
  { translate, language, names, pictures, short = false }: Showing,
  kinds: readonly string[],
  key: string,
  fit: Content,
): Content {
  const picture = kinds.includes('images') ? pictures?.get(key) : undefined;
  if (picture !== undefined)
    return html`<a href="${HOME}/images/${segmentOf(key)}"
title="${key}"><img class="thumb" src="${picture}" alt="${key}" loading="lazy"></a>`;
  const named = kinds.find((kind) => names?.has(`${kind}/${key}`));
  const [only] = kinds;
  const ofSetting = only === 'settings' ? SETTING_TEXTS[key] : undefined;
  const name =
    named === undefined ? ofSetting?.[language === 'zh' ? 1 : 0] : names?.get(`${named}/${key}`);
  if (name === undefined && kinds.length > 1) return searchLink(translate, key, fit);
  const path = `${HOME}/${named ?? only}/${segmentOf(key)}`;
  if (name === undefined) return html`<a href="${path}">${fit}</a>`;
  const link = html`<a href="${path}" title="${key}"><bdi>${cut(name, NAME_CHARS)}</bdi></a>`;
  return short ? link : html`${link} ${copyable(translate, key)}`;
}

/** Maximum length of a name that stands for a key; UTF-16 code units. */
const NAME_CHARS = 60;

/** A key, shortened if it is long, with a button that copies it. */
export function copyable(translate: Translate, key: string): Html {
  const code = key.length > 20 ? shortKey(key) : unturned(key);
  const button = copyButton(translate, html` data-copy value="${key}"`, key);
  return html`<span class="key"><code>${code}</code>
${button}</span>`;
}

/** A button that copies. @param what its attributes that say what. @param called what that is called. */
export function copyButton(translate: Translate, what: Content, called: string): Html {
  const copy = translate('app.copy');
  return html`<button type="button" class="plain"${what}
aria-label="${labelled(translate, copy, called)}" title="${copy}">${icon('app', 'copy')}<span
class="hidden">${copy}</span></button>`;
}

/** Who did something: a person by name, an application by its token. */
function whoDid(showing: Showing, value: unknown): Content {
  const token = showing.item?.tokenId;
  if (typeof value === 'string' && value !== '') return html`<bdi>${cut(value, NAME_CHARS)}</bdi>`;
  return shown(showing, 'tokenId', undefined, token);
}

/** What a value was, and what it is; what there was none of is neither struck out nor marked. */
export function replaced(before: Content, after: Content): Html {
  const was = before === '–' ? before : html`<del>${before}</del>`;
  return html`${was} → ${after === '–' ? after : html`<ins>${after}</ins>`}`;
}

/** What only machines read; it stands on the page of the entry. */
const MACHINES: ReadonlySet<string> = new Set(['sha256']);

/** Numbers of the contract that people see as words, in the order of the numbers. */
export const CODED: Readonly<Record<string, readonly string[]>> = {
  'articles.status': ['published', 'draft', 'pending', 'hidden'],
};

/** The word for a number that has one; the text itself for any other. */
export function decoded(translate: Translate, kind: string, name: string, text: string): string {
  const word = CODED[`${kind}.${name}`]?.[Number(text)];
  return word === undefined ? text : wordFor(translate, 'value', word);
}

/** Members that stand in the details of entries, and what form their values have. */
const DETAIL_FORMS: Readonly<Record<string, FieldSchema>> = {
  ...Object.fromEntries(
    ['kind', 'state', 'status', 'role', 'outcome'].map((name) => [name, { enum: [] }] as const),
  ),
  ...Object.fromEntries(
    [
      ...['writtenAt', 'heldSince', 'since', 'until', 'expiresAt', 'pinnedTopDueDate'],
      ...['deadline', 'showDeadLine'],
    ].map((name) => [name, { format: 'date-time' }] as const),
  ),
};

/** Shows what an entry of the audit trail tells: a line each, changes with what was before. */
export function detailList(showing: Showing, details: readonly Detail[]): Content {
  const { translate, item = {}, short = false } = showing;
  const [kind = ''] = kindsOf('targetKey', item);
  const told = short ? details.filter(({ name }) => !MACHINES.has(name)) : details;
  if (told.length === 0) return '–';
  const line = (detail: Detail) => {
    const { name } = detail;
    const valueText = (value: unknown) =>
      detailValue(showing, name, CODED[`${kind}.${name}`]?.[Number(value)] ?? value);
    const called = fieldFor(translate, kind, name);
    const word = isInstant(name) ? time(name) : called;
    if (name === 'revision' && item.targetKind === 'article') {
      const path = `${HOME}/articles/${segmentOf(String(item.targetKey))}/revisions/${detail.value}`;
      const number = String(detail.value);
      return html`<a href="${path}">${translate('detail.revision', { number })}</a>`;
    }
    if (name === 'content') return translate('audit.contentChanged');
    if (name === 'changed' && Array.isArray(detail.value)) {
      const words = detail.value.map((one) => fieldFor(translate, kind, String(one)));
      return labelled(translate, word, words.join(', '));
    }
    if (!('before' in detail)) return labelled(translate, word, valueText(detail.value));
    const before = valueText(detail.before);
    return 'value' in detail
      ? labelled(translate, word, replaced(before, valueText(detail.value)))
      : labelled(translate, translate('audit.before', { field: called }), before);
  };
  return html`<ul class="plain told">${told.map((one) => html`<li>${line(one)}</li>`)}</ul>`;
}

const isInstant = (text: string) => /^\d{4}-\d\d-\d\dT/.test(text);

function detailValue(showing: Showing, name: string, value: unknown): Content {
  const { format, ...form } = DETAIL_FORMS[name] ?? {};
  const isTime = format !== undefined && isInstant(String(value));
  const schema = isTime ? { format } : form;
  // A text of one entry says nothing of what the others are about.
  return shown({ ...showing, item: {} }, name, schema, value);
}

const plainDetails = (value: Item): readonly Detail[] =>
  Object.entries(value).map(([name, one]) => ({
    name,
    value: typeof one === 'object' && one !== null ? JSON.stringify(one) : one,
  }));

/** A size as people read it: `784 KiB`; a title has the bytes. */
function bytesText(bytes: number): Content {
  const unit = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  const step = bytes < 1 ? 0 : Math.min(4, Math.floor(Math.log2(bytes) / 10));
  const count = bytes / 1024 ** step;
  const digits = step === 0 || count >= 100 ? 0 : 1;
  return html`<span class="short" title="${bytes}">${count.toFixed(digits)} ${unit[step]}</span>`;
}

/** Shows what is in English in every language: names of code, and the documentation of settings. */
function inCode(content: Content): Content {
  return html`<span lang="en">${content}</span>`;
}
