import type { Language } from '../web/language.ts';
import { en, type TextKey, type Texts } from './texts/en.ts';
import { OWNER_HINTS } from './texts/owner-hints.ts';
import { zh } from './texts/zh.ts';
import { ZH_API } from './texts/zh-api.ts';
import { ZH_HINTS } from './texts/zh-hints.ts';

const LANGUAGES = { en, zh } as const;

/**
 * Returns a text of the console. A value stands for `{name}`. The form of a word that fits a number stands for
 * `{name|one|other}`: `{count} {count|mail|mails}` is `1 mail`.
 */
export interface Translate {
  (key: TextKey, values?: Readonly<Record<string, string | number>>): string;
  readonly language: Language;
  /** What stands between a word and what it names. */
  readonly colon: string;
}

/**
 * Returns what a form says to an owner in the place of the API's sentence; `undefined` where it has
 * nothing of its own.
 */
const ownerHint = (language: Language, about: string): string | undefined =>
  OWNER_HINTS[about]?.[language === 'zh' ? 1 : 0];

/** Returns the API's summary of an action as a sentence in a language; empty where the page says it by itself. */
export function sentenceOf(language: Language, summary: string): string {
  const own = ownerHint(language, summary);
  if (own !== undefined) return own;
  return language === 'zh' && Object.hasOwn(ZH_API, summary)
    ? `${ZH_API[summary]}。`
    : `${summary}.`;
}

/** Returns the API's description of a member in a language; empty if there is none. */
export function hintOf(language: Language, description = ''): string {
  // People see an empty field where the API has null.
  return language === 'zh' && Object.hasOwn(ZH_HINTS, description)
    ? ZH_HINTS[description]!
    : description.replaceAll(/\bnull\b/g, 'empty');
}

/** Returns what a form says of a member in a language; empty where its label says it all. */
export function formHintOf(language: Language, description = ''): string {
  const own = ownerHint(language, description);
  if (own !== undefined) return own;
  return saysMore(description) ? hintOf(language, description) : '';
}

/** Whether a description says more than the label of its field, and than that a field may be empty. */
const saysMore = (about: string) =>
  about !== '' && !/^(?:null clears|\S+(?: \S+)?|.*may be empty)\.$/.test(about);

/** A value of a text, or the form of a word for a number. */
const PLACEHOLDER = /\{(\w+)(?:\|([^|{}]*)\|([^|{}]*))?\}/g;

/** Chinese characters, and what is set apart from them by a blank. */
const [HAN, LATIN] = [/\p{sc=Han}/u, /[\p{sc=Latn}\p{Nd}]/u];

/** Puts a blank between a Chinese text and a Latin word or a number that is filled in. */
function setApart(value: string, before: string, after: string): string {
  const isApart = (one: string, other: string) => HAN.test(one) && LATIN.test(other);
  const [first, last] = [value.slice(0, 1), value.slice(-1)];
  return `${isApart(before, first) ? ' ' : ''}${value}${isApart(after, last) ? ' ' : ''}`;
}

/** Creates the texts of a language. */
export function translator(language: Language): Translate {
  const texts: Texts = LANGUAGES[language];
  const plurals = new Intl.PluralRules(language);
  const filled = (
    value: string | number | undefined,
    one: string | undefined,
    other: string | undefined,
  ) => {
    if (one === undefined || other === undefined) return String(value ?? '');
    return plurals.select(Number(value)) === 'one' ? one : other;
  };
  const translate = (key: TextKey, values?: Readonly<Record<string, string | number>>) =>
    values === undefined
      ? texts[key]
      : texts[key].replaceAll(PLACEHOLDER, (whole, name, one, other, at: number, text: string) => {
          const end = at + whole.length;
          return setApart(
            filled(values[name], one, other),
            text.slice(at - 1, at),
            text.slice(end, end + 1),
          );
        });
  return Object.assign(translate, { language, colon: language === 'zh' ? '：' : ': ' });
}
