import { en, type TextKey, type Texts } from './texts/en.ts';
import { zh } from './texts/zh.ts';
import { ZH_API } from './texts/zh-api.ts';
import { ZH_HINTS } from './texts/zh-hints.ts';

const LANGUAGES = { en, zh } as const;

export type Language = keyof typeof LANGUAGES;

/** Returns a text of the console, with its placeholders filled in. */
export type Translate = (key: TextKey, values?: Readonly<Record<string, string | number>>) => string;

/** Returns the chosen language, else the browser's first supported one, else English. */
export function languageOf(chosen: string | undefined, accepted: string | undefined): Language {
  if (chosen !== undefined && Object.hasOwn(LANGUAGES, chosen)) return chosen as Language;
  const wanted = (accepted ?? '').split(',').map((range) => range.trim().slice(0, 2).toLowerCase());
  return (wanted.find((code) => Object.hasOwn(LANGUAGES, code)) as Language | undefined) ?? 'en';
}

/** Returns the API's summary of an action as a sentence in a language. */
export function sentenceOf(language: Language, summary: string): string {
  return language === 'zh' && Object.hasOwn(ZH_API, summary) ? `${ZH_API[summary]}。` : `${summary}.`;
}

/** Returns the API's description of a member in a language; empty if there is none. */
export function hintOf(language: Language, description = ''): string {
  return language === 'zh' && Object.hasOwn(ZH_HINTS, description) ? ZH_HINTS[description]! : description;
}

/** Creates the texts of a language. */
export function translator(language: Language): Translate {
  const texts: Texts = LANGUAGES[language];
  return (key, values) =>
    values === undefined ? texts[key] : texts[key].replaceAll(/\{(\w+)\}/g, (_, name) => String(values[name] ?? ''));
}
