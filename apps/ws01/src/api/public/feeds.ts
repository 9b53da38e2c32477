/** A feed of the newest entries, independent of the format. */
export interface Feed {
  readonly title: string;
  /** The URL of the feed. */
  readonly url: string;
  /** The URL of the next page; `undefined` on the last one. */
  readonly next: string | undefined;
  readonly entries: readonly FeedEntry[];
}

interface FeedEntry {
  /** A permanent URL that identifies the entry. */
  readonly id: string;
  /** The URL of the page for readers. */
  readonly url: string;
  readonly title: string;
  readonly summary: string;
  readonly category: string | null;
  readonly image: string | null;
  /** RFC 3339. */
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** Writes an Atom feed (RFC 4287). */
export function atomOf({ title, url, next, entries }: Feed): string {
  const newest = [EPOCH, ...entries.map(({ updatedAt }) => updatedAt)].toSorted().at(-1);
  return [
    '<?xml version="1.0" encoding="utf-8"?>',
    '<feed xmlns="http://www.w3.org/2005/Atom">',
    `<title>${xml(title)}</title><id>${xml(url)}</id><updated>${newest}</updated>`,
    `<link rel="self" type="application/atom+xml" href="${xml(url)}"/>`,
    ...(next === undefined
      ? []
      : [`<link rel="next" type="application/atom+xml" href="${xml(next)}"/>`]),
    `<author><name>${xml(title)}</name></author>`,
    ...entries.map(atomEntry),
    '</feed>\n',
  ].join('\n');
}

/** The `updated` of a feed without entries. */
const EPOCH = '1970-01-01T00:00:00.000Z';

function atomEntry(entry: FeedEntry): string {
  const { id, url, title, summary, category, image, createdAt, updatedAt } = entry;
  return [
    `<entry><title>${xml(title)}</title><id>${xml(id)}</id><link href="${xml(url)}"/>`,
    `<published>${createdAt}</published><updated>${updatedAt}</updated>`,
    ...(image === null ? [] : [`<link rel="enclosure" href="${xml(image)}"/>`]),
    ...(category === null ? [] : [`<category term="${xml(category)}"/>`]),
    `<summary>${xml(summary)}</summary></entry>`,
  ].join('');
}

/** Writes a JSON feed, version 1.1 (jsonfeed.org). */
export function jsonFeedOf({ title, url, next, entries }: Feed): string {
  const feed = {
    version: 'https://jsonfeed.org/version/1.1',
    title,
    feed_url: url,
    ...(next === undefined ? {} : { next_url: next }),
    items: entries.map((entry) => ({
      id: entry.id,
      url: entry.url,
      title: entry.title,
      content_text: entry.summary,
      date_published: entry.createdAt,
      date_modified: entry.updatedAt,
      ...(entry.image === null ? {} : { image: entry.image }),
      ...(entry.category === null ? {} : { tags: [entry.category] }),
    })),
  };
  return `${JSON.stringify(feed)}\n`;
}

/** Escapes text for XML 1.0 and drops characters that XML 1.0 does not allow. */
function xml(text: string): string {
  return text
    .replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '\ufffd')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
