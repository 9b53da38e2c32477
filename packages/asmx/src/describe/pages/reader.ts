import type { PageLanguages, Reader } from '../page-language.ts';
import type { ServiceAddress } from '../service-address.ts';
import { html, type Markup, raw } from './html.ts';
import type { PageWord } from './words.ts';

const ENGLISH = 'en';

/**
 * Chooses the language of a page: that of its address, else the first of the browser that there is,
 * else English.
 * @param asked `lang` of its address. @param accepted the header `Accept-Language`.
 */
export function readerOf(
  languages: PageLanguages,
  asked: string | undefined,
  accepted: string | undefined,
): Reader {
  const tags = [ENGLISH, ...Object.keys(languages)];
  const chosen = tags.find((tag) => tag === asked);
  const primary = (tag: string) => tag.trim().split(/[-;]/)[0]!.toLowerCase();
  const wanted = (accepted ?? '').split(',', MOST_RANGES).map(primary);
  const range = wanted.find((one) => tags.some((tag) => primary(tag) === one));
  const liked = tags.find((tag) => primary(tag) === range);
  return { tag: chosen ?? liked ?? ENGLISH, isChosen: chosen !== undefined, languages };
}

/** Whether a page is as most clients ask for it. */
export const isPlain = ({ tag, isChosen }: Reader): boolean => tag === ENGLISH && !isChosen;

/** Of `Accept-Language`, that are looked at. */
const MOST_RANGES = 16;

/** A text of the pages in the language of a page. @param values what stands for `{name}` in it. */
export function say(
  place: ServiceAddress,
  word: PageWord,
  values: Readonly<Record<string, string | number>> = {},
): string {
  return textOf(place, word).replaceAll(/\{(\w+)\}/g, (_, name: string) => String(values[name]));
}

/** The same with markup for `{name}`. */
export function sayMarkup(
  place: ServiceAddress,
  word: PageWord,
  values: Readonly<Record<string, Markup>>,
): Markup {
  const parts = textOf(place, word).split(/\{(\w+)\}/);
  return html`${parts.map((part, index) => (index % 2 === 0 ? part : values[part]))}`;
}

/** A text of the contract, or of a link, in the language of a page. */
export function textOf({ reader }: ServiceAddress, text: string): string {
  const texts = reader?.languages[reader.tag]?.texts;
  return texts !== undefined && Object.hasOwn(texts, text) ? texts[text]! : text;
}

/** What `lang` of a page says. */
export const tagOf = ({ reader }: ServiceAddress): string => reader?.tag ?? ENGLISH;

/** The attribute of what ASP.NET says, on pages in other languages. */
export function inEnglish(place: ServiceAddress): Markup | false {
  return tagOf(place) !== ENGLISH && raw(` lang="${ENGLISH}"`);
}

/** The other languages of a page: tag and name. */
export function otherLanguages({ reader }: ServiceAddress): readonly (readonly [string, string])[] {
  if (reader === undefined) return [];
  const names = Object.entries(reader.languages).map(([tag, { name }]) => [tag, name] as const);
  return ([[ENGLISH, 'English'], ...names] as const).filter(([tag]) => tag !== reader.tag);
}
