import { html } from 'hono/html';
import type { FieldSchema } from './catalog.ts';
import type { Translate } from './language.ts';
import { type Content, time } from './layout.ts';
import { segmentOf } from './paths.ts';
import { cut, unturned } from './text.ts';
import { en, type TextKey } from './texts/en.ts';
import { HOME } from './visit.ts';

/** The kind of record that a member's value is the key of. */
const LEADS_TO: Readonly<Record<string, string>> = {
  createUserId: 'users',
  owner: 'users',
  userId: 'users',
  sender: 'users',
  tokenId: 'tokens',
  mailId: 'mails',
  iconGuid: 'images',
  articleGuid: 'articles',
  webhookId: 'webhooks',
  eventId: 'events',
};

/** Members whose values link to a search. */
const SEARCHED = new Set([
  'ip',
  'claimedIp',
  'address',
  'receiverEmail',
  'phone',
  'linkGuid',
  'contactPhone',
]);

/** The kind of record that an entry of the audit trail is about. */
const TARGETS: Readonly<Record<string, string>> = {
  address: 'suppressions',
  admin: 'admins',
  advert: 'adverts',
  article: 'articles',
  image: 'images',
  link: 'links',
  mail: 'mails',
  report: 'reports',
  review: 'reviews',
  setting: 'settings',
  token: 'tokens',
  user: 'users',
  webhook: 'webhooks',
};

/** Keys that the service made, which nobody reads. */
const MADE_KEY = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/;

/** Members that name an action. */
export const ACTIONS: ReadonlySet<string> = new Set(['action', 'type']);

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
  late: 'bad',
  queued: 'warn',
  draft: 'warn',
  hidden: 'warn',
  expired: 'warn',
  kept: 'warn',
  removed: 'bad',
  trash: 'bad',
  failed: 'bad',
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
  const key = `action.${kind.replace(/s$/, '')}`;
  return Object.hasOwn(en, key) ? translate(key as TextKey) : wordFor(translate, 'kind', kind);
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

/** Returns an action of the audit trail or the type of an event, such as `article.create`, in words of the language. */
export function actionText(translate: Translate, action: string): string {
  const [noun = '', did = ''] = action.split('.');
  const keys = [`action.${noun}`, `action.${did}`];
  if (!keys.every((key) => Object.hasOwn(en, key))) return action;
  const [thing, verb] = keys.map((key) => translate(key as TextKey));
  return translate('action.pair', { thing: thing!, verb: verb! });
}

/** Shows an action; a title has what filters and the API call it. */
export function actionFor(translate: Translate, action: string): Content {
  const text = actionText(translate, action);
  return text === action ? action : html`<span title="${action}">${text}</span>`;
}

/** Shows a value of an enumeration, with a colour for its meaning. The text alone is enough to understand it. */
export function tag(translate: Translate, word: string): Content {
  const tone = TONES[word];
  return html`<span class="tag${tone === undefined ? '' : ` ${tone}`}">${wordFor(translate, 'value', word)}</span>`;
}

/** Shows a description of the API; text in backticks becomes code, a link to a page of the documentation its words. */
export function marked(described: string): Content {
  const text = described.replaceAll(/\[([^[\]]{1,100})\]\([^()]{1,200}\)/g, '$1');
  const parts = text.split('`');
  return parts.length < 3
    ? text
    : html`${parts.map((part, at) => (at % 2 === 1 ? html`<code>${part}</code>` : part))}`;
}

/** Maximum length of a text in a table; UTF-16 code units. */
const CELL_CHARS = 120;

/**
 * Shows a member of a record; `short` is for tables.
 * @param item the record, where other members say what the value is.
 */
export function shown(
  translate: Translate,
  name: string,
  schema: FieldSchema | undefined,
  value: unknown,
  short = false,
  item: Readonly<Record<string, unknown>> = {},
): Content {
  if (value === null || value === undefined || value === '') return '–';
  if (name === 'isPositive') return translate(value === true ? 'review.for' : 'review.against');
  if (typeof value === 'boolean') return translate(value ? 'app.yes' : 'app.no');
  if (schema?.format === 'date-time' && typeof value === 'string') return time(value);
  if (schema?.enum !== undefined && typeof value === 'string') return tag(translate, value);
  if (Array.isArray(value)) {
    return value.every((one) => typeof one !== 'object')
      ? value.join(', ')
      : JSON.stringify(value, null, 1);
  }
  if (typeof value === 'object') return inCode(objectText(value as Record<string, unknown>));
  if (name === 'bytes' && typeof value === 'number') return bytesText(value);
  const text = String(value);
  const plain = short ? cut(text, CELL_CHARS) : unturned(text);
  const isMade = short && MADE_KEY.test(text);
  const fit = isMade ? html`<span title="${text}">${text.slice(0, 8)}…</span>` : plain;
  const kind = name === 'targetKey' ? TARGETS[String(item.targetKind)] : LEADS_TO[name];
  if (kind !== undefined) return html`<a href="${HOME}/${kind}/${segmentOf(text)}">${fit}</a>`;
  if (schema?.format === 'uri' && /^https?:\/\//.test(text)) {
    return html`<a href="${text}" rel="noopener noreferrer nofollow">${fit}</a>`;
  }
  if (DESCRIBING.has(name)) return inCode(marked(plain));
  if (name === 'value') return inCode(fit);
  if (ACTIONS.has(name)) return actionFor(translate, plain);
  // What users have as their address is no address of a network.
  if (SEARCHED.has(name) && (name !== 'address' || /^[\da-f.:]+$/.test(text)))
    return html`<a href="${HOME}/search?q=${encodeURIComponent(text)}"
title="${translate('app.search.for', { text })}">${fit}</a>`;
  return fit;
}

/** A size as people read it: `784 KiB`; a title has the bytes. */
function bytesText(bytes: number): Content {
  const unit = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  const step = bytes < 1 ? 0 : Math.min(4, Math.floor(Math.log2(bytes) / 10));
  const count = bytes / 1024 ** step;
  const digits = step === 0 || count >= 100 ? 0 : 1;
  return html`<span title="${bytes}">${count.toFixed(digits)} ${unit[step]}</span>`;
}

/** Shows what is in English in every language: names of code, and the documentation of settings. */
function inCode(content: Content): Content {
  return html`<span lang="en">${content}</span>`;
}

function objectText(value: Readonly<Record<string, unknown>>): string {
  return Object.entries(value)
    .map(([name, one]) => `${name}: ${typeof one === 'object' ? JSON.stringify(one) : String(one)}`)
    .join('; ');
}
