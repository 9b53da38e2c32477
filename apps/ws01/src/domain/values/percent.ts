/** Percent-decodes a text in UTF-8; `undefined` if it has a bad escape or invalid bytes. */
export function decodePercent(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
