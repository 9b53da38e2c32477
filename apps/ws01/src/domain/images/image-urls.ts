import type { Store } from '../../store/store.ts';
import { VISIBILITY } from '../../store/tables/tables.ts';
import type { AnswerUrl, CallContext } from '../context.ts';
import { imageUrl } from '../values/image-url.ts';

/** Returns the public URLs of images by key; keys without a listed image are left out. */
export function createImageUrls(
  store: Store,
  baseUrl: AnswerUrl,
): (keys: readonly string[], context: CallContext) => Promise<ReadonlyMap<string, string>> {
  return async (keys, context) => {
    if (keys.length === 0) return new Map();
    const rows = await store.read((db) =>
      db
        .selectFrom('images')
        .innerJoin('image_files', 'image_files.hash', 'images.hash')
        .select(['guid', 'images.hash', 'format', 'served_format'])
        .where('guid', 'in', [...new Set(keys)])
        .where('visibility', '=', VISIBILITY.listed)
        .execute(),
    );
    const url = baseUrl(context);
    return new Map(rows.map((row) => [row.guid, imageUrl(url, row, 'full')]));
  };
}
