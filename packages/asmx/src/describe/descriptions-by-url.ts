import type { Descriptions } from './descriptions.ts';

/**
 * Number of public URLs whose descriptions are cached; the least recently used ones are dropped.
 */
const MOST_URLS = 16;

/**
 * Caches a value for each of the last few public URLs. The cache is bounded, since a Host header
 * can contain anything.
 */
export function descriptionsByUrl(
  make: (baseUrl: string) => Descriptions,
): (baseUrl: string) => Descriptions {
  const made = new Map<string, Descriptions>();
  return (baseUrl) => {
    const known = made.get(baseUrl) ?? make(baseUrl);
    made.delete(baseUrl);
    made.set(baseUrl, known);
    if (made.size > MOST_URLS) made.delete(made.keys().next().value!);
    return known;
  };
}
