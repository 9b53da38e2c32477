import type { Descriptions } from './descriptions.ts';

/** By how many addresses a service may be reached before the descriptions for the one asked for longest ago are forgotten. */
const MOST_URLS = 16;

/** Keeps what was made for each of the last few public URLs: a Host header can say any. */
export function descriptionsByUrl(make: (baseUrl: string) => Descriptions): (baseUrl: string) => Descriptions {
  const made = new Map<string, Descriptions>();
  return (baseUrl) => {
    const known = made.get(baseUrl) ?? make(baseUrl);
    made.delete(baseUrl);
    made.set(baseUrl, known);
    if (made.size > MOST_URLS) made.delete(made.keys().next().value!);
    return known;
  };
}
