import { html } from 'hono/html';
import type { Content } from './layout.ts';
import { kindsOf } from './names.ts';
import { HOME } from './visit.ts';

/** Members with a category, which has no record of its own, by the kind of record that they stand in. */
export const CATEGORIES: ReadonlyMap<string, string> = new Map([
  ['categoryGuid', 'articles'],
  ['postAtCategoryGuid', 'adverts'],
]);

/**
 * Returns what a text field for the key of something has it offer what there is, by name, while
 * somebody types; empty for any other member. Without scripts the key is typed, as it can be
 * anyway.
 * @param id that of the field.
 */
export function offered(
  member: string,
  id: string,
): { readonly attributes: Content; readonly list: Content } {
  if (!CATEGORIES.has(member) && kindsOf(member, {}).length === 0)
    return { attributes: '', list: '' };
  return {
    attributes: html` list="${id}-offers" autocomplete="off" data-offers="${HOME}/offers/${member}"`,
    list: html`<datalist id="${id}-offers"></datalist>`,
  };
}
