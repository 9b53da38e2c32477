import { html } from 'hono/html';
import type { Translate } from './language.ts';
import type { Content } from './layout.ts';

/** `word: value` as the language writes it: a text of two texts, otherwise a part of a page. */
export function labelled(translate: Translate, word: string, value: string): string;
export function labelled(translate: Translate, word: Content, value: Content): Content;
export function labelled({ colon }: Translate, word: Content, value: Content): Content {
  const isText = typeof word === 'string' && typeof value === 'string';
  return isText ? `${word}${colon}${value}` : html`${word}${colon}${value}`;
}
