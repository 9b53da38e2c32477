/**
 * What a browser says a request is for, when a page merely shows something (Fetch Metadata, `Sec-Fetch-Dest`): no person
 * means to call an operation so, but a foreign page can have its visitors' browsers do it.
 */
const EMBEDDED: ReadonlySet<string> = new Set(['image', 'script', 'style', 'font', 'audio', 'video', 'track']);

/**
 * Whether a request is made by a browser for a part of a page.
 * @param fetchDestination the header `Sec-Fetch-Dest`; what is no browser, and old ones, do not send it.
 */
export function isEmbedded(fetchDestination: string | readonly string[] | undefined): boolean {
  return typeof fetchDestination === 'string' && EMBEDDED.has(fetchDestination.trim().toLowerCase());
}
