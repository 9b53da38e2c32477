import { canonicalKey } from '../values/keys.ts';

/**
 * Returns an image's category as the key that `nodeId` is compared with (semantics 2, category
 * keys); `null` for none.
 */
export function optionalCategoryKey(category: string): string | null {
  const key = canonicalKey(category);
  return key === '' ? null : key;
}
