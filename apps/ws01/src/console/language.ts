import { en, type TextKey, type Texts } from './texts/en.ts';
import { zh } from './texts/zh.ts';
import { ZH_API } from './texts/zh-api.ts';

const LANGUAGES = { en, zh } as const;

export type Language = keyof typeof LANGUAGES;

/** Says a text of the console, with what stands in its braces. */
export type Say = (key: TextKey, values?: Readonly<Record<string, string | number>>) => string;

/** The language that was chosen, else the first of the browser's that there is, else English. */
export function languageOf(chosen: string | undefined, accepted: string | undefined): Language {
  if (chosen !== undefined && Object.hasOwn(LANGUAGES, chosen)) return chosen as Language;
  const wanted = (accepted ?? '').split(',').map((range) => range.trim().slice(0, 2).toLowerCase());
  return (wanted.find((code) => Object.hasOwn(LANGUAGES, code)) as Language | undefined) ?? 'en';
}

/** What the API says of something that can be done, as a sentence in a language. */
export function sentenceOf(language: Language, summary: string): string {
  return language === 'zh' && Object.hasOwn(ZH_API, summary) ? `${ZH_API[summary]}。` : `${summary}.`;
}

/** How a language says things. */
export function sayIn(language: Language): Say {
  const texts: Texts = LANGUAGES[language];
  return (key, values) =>
    values === undefined ? texts[key] : texts[key].replaceAll(/\{(\w+)\}/g, (_, name) => String(values[name] ?? ''));
}
