import type { Kysely } from 'kysely';
import { Ws01Error } from '../../contract/errors.ts';
import { say } from '../../contract/sentence.ts';
import type { AdvertContent, Instant, Tables } from '../../store/tables/tables.ts';
import { type Actor, auditAct } from '../audit/audit.ts';
import { ensureCategoryExists } from '../shared/existing-keys.ts';
import { optionalHttpUrl } from '../values/web-url.ts';
import { assertPicture, searchedOf, titleOf } from './content.ts';
import { CONTENT_COLUMNS, lockAdvert, updateAdvert } from './rows.ts';
import { unindexAdvert } from './search-index.ts';

interface AdvertEdit {
  readonly guid: string;
  /** Fields that are not given stay. */
  readonly edit: Partial<AdvertContent>;
  readonly by: Actor;
  readonly at: Instant;
}

/**
 * Changes what an advert says. Its publisher, and what moderators decided, stay.
 * @returns whether anything changed.
 * @throws {Ws01Error} `NotFound`; `MissingParameter` without a title, or without the image of an image advert;
 *   `InvalidParameter`.
 */
export async function editAdvert(
  tx: Kysely<Tables>,
  { guid, edit, by, at }: AdvertEdit,
): Promise<boolean> {
  const present = await lockAdvert.first(tx, { guid });
  if (present === undefined)
    throw new Ws01Error('NotFound', say`There is no ${{ kind: 'advert' }} ${{ key: guid }}.`, {
      parameter: 'guid',
    });
  const { owner: _, ...before } = present;
  const content: AdvertContent = { ...before, ...edit };
  titleOf(content.title);
  if (edit.link_url !== undefined)
    content.link_url = optionalHttpUrl(edit.link_url, 'linkUrl') ?? '';
  assertPicture(content);
  if (CONTENT_COLUMNS.every((column) => content[column] === before[column])) return false;
  await ensureCategoryExists(tx, content.category_key, at);
  await unindexAdvert(tx, guid);
  await updateAdvert.run(tx, { ...content, ...searchedOf(content), guid, updated_at: at });
  await auditAct(tx, 'advert.edit', guid, at, by);
  return true;
}
