/** The languages of pages. */
const LANGUAGES = ['en', 'zh'] as const;

export type Language = (typeof LANGUAGES)[number];

/** What `lang` of a page says. */
export const TAGS: Readonly<Record<Language, string>> = { en: 'en', zh: 'zh-CN' };

/** Returns the chosen language, else the browser's first supported one, else English. */
export function languageOf(chosen: string | undefined, accepted: string | undefined): Language {
  const known = (code: string | undefined) => LANGUAGES.find((language) => language === code);
  const wanted = (accepted ?? '').split(',').map((range) => range.trim().slice(0, 2).toLowerCase());
  return known(chosen) ?? known(wanted.find(known)) ?? 'en';
}
