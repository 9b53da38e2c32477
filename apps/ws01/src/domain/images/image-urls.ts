import type { Store } from '../../store/store.ts';
import { imageUrl } from './serving/urls.ts';

/** Gives the public URLs of images by their keys; keys without an image are left out. */
export function createImageUrls(
  store: Store,
  baseUrl: () => string,
): (keys: readonly string[]) => Promise<ReadonlyMap<string, string>> {
  return async (keys) => {
    if (keys.length === 0) return new Map();
    const rows = await store.read((db) =>
      db
        .selectFrom('images')
        .innerJoin('image_files', 'image_files.hash', 'images.hash')
        .select(['guid', 'images.hash', 'format'])
        .where('guid', 'in', [...new Set(keys)])
        .execute(),
    );
    return new Map(rows.map((row) => [row.guid, imageUrl(baseUrl(), row, 'full')]));
  };
}
