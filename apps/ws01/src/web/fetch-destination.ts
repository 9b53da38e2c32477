/**
 * Destinations of requests for parts of a page (Fetch Metadata, `Sec-Fetch-Dest`). No user calls an operation in this
 * way, but a foreign page can make its visitors' browsers do it.
 */
const EMBEDDED: ReadonlySet<string> = new Set([
  'image',
  'script',
  'style',
  'font',
  'audio',
  'video',
  'track',
]);

/**
 * Whether a browser requests a part of a page.
 * @param fetchDestination the header `Sec-Fetch-Dest`; old browsers and other clients do not send it.
 */
export function isEmbedded(fetchDestination: string | readonly string[] | undefined): boolean {
  return (
    typeof fetchDestination === 'string' && EMBEDDED.has(fetchDestination.trim().toLowerCase())
  );
}
