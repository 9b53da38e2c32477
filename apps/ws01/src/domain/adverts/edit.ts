import type { Kysely } from 'kysely';
import { Ws01Error } from '../../contract/errors.ts';
import { say } from '../../contract/sentence.ts';
import { ADVERTS } from '../../records/adverts.ts';
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
 * @throws {Ws01Error} `NotFound`; `MissingParameter` without a title, or without the image of an
 *   image advert; `InvalidParameter`.
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
  const changed = CONTENT_COLUMNS.filter((column) => content[column] !== before[column]);
  if (changed.length === 0) return false;
  await ensureCategoryExists(tx, content.category_key, at);
  await unindexAdvert(tx, guid);
  await updateAdvert.run(tx, { ...content, ...searchedOf(content), guid, updated_at: at });
  const earlier = changed.map((column) => earlierOf(column, before));
  await auditAct(tx, 'advert.edit', guid, at, by, Object.fromEntries(earlier));
  return true;
}

/**
 * What the audit trail keeps of a member before its change: its value; of the text, which may be
 * long, its name.
 */
function earlierOf(
  column: keyof AdvertContent,
  before: AdvertContent,
): readonly [string, string | number | boolean | null] {
  if (column === 'detail') return ['changed', memberOf(column)];
  return [memberOf(column), column === 'is_image' ? before[column] === 1 : before[column]];
}

/**
 * Empties what the audit trail keeps of an advert's earlier words, and leaves which members were
 * changed. Once the advert is purged, nothing would lead the erasure of its publisher to them.
 */
export async function forgetEdits(tx: Kysely<Tables>, guid: string): Promise<void> {
  const edits = await tx
    .selectFrom('audit')
    .select(['id', 'details'])
    .where('target_key', '=', guid)
    .where('action', '=', 'advert.edit')
    .execute();
  for (const { id, details } of edits) {
    const { admin, reason, changed: text, ...earlier } = JSON.parse(details);
    const names = [...Object.keys(earlier), ...(text === undefined ? [] : [text])];
    const left = JSON.stringify({ changed: names.join(' '), reason, admin });
    await tx.updateTable('audit').set({ details: left }).where('id', '=', id).execute();
  }
}

/** The public name of a member, by its column. */
function memberOf(column: string): string {
  const found = Object.entries<{ readonly column?: string }>(ADVERTS.members).find(
    ([, member]) => member.column === column,
  );
  return found![0];
}
